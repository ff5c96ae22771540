//! Ending a run early: it is told once, begins nothing more, and puts in order what was begun, for a
//! bounded time.

use std::time::Duration;

use tokio::sync::watch;

/// Deadline `interruption`: so long what was begun may take to end, its `finally` steps included.
const GRACE: Duration = Duration::from_secs(30);

/// Why something was not run.
pub(super) const REASON: &str = "the run was interrupted";

/// Whether a run was told to end early.
#[derive(Debug)]
pub struct Interruption {
    told: watch::Sender<bool>,
    grace: Duration,
}

impl Default for Interruption {
    fn default() -> Self {
        Self::with_grace(GRACE)
    }
}

impl Interruption {
    /// One that leaves so long for what was begun; 30 s by default.
    pub fn with_grace(grace: Duration) -> Self {
        Self { told: watch::Sender::new(false), grace }
    }

    /// Tells the run to begin nothing more.
    pub fn tell(&self) {
        self.told.send_replace(true);
    }

    /// Whether it was told.
    pub fn is_told(&self) -> bool {
        *self.told.borrow()
    }

    /// Waits until it is told.
    pub(crate) async fn told(&self) {
        // The sender lives as long as this: there is no other end.
        let _ = self.told.subscribe().wait_for(|told| *told).await;
    }

    /// Waits until it was told and the time for what was begun is over.
    pub(super) async fn over(&self) {
        self.told().await;
        tokio::time::sleep(self.grace).await;
    }
}
