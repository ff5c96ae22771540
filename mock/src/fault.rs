//! Faults: answers that go wrong in a way that a test asked for.
//!
//! Here is what a fault is, which call it strikes and what it does to an answer. What needs a
//! connection (waiting, cutting) is only named, as [`crate::message::response::TransportFault`], for the shell.

mod armed;
mod damage;
pub(crate) mod drill;
mod kind;

pub(crate) use armed::{Faults, Strike};
pub(crate) use damage::damage;
pub use kind::{FailedStatus, FaultKind};

use std::net::IpAddr;

use moot_fixtures::contract::Operation;

/// A fault, as it is armed: it strikes the `nth` admitted call that matches and those after it,
/// `times` in all. Calls that are refused before their body is read are not counted.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Calls of this operation; of all where absent.
    pub operation: Option<Operation>,
    /// Calls with a token of this application (its client id).
    pub application: Option<String>,
    /// Calls from this address.
    pub client: Option<IpAddr>,
    /// The first call that is struck, from 1.
    pub nth: u64,
    /// How many are, from 1.
    pub times: u64,
    /// What happens to them.
    pub kind: FaultKind,
}

/// What of a call a fault is matched with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Struck {
    pub(crate) operation: Operation,
    pub(crate) application: Option<u32>,
    pub(crate) client: IpAddr,
}
