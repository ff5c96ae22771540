//! The lease decides which of several nodes is active. This is a state machine without IO: it takes times and
//! answers, and returns statements.
//!
//! The database has one row with an epoch, a holder and a number of renewals. A node becomes active by one statement
//! that raises the epoch. The statement changes nothing if the row differs from the one that the node read before. A
//! node may run it if no node holds the lease, or if the row has not changed for the length of the lease. Each node
//! measures this time *by its own clock*. Clocks are never compared with each other, so a wrong clock does no harm,
//! here or in the database. Clocks only have to run at nearly the same rate.
//!
//! The holder trusts its lease from the *start* of the statement that renewed it, and for less than the length of
//! the lease. So its trust has always ended before another node can take over.

use std::time::Duration;

/// The times of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTimes {
    /// A lease that was not renewed for this time can be taken over.
    pub length: Duration,
    /// Time between renewals.
    pub renew: Duration,
    /// How long a renewal is trusted.
    trust: Duration,
    /// Time between two reads of the row by a standby, and between tries after a failure.
    poll: Duration,
}

/// The shortest time between two reads of the row.
const POLL_MIN: Duration = Duration::from_millis(25);
/// The longest time between two reads of the row.
const POLL_MAX: Duration = Duration::from_millis(250);

impl LeaseTimes {
    /// A lease with this length and this time between renewals. It is trusted for four fifths of the length. The
    /// rest allows for clocks of different rates, and for work between reading the clock and using the result.
    pub fn new(length: Duration, renew: Duration) -> Self {
        let poll = (length / 40).clamp(POLL_MIN, POLL_MAX);
        Self { length, renew, trust: length * 4 / 5, poll }
    }

    /// Timeout of a statement of the lease. Two statements fit into the time of trust.
    pub(crate) fn patience(&self) -> Duration {
        self.trust / 2
    }
}

/// The row of `moot_head`, which names the node that may write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct HeadRow {
    /// The number of takeovers.
    pub(crate) epoch: u64,
    /// The node that holds the lease; `None` after it resigned.
    pub(crate) holder: Option<[u8; 16]>,
    /// The name of the holder for other nodes and for clients.
    pub(crate) address: String,
    pub(crate) renewals: u64,
    /// The number of the newest commit.
    pub(crate) seq: u64,
    /// The digest of the newest commit. It covers the digest of the commit before.
    pub(crate) digest: Vec<u8>,
}

/// A statement on the row of `moot_head`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeaseOrder {
    /// Reads the row.
    Look,
    /// Raises the epoch to `next`, if the row still has this epoch and this number of renewals.
    Take { epoch: u64, renewals: u64, next: u64 },
    /// Counts a renewal, if this node still holds this epoch.
    Renew { epoch: u64 },
    /// Gives up the lease, if this node still holds this epoch.
    Resign { epoch: u64 },
}

/// The result of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LeaseOutcome {
    Row(HeadRow),
    /// The condition held, and the row was changed.
    Done,
    /// The condition did not hold: nothing was changed.
    Refused,
    /// Unknown: no connection, no reply in time, or an error.
    Failed,
}

/// The next step of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextLeaseStep {
    Ask(LeaseOrder),
    WaitUntil(Duration),
}

/// The phase of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeasePhase {
    /// The node may answer in this epoch until this time.
    Active { epoch: u64, until: Duration },
    /// Another node is active, or will be.
    Standby,
    /// The database does not answer, or this node has just lost its lease.
    Unclear,
    /// The node gave up its lease and takes no other one.
    Resigned,
}

/// The lease as one node sees it.
#[derive(Debug)]
pub(crate) struct LeaseMachine {
    holder: [u8; 16],
    times: LeaseTimes,
    phase: LeasePhase,
    /// The last known row, and since when it has not changed. `None` if it may be out of date.
    row: Option<(HeadRow, Duration)>,
    /// The next statement is not sent before this time.
    next_at: Duration,
    /// The epoch and the number of renewals of the last row that was read.
    last_read: (u64, u64),
    /// The highest epoch that this node knows.
    highest_epoch: u64,
    /// The lease is not taken before this time.
    not_before: Duration,
}

impl LeaseMachine {
    /// A node that has not read the row yet. `holder` is the unique name of this process.
    pub(crate) fn new(holder: [u8; 16], times: LeaseTimes) -> Self {
        Self {
            holder,
            times,
            phase: LeasePhase::Unclear,
            row: None,
            next_at: Duration::ZERO,
            last_read: (0, 0),
            highest_epoch: 0,
            not_before: Duration::ZERO,
        }
    }

    pub(crate) fn phase(&self) -> LeasePhase {
        self.phase
    }

    /// The next step at this time.
    pub(crate) fn next(&mut self, now: Duration) -> NextLeaseStep {
        if let LeasePhase::Active { epoch, until } = self.phase {
            if now < until {
                return match now >= self.next_at {
                    true => NextLeaseStep::Ask(LeaseOrder::Renew { epoch }),
                    false => NextLeaseStep::WaitUntil(self.next_at.min(until)),
                };
            }
            self.lost(now);
        }
        if self.phase == LeasePhase::Resigned {
            return NextLeaseStep::WaitUntil(Duration::MAX);
        }
        if now < self.next_at {
            return NextLeaseStep::WaitUntil(self.next_at);
        }
        match &self.row {
            Some((row, since)) if self.may_take(row, *since, now) => {
                let (epoch, renewals) = (row.epoch, row.renewals);
                // A database that was restored from a backup has a lower epoch. No epoch is used twice.
                let next = epoch.max(self.highest_epoch) + 1;
                NextLeaseStep::Ask(LeaseOrder::Take { epoch, renewals, next })
            }
            _ => NextLeaseStep::Ask(LeaseOrder::Look),
        }
    }

    /// Whether the lease of this row is free or has ended, so that no other node trusts it.
    fn may_take(&self, row: &HeadRow, since: Duration, now: Duration) -> bool {
        now >= self.not_before
            && match row.holder {
                None => true,
                Some(holder) => holder == self.holder || now >= since + self.times.length,
            }
    }

    /// Takes the result of a statement that was sent at `began` and finished at `now`.
    pub(crate) fn finished(
        &mut self,
        order: LeaseOrder,
        began: Duration,
        now: Duration,
        outcome: LeaseOutcome,
    ) {
        if self.phase == LeasePhase::Resigned {
            return;
        }
        // The lease has ended meanwhile, so the outcome comes too late.
        if let LeasePhase::Active { until, .. } = self.phase
            && now >= until
        {
            return self.lost(now);
        }
        match (order, outcome) {
            (_, LeaseOutcome::Row(row)) => self.note_row(row, now),
            (LeaseOrder::Take { next, .. }, LeaseOutcome::Done) => self.hold(next, began, now),
            (LeaseOrder::Renew { epoch }, LeaseOutcome::Done) if self.is_active_in(epoch) => {
                self.hold(epoch, began, now);
            }
            (LeaseOrder::Resign { .. }, _) => self.phase = LeasePhase::Resigned,
            // The lease is trusted until its end, and the next try may succeed.
            (LeaseOrder::Renew { epoch }, LeaseOutcome::Failed) if self.is_active_in(epoch) => {
                self.next_at = now + self.times.poll;
            }
            (LeaseOrder::Renew { .. }, _) => self.lost(now),
            (LeaseOrder::Take { .. }, LeaseOutcome::Refused) => {
                // Another node was faster, so the known row is out of date.
                self.row = None;
                self.next_at = now;
            }
            (_, LeaseOutcome::Failed | LeaseOutcome::Done | LeaseOutcome::Refused) => {
                self.phase = LeasePhase::Unclear;
                // The row may have changed, so it is read again.
                if !matches!(order, LeaseOrder::Look) {
                    self.row = None;
                }
                self.next_at = now + self.times.poll;
            }
        }
    }

    fn is_active_in(&self, epoch: u64) -> bool {
        matches!(self.phase, LeasePhase::Active { epoch: held, .. } if held == epoch)
    }

    fn note_row(&mut self, row: HeadRow, now: Duration) {
        let (epoch, renewals) = std::mem::replace(&mut self.last_read, (row.epoch, row.renewals));
        if row.epoch < epoch || row.renewals < renewals {
            // The database was restored from a backup. Its holder is out of date, and another node may still
            // trust a lease that the row does not show.
            self.not_before = now + self.times.length;
        }
        self.highest_epoch = self.highest_epoch.max(row.epoch);
        let is_same = |known: &HeadRow| {
            (known.epoch, known.renewals, known.holder) == (row.epoch, row.renewals, row.holder)
        };
        let since = match &self.row {
            Some((known, since)) if is_same(known) => *since,
            _ => now,
        };
        self.phase = LeasePhase::Standby;
        self.next_at = match self.may_take(&row, since, now) {
            true => now,
            false => {
                let free_at = (since + self.times.length).max(self.not_before);
                free_at.min(now + self.times.poll)
            }
        };
        self.row = Some((row, since));
    }

    fn hold(&mut self, epoch: u64, began: Duration, now: Duration) {
        self.highest_epoch = self.highest_epoch.max(epoch);
        let until = began + self.times.trust;
        self.phase = LeasePhase::Active { epoch, until };
        self.next_at = (began + self.times.renew).max(now);
        if now >= until {
            self.lost(now);
        }
    }

    /// The lease is lost, or an outcome is unclear. The node becomes active again only by reading the row and
    /// taking the lease anew, with a higher epoch.
    pub(crate) fn lost(&mut self, now: Duration) {
        if self.phase != LeasePhase::Resigned {
            self.phase = LeasePhase::Unclear;
            self.row = None;
            self.next_at = now;
        }
    }

    /// Gives the lease up for this time, because the data could not be read.
    pub(crate) fn pause(&mut self, now: Duration, pause: Duration) {
        self.lost(now);
        self.next_at = now + pause;
    }

    /// Ends the machine. Returns the statement that lets another node take over at once, if this node is active.
    pub(crate) fn resign(&mut self) -> Option<LeaseOrder> {
        let was = std::mem::replace(&mut self.phase, LeasePhase::Resigned);
        match was {
            LeasePhase::Active { epoch, .. } => Some(LeaseOrder::Resign { epoch }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
