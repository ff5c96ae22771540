//! The statuses of a receiver.

use http::StatusCode;

/// The statuses of the first call, the second, and so on. The last one applies to all further calls. Without
/// any status the response is 200.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusPlan {
    statuses: Vec<StatusCode>,
    sent: usize,
}

impl StatusPlan {
    /// A plan that begins with the first of these statuses.
    pub fn new(statuses: Vec<StatusCode>) -> Self {
        Self { statuses, sent: 0 }
    }

    /// The status of the next call.
    pub fn next_status(&mut self) -> StatusCode {
        let planned = self.statuses.get(self.sent).or(self.statuses.last());
        self.sent += 1;
        planned.copied().unwrap_or(StatusCode::OK)
    }

    pub(super) fn statuses(&self) -> &[StatusCode] {
        &self.statuses
    }
}
