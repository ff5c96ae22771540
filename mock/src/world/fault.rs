//! Faults: answers that go wrong in a way that a test asked for.
//!
//! Here is what a fault is, which call it strikes and what it does to an answer. What needs a
//! connection (waiting, cutting) is only named, as [`crate::value::message::response::TransportFault`], for the shell.

mod armed;
mod damage;
pub(crate) mod drill;
mod kind;

#[cfg(feature = "server")]
pub(crate) use armed::ArmedFaultJson;
pub(crate) use armed::{Faults, Strike};
pub(crate) use damage::damage;
pub use kind::{FailedStatus, FaultKind};

use std::net::IpAddr;

use http::Method;
use moot_fixtures::contract::Operation;

use crate::value::message::call::Head;
use crate::value::path_pattern::PathPattern;

/// A fault, as it is armed: it strikes the `nth` call that matches and those after it. Calls that are
/// refused before their body is read are not counted, but for those of an unknown path or method where
/// the fault has a path pattern.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The calls that match.
    pub filter: FaultFilter,
    /// The first call that is struck, from 1.
    pub nth: u64,
    /// How often the sequence is run through, from 1.
    pub times: u64,
    /// The effects on each of a number of consecutive calls; a call without effects is left alone.
    pub sequence: Vec<Vec<FaultKind>>,
}

/// Which calls a fault strikes; what is absent matches any.
#[derive(Debug, Clone, Default)]
pub struct FaultFilter {
    /// Calls of this operation.
    pub operation: Option<Operation>,
    /// Calls with this method.
    pub method: Option<Method>,
    /// Calls with such a path, also of no operation.
    pub path: Option<PathPattern>,
    /// Calls with a token of this application (its client id).
    pub application: Option<String>,
    /// Calls from this address.
    pub client: Option<IpAddr>,
}

/// What of a call a fault is matched with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Struck<'c> {
    /// `None` if its path or method is of no operation.
    pub(crate) operation: Option<Operation>,
    pub(crate) application: Option<u32>,
    pub(crate) head: &'c Head<'c>,
}
