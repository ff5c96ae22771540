//! Why a body could not be read.

use std::io;

use crate::value::message::call::BodyFault;

/// Why a body could not be read.
pub(super) enum ReadError {
    /// The body is malformed or too large.
    Fault(BodyFault),
    /// A temporary file cannot be written.
    Store(io::Error),
}

impl From<BodyFault> for ReadError {
    fn from(fault: BodyFault) -> Self {
        Self::Fault(fault)
    }
}
