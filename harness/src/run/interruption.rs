//! Interrupting a run: nothing new starts, and a scenario that is running has a limited time to end.

use std::time::Duration;

use tokio::sync::watch;

/// Timeout `interruption`: time for scenarios that are running to end, including their `finally` steps.
const GRACE: Duration = Duration::from_secs(30);

/// Reason of every scenario and step that an interruption keeps from running.
pub(super) const REASON: &str = "the run was interrupted";

/// A switch that ends a run early.
#[derive(Debug)]
pub struct Interruption {
    is_on: watch::Sender<bool>,
    grace: Duration,
}

impl Default for Interruption {
    fn default() -> Self {
        Self::with_grace(GRACE)
    }
}

impl Interruption {
    /// A switch with this time for running scenarios; 30 s by default.
    pub fn with_grace(grace: Duration) -> Self {
        Self { is_on: watch::Sender::new(false), grace }
    }

    /// Interrupts the run.
    pub fn interrupt(&self) {
        self.is_on.send_replace(true);
    }

    /// Whether the run was interrupted.
    pub fn is_interrupted(&self) -> bool {
        *self.is_on.borrow()
    }

    /// Waits until the run is interrupted.
    pub(crate) async fn interrupted(&self) {
        // An error would mean that the sender is gone, and `self` has it.
        let _ = self.is_on.subscribe().wait_for(|is_on| *is_on).await;
    }

    /// Waits until the run is interrupted and the time for running scenarios is over.
    pub(super) async fn grace_over(&self) {
        self.interrupted().await;
        tokio::time::sleep(self.grace).await;
    }
}
