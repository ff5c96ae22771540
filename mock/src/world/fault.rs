//! Faults: responses that go wrong because a test asked for it.
//!
//! This module matches calls and edits responses. Effects that need a connection (delays, cuts) are left to the
//! shell, as [`crate::value::message::response::TransportFault`].

mod armed;
mod damage;
pub(crate) mod drill;
mod effect;

pub(crate) use armed::{AppliedFault, Faults};
pub(crate) use damage::damage;
pub use effect::{FailedStatus, FaultEffect};

use std::net::IpAddr;

use http::Method;
use moot_fixtures::contract::Operation;

/// A fault as a test arms it. It affects the `nth` matching call and those after it. A call that is refused before its
/// body is read does not match. The exception: an unknown path or method matches a fault with a path pattern.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Calls of this operation. An absent condition matches every call.
    pub operation: Option<Operation>,
    /// Calls with this method.
    pub method: Option<Method>,
    /// Calls with a path of this pattern, even if it belongs to no operation.
    pub path: Option<String>,
    /// Calls with a token of this application (its client id).
    pub application: Option<String>,
    /// Calls from this address.
    pub client: Option<IpAddr>,
    /// The first call that is affected, from 1.
    pub nth: u64,
    /// Number of runs through the sequence, from 1.
    pub times: u64,
    /// The effects on consecutive calls. A call with an empty list is not affected.
    pub sequence: Vec<Vec<FaultEffect>>,
}
