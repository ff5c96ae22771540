//! The statuses that a receiver answers.

use http::StatusCode;

/// The statuses of the first call, the second, and so on. The last one applies to all further calls. Without
/// any status the answer is 200.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusPlan {
    statuses: Vec<StatusCode>,
    answered: usize,
}

impl StatusPlan {
    /// A plan that begins with the first of these statuses.
    pub fn new(statuses: Vec<StatusCode>) -> Self {
        Self { statuses, answered: 0 }
    }

    /// The status of the next call.
    pub fn next_status(&mut self) -> StatusCode {
        let planned = self.statuses.get(self.answered).or(self.statuses.last());
        self.answered += 1;
        planned.copied().unwrap_or(StatusCode::OK)
    }

    pub(super) fn statuses(&self) -> &[StatusCode] {
        &self.statuses
    }
}
