//! The conduct of a client: how it used the service, by the journal of a mock.
//!
//! [`read`] reads the journals. [`findings`] applies the rules of the register of conduct. [`Account::of`] adds
//! the counts, and [`text`], [`json`], [`page`] and [`junit`] render the account. Nothing here judges the service.

mod account;
mod evidence;
mod finding;
mod journal;
pub mod json;
pub mod junit;
pub mod page;
mod relied_questions;
mod rules;
pub mod text;
mod world_journal;

pub use account::Account;
pub use evidence::ConductEvidence;
pub use finding::ConductFinding;
pub use journal::{ControlUse, JournalCall, control_uses, rows};
pub(super) use rules::{
    ASSUMES_25, FIRST_PAGE_ONLY, NO_TIMEOUT, TOKEN_ENDPOINT_HAMMERED, TOKEN_TRIES_MAX,
};
pub use rules::{disturbed_findings, findings, judged_rules};
pub use world_journal::{WorldJournal, read};
