//! PostgreSQL as the store of a mock: its address, connections and tables, and the lease that decides which
//! of several processes is active. `lease` has the rules, without IO.

mod address;
mod connection;
mod error;
mod head;
mod lease;
mod schema;
mod trust;

pub use address::PostgresAddress;
pub(crate) use connection::{DatabaseConnection, SqlParameter, connect};
pub use error::PostgresError;
pub(crate) use head::ask;
pub use lease::LeaseTimes;
pub(crate) use lease::{
    HeadRow, LeaseMachine, LeaseOrder, LeaseOutcome, LeasePhase, NextLeaseStep,
};
pub(crate) use schema::{prepare, unsafe_settings};
pub(crate) use trust::Trust;
