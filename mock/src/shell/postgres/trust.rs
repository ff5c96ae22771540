//! The time until which this node may answer.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::shell::clock;

/// The epoch in which this node is active, and the end of its trust. A response leaves only while the node trusts
/// the epoch of the response.
#[derive(Default)]
pub(crate) struct Trust {
    granted: Mutex<TrustedEpoch>,
    /// Notified when trust ends early.
    pub(crate) ended: Notify,
}

#[derive(Default)]
struct TrustedEpoch {
    epoch: u64,
    until: Duration,
    /// The newest epoch whose trust ended early. It is never trusted again.
    ended: u64,
}

impl Trust {
    /// Trusts an epoch until this time of [`clock::since_boot`], unless its trust was ended.
    pub(crate) fn grant(&self, epoch: u64, until: Duration) {
        let mut granted = self.granted.lock();
        if epoch > granted.ended {
            (granted.epoch, granted.until) = (epoch, until);
        }
    }

    /// Ends the trust of an epoch at once and for good, because an outcome is unclear.
    pub(crate) fn end(&self, epoch: u64) {
        let mut granted = self.granted.lock();
        granted.ended = granted.ended.max(epoch);
        drop(granted);
        self.ended.notify_one();
    }

    /// Whether a response of this epoch may leave now.
    pub(crate) fn holds(&self, epoch: u64) -> bool {
        let granted = self.granted.lock();
        granted.epoch == epoch && epoch > granted.ended && clock::since_boot() < granted.until
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Trust;

    #[test]
    fn an_ended_epoch_is_never_trusted_again() {
        let trust = Trust::default();
        let (late, past) = (Duration::MAX, Duration::ZERO);
        assert!(!trust.holds(0) && !trust.holds(1));
        trust.grant(1, late);
        assert!(trust.holds(1) && !trust.holds(2));
        trust.end(1);
        assert!(!trust.holds(1));
        trust.grant(1, late);
        assert!(!trust.holds(1), "a late renewal does not restore trust");
        trust.grant(2, late);
        assert!(trust.holds(2) && !trust.holds(1));
        trust.grant(2, past);
        assert!(!trust.holds(2));
    }
}
