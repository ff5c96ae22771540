//! The one body reader of every shell: drains a body, reads it whole, or as `multipart/form-data`.
//!
//! Every body has limits in bytes and in time. This module knows no operation. The core says how to read a body
//! ([`Reading`]), and receives errors as a [`BodyFault`](crate::value::message::call::BodyFault).

mod disposition;
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
