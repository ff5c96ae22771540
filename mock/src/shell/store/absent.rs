//! Where state in folders is left out: there is never a store.

use super::sandbox_record::SandboxRecord;
use crate::service::{Keeper, NotKept};

/// A store that there is none of.
#[derive(Clone)]
pub(crate) enum StateStore {}

impl StateStore {
    pub(crate) fn keeper(&self, _world: u64) -> Keeper {
        match *self {}
    }

    pub(crate) fn add(&self, _sandbox: &SandboxRecord) -> Result<(), NotKept> {
        match *self {}
    }

    pub(crate) fn remove(&self, _world: u64) -> Result<(), NotKept> {
        match *self {}
    }
}
