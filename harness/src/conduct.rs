//! The conduct of a client: what it did with the service, by the journal of a mock.
//!
//! [`read`] reads the journals, [`Account::of`] counts calls and finds habits that would cause trouble on a
//! real deployment, [`text`] renders the account. Nothing here judges the service.

mod account;
mod habit;
mod journal;
pub mod text;

pub use account::{Account, OperationUse, ReceivedError};
pub use habit::{Habit, HabitFinding};
pub use journal::{EntryAnswer, JournalCall, WorldJournal, read};
