//! Where state in folders is left out: there is never a store.

use super::sandbox_record::KeptSandbox;
use crate::service::{Keeper, NotKept};

/// A store that there is none of.
#[derive(Clone)]
pub(crate) enum Durable {}

impl Durable {
    pub(crate) fn keeper(&self, _world: u64) -> Keeper {
        match *self {}
    }

    pub(crate) fn add(&self, _sandbox: &KeptSandbox) -> Result<(), NotKept> {
        match *self {}
    }

    pub(crate) fn remove(&self, _world: u64) -> Result<(), NotKept> {
        match *self {}
    }
}
