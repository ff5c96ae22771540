//! The store in a build without the feature `state`: no value of it exists.

use super::sandbox_record::SandboxRecord;
use crate::service::{Keeper, NotKept};

/// A store that can't be created.
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
