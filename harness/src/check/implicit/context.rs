//! What the implicit checks of a run share.

use std::collections::HashMap;

use parking_lot::Mutex;

/// Request ids that a run remembers; beyond it, new ones are no longer compared.
const REQUEST_IDS_MAX: usize = 200_000;

/// What the implicit checks of a run share.
#[derive(Debug, Default)]
pub struct ImplicitContext {
    /// Path of the base address without a slash at its end: `/api`, or empty.
    pub base_path: String,
    /// Base address and request id, and the number of the exchange that had it first.
    request_ids: Mutex<HashMap<(String, String), u64>>,
}

impl ImplicitContext {
    /// A context in which no request id was seen yet.
    pub fn new(base_path: &str) -> Self {
        Self {
            base_path: base_path.trim_end_matches('/').to_owned(),
            request_ids: Mutex::default(),
        }
    }

    /// Remembers a request id of the service at `base`. The number of an earlier exchange that had
    /// the same, if there is one; asking twice about one exchange is no clash.
    pub(super) fn first_with(&self, base: &str, request_id: &str, exchange: u64) -> Option<u64> {
        let mut known = self.request_ids.lock();
        let key = (base.to_owned(), request_id.to_owned());
        match known.get(&key) {
            Some(first) => (*first != exchange).then_some(*first),
            None => {
                if known.len() < REQUEST_IDS_MAX {
                    known.insert(key, exchange);
                }
                None
            }
        }
    }
}
