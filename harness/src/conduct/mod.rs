//! What a client did with the service, told from the journal of a mock.
//!
//! [`read`] takes the journal as the control plane shows it, [`Account::of`] counts and finds habits
//! that end badly on a real deployment, [`text`] tells it to a person. Pure: nothing here calls
//! anything, and nothing here judges the service.

mod account;
mod call;
mod habit;
pub mod text;

pub use account::{Account, OperationUse, ReceivedError};
pub use call::{Answered, Call, World, read};
pub use habit::{Finding, Habit};
