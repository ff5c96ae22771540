//! What a run saw first under a key, by service.

use std::collections::HashMap;

use parking_lot::Mutex;

/// Keys that one memory holds; beyond it, new ones are no longer compared.
const KEYS_MAX: usize = 200_000;

/// What was seen first under each key of each service.
#[derive(Debug)]
pub(super) struct FirstSeen<V>(Mutex<HashMap<(String, String), V>>);

impl<V> Default for FirstSeen<V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<V: Clone> FirstSeen<V> {
    /// What was seen first under `key` at the base address `base`; `value` where nothing was.
    pub(super) fn or_remember(&self, base: &str, key: &str, value: V) -> V {
        let mut known = self.0.lock();
        let key = (base.to_owned(), key.to_owned());
        if let Some(first) = known.get(&key) {
            return first.clone();
        }
        if known.len() < KEYS_MAX {
            known.insert(key, value.clone());
        }
        value
    }

    /// What was seen first under `key`.
    pub(super) fn get(&self, base: &str, key: &str) -> Option<V> {
        self.0.lock().get(&(base.to_owned(), key.to_owned())).cloned()
    }
}
