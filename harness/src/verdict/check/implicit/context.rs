//! What the implicit checks of a run share.

use super::first_seen::FirstSeen;

/// What the implicit checks of a run share.
#[derive(Debug, Default)]
pub struct ImplicitContext {
    /// Path of the base address without a slash at its end: `/api`, or empty.
    pub base_path: String,
    /// The number of the exchange that had a request id first.
    pub(super) request_ids: FirstSeen<u64>,
    /// The problem type that had a `detail` first.
    pub(super) details: FirstSeen<String>,
    /// What was made first at a creation time.
    pub(super) creations: FirstSeen<Creation>,
    /// The creation time, in seconds since 1970, that a resource had first.
    pub(super) creation_times: FirstSeen<i64>,
    /// When the service created a legal request of this run, in seconds since 1970 by its `Date`.
    pub(super) legal_requests: FirstSeen<i64>,
    /// How many seconds the first `Date` was ahead of our clock.
    pub(super) dates: FirstSeen<i64>,
}

/// One creation: what was made, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Creation {
    /// Its id, or the token.
    pub(super) made: String,
    /// `Date` of the answer, in seconds since 1970.
    pub(super) date: i64,
}

impl ImplicitContext {
    /// A context in which nothing was seen yet.
    pub fn new(base_path: &str) -> Self {
        Self { base_path: base_path.trim_end_matches('/').to_owned(), ..Self::default() }
    }
}
