//! The one body reader of every shell: drains a body, reads it whole, or as `multipart/form-data`.
//!
//! Every body is bounded in bytes and in time. Nothing here knows an operation: how to read comes
//! from the core's [`Reading`], and what is wrong with a body goes back to it as a
//! [`BodyFault`](crate::value::message::call::BodyFault).

mod disposition;
mod error;
mod frames;
mod multipart;
mod read;
mod spool;
#[cfg(test)]
mod tests;
mod upload_folder;

pub use frames::BodyTimes;
pub(crate) use multipart::yield_once;
pub(crate) use read::{drain, read, read_whole};
pub(crate) use spool::digest_of;
pub(crate) use spool::{Spool, Store};
pub(crate) use upload_folder::remove_abandoned;
