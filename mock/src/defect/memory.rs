//! What a service with a defect remembers beside its state.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;

/// Tokens that were issued, and the first answers.
#[derive(Debug, Default)]
pub(super) struct HookMemory {
    tokens: Mutex<Vec<String>>,
    first: Mutex<HashMap<String, Value>>,
}

impl HookMemory {
    /// Remembers a token.
    pub(super) fn remember_token(&self, token: &str) {
        self.tokens.lock().push(token.to_owned());
    }

    /// An issued token that `is_match` accepts.
    pub(super) fn token(&self, is_match: impl Fn(&str) -> bool) -> Option<String> {
        self.tokens.lock().iter().find(|token| is_match(token)).cloned()
    }

    /// The value that was first given under this key; `value` if there is none.
    pub(super) fn first(&self, key: String, value: &Value) -> Value {
        self.first.lock().entry(key).or_insert_with(|| value.clone()).clone()
    }
}
