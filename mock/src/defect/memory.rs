//! Memory of a service with a defect, beside its state.

use std::collections::HashMap;

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;
use serde_json::Value;

use crate::world::state::change::Change;

#[derive(Debug, Default)]
pub(super) struct HookMemory {
    /// Changes that the next call of an operation makes.
    changes: Mutex<HashMap<Operation, Vec<Change>>>,
    /// The issued tokens.
    tokens: Mutex<Vec<String>>,
    /// Values of first responses.
    first: Mutex<HashMap<String, Value>>,
}

impl HookMemory {
    pub(super) fn remember_token(&self, token: &str) {
        self.tokens.lock().push(token.to_owned());
    }

    /// Keeps changes for the next call of this operation. Returns the changes that the previous call kept.
    pub(super) fn swap_changes(&self, of: Operation, changes: Vec<Change>) -> Vec<Change> {
        self.changes.lock().insert(of, changes).unwrap_or_default()
    }

    /// An issued token that `is_match` accepts.
    pub(super) fn token(&self, is_match: impl Fn(&str) -> bool) -> Option<String> {
        self.tokens.lock().iter().find(|token| is_match(token)).cloned()
    }

    /// The first value that was passed with this key.
    pub(super) fn first(&self, key: String, value: &Value) -> Value {
        self.first.lock().entry(key).or_insert_with(|| value.clone()).clone()
    }
}
