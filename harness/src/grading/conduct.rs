//! The conduct of a client: what it did with the service, by the journal of a mock.
//!
//! [`read`] reads the journals. [`findings`] judges the calls by the rules of the register of conduct,
//! [`Account::of`] counts what was used, and [`text`], [`markdown`], [`junit`] and [`page`] render the account. Nothing here judges the service.

/// The JSON Schema of the report that `moot exec` writes.
pub const SCHEMA: &str = include_str!("../../schemas/conduct.json");

/// Of the JSON report.
pub const SCHEMA_VERSION: u32 = 1;

mod account;
mod control_use;
mod finding;
mod journal;
pub mod junit;
pub mod markdown;
pub mod page;
mod relied;
mod rules;
pub mod text;
mod theme;

pub use account::{Account, OperationUse, ReceivedError};
pub use control_use::{ControlUse, control_uses};
pub use finding::{ConductEvidence, ConductFinding};
pub use journal::{
    CallContent, CallPart, CallWire, EntryAnswer, JournalAttempt, JournalCall, JournalDelivery,
    WorldJournal, read,
};
pub use relied::ReliedQuestion;
pub use rules::{disturbed_findings, findings, judged_rules};
