//! The lease: which of several nodes is active. Time and answers come in, statements go out; no IO.
//!
//! The database has one row with an epoch, a holder and a number of renewals. A node becomes active by one
//! statement that raises the epoch, and only if it finds the row as it saw it before. It may do so if the
//! row has not changed for the length of the lease *by its own clock*, or if nobody holds the lease. No
//! clock is compared with another one, so a clock that is set wrong, here or in the database, does no
//! harm. The clocks only have to run at nearly the same rate.
//!
//! The holder trusts its lease from the *start* of the statement that renewed it, and for less than the
//! length of the lease. So its trust has always ended before another node can take over.

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
    /// Time between two looks of a standby at the row, and between tries after a failure.
    look: Duration,
}

/// The shortest and the longest time between two looks.
const LOOK_MIN: Duration = Duration::from_millis(25);
const LOOK_MAX: Duration = Duration::from_millis(250);

impl LeaseTimes {
    /// A lease of this length that is renewed this often. A fifth of the length is left for clocks that
    /// run at other rates, and for work between a look at the clock and its use.
    pub fn new(length: Duration, renew: Duration) -> Self {
        let look = (length / 40).clamp(LOOK_MIN, LOOK_MAX);
        Self { length, renew, trust: length * 4 / 5, look }
    }

    /// How long a statement of the lease may take: two of them fit into the trust.
    pub(crate) fn patience(&self) -> Duration {
        self.trust / 2
    }
}

/// The row that says who may write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct HeadRow {
    /// Raised whenever a node takes the lease.
    pub(crate) epoch: u64,
    /// The node that holds the lease; `None` after it resigned.
    pub(crate) holder: Option<[u8; 16]>,
    /// How others know the holder.
    pub(crate) address: String,
    pub(crate) renewals: u64,
    /// The number of the newest commit.
    pub(crate) seq: u64,
    /// The digest of the newest commit, which has that of the one before in it.
    pub(crate) digest: Vec<u8>,
}

/// A statement on the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeaseOrder {
    /// Reads the row.
    Look,
    /// Raises the epoch to `next`, if the row still has this epoch and this number of renewals.
    Take { epoch: u64, renewals: u64, next: u64 },
    /// Counts a renewal, if this node still holds this epoch.
    Renew { epoch: u64 },
    /// Gives the lease away, if this node still holds this epoch.
    Resign { epoch: u64 },
}

/// What came of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LeaseAnswer {
    /// The row.
    Row(HeadRow),
    /// The condition held, and the row was changed.
    Done,
    /// The condition did not hold: nothing was changed.
    Refused,
    /// Nobody knows: no connection, no answer in time, or an error.
    Failed,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextLeaseStep {
    Ask(LeaseOrder),
    WaitUntil(Duration),
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeasePhase {
    /// It may answer in this epoch until this time.
    Active { epoch: u64, until: Duration },
    /// Another node is active, or will be.
    Standby,
    /// The database does not answer, or this node has just lost its lease.
    Unclear,
    /// It gave its lease away and takes no other one.
    Resigned,
}

/// The lease as one node sees it.
#[derive(Debug)]
pub(crate) struct LeaseMachine {
    holder: [u8; 16],
    times: LeaseTimes,
    phase: LeasePhase,
    /// The row as it was seen last, and since when it has not changed.
    seen: Option<(HeadRow, Duration)>,
    /// The next statement is not sent before this time.
    next_at: Duration,
    /// The epoch and the number of renewals of the row as it was read last.
    read: (u64, u64),
    /// The highest epoch that this node knows.
    highest_epoch: u64,
    /// The lease is not taken before this time.
    not_before: Duration,
}

impl LeaseMachine {
    /// A node that knows nothing yet. `holder` is its name, which no other process has.
    pub(crate) fn new(holder: [u8; 16], times: LeaseTimes) -> Self {
        Self {
            holder,
            times,
            phase: LeasePhase::Unclear,
            seen: None,
            next_at: Duration::ZERO,
            read: (0, 0),
            highest_epoch: 0,
            not_before: Duration::ZERO,
        }
    }

    pub(crate) fn phase(&self) -> LeasePhase {
        self.phase
    }

    /// What to do at this time.
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
        match &self.seen {
            Some((row, since)) if self.may_take(row, *since, now) => {
                let (epoch, renewals) = (row.epoch, row.renewals);
                // A database that was put back has a lower epoch. No epoch is used twice.
                let next = epoch.max(self.highest_epoch) + 1;
                NextLeaseStep::Ask(LeaseOrder::Take { epoch, renewals, next })
            }
            _ => NextLeaseStep::Ask(LeaseOrder::Look),
        }
    }

    /// Whether nobody trusts a lease by this row any more.
    fn may_take(&self, row: &HeadRow, since: Duration, now: Duration) -> bool {
        now >= self.not_before
            && match row.holder {
                None => true,
                Some(holder) => holder == self.holder || now >= since + self.times.length,
            }
    }

    /// What came of a statement that was sent at `began` and answered at `now`.
    pub(crate) fn answered(
        &mut self,
        order: LeaseOrder,
        began: Duration,
        now: Duration,
        answer: LeaseAnswer,
    ) {
        if self.phase == LeasePhase::Resigned {
            return;
        }
        // A statement of a lease that has ended meanwhile says nothing.
        if let LeasePhase::Active { until, .. } = self.phase
            && now >= until
        {
            return self.lost(now);
        }
        match (order, answer) {
            (_, LeaseAnswer::Row(row)) => self.saw(row, now),
            (LeaseOrder::Take { next, .. }, LeaseAnswer::Done) => self.hold(next, began, now),
            (LeaseOrder::Renew { epoch }, LeaseAnswer::Done) if self.is_active_in(epoch) => {
                self.hold(epoch, began, now);
            }
            (LeaseOrder::Resign { .. }, _) => self.phase = LeasePhase::Resigned,
            // Trust holds to its end: the next try may succeed.
            (LeaseOrder::Renew { epoch }, LeaseAnswer::Failed) if self.is_active_in(epoch) => {
                self.next_at = now + self.times.look;
            }
            (LeaseOrder::Renew { .. }, _) => self.lost(now),
            (LeaseOrder::Take { .. }, LeaseAnswer::Refused) => {
                // Somebody else was faster. What is known of the row is out of date.
                self.seen = None;
                self.next_at = now;
            }
            (_, LeaseAnswer::Failed | LeaseAnswer::Done | LeaseAnswer::Refused) => {
                self.phase = LeasePhase::Unclear;
                // Whether a lease was taken is read from the row.
                if !matches!(order, LeaseOrder::Look) {
                    self.seen = None;
                }
                self.next_at = now + self.times.look;
            }
        }
    }

    fn is_active_in(&self, epoch: u64) -> bool {
        matches!(self.phase, LeasePhase::Active { epoch: held, .. } if held == epoch)
    }

    fn saw(&mut self, row: HeadRow, now: Duration) {
        let (epoch, renewals) = std::mem::replace(&mut self.read, (row.epoch, row.renewals));
        if row.epoch < epoch || row.renewals < renewals {
            // The database was put back: what it says of the holder is out of date, and another node may
            // still trust a lease that is not there any more.
            self.not_before = now + self.times.length;
        }
        self.highest_epoch = self.highest_epoch.max(row.epoch);
        let is_same = |seen: &HeadRow| {
            (seen.epoch, seen.renewals, seen.holder) == (row.epoch, row.renewals, row.holder)
        };
        let since = match &self.seen {
            Some((seen, since)) if is_same(seen) => *since,
            _ => now,
        };
        self.phase = LeasePhase::Standby;
        self.next_at = match self.may_take(&row, since, now) {
            true => now,
            false => {
                let free_at = (since + self.times.length).max(self.not_before);
                free_at.min(now + self.times.look)
            }
        };
        self.seen = Some((row, since));
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

    /// The lease is lost, or something is unclear. The only way back is to read the row and to take the
    /// lease anew, with a higher epoch.
    pub(crate) fn lost(&mut self, now: Duration) {
        if self.phase != LeasePhase::Resigned {
            self.phase = LeasePhase::Unclear;
            self.seen = None;
            self.next_at = now;
        }
    }

    /// Waits before the next statement: the data could not be read.
    pub(crate) fn pause(&mut self, now: Duration, pause: Duration) {
        self.lost(now);
        self.next_at = now + pause;
    }

    /// Gives up: the statement that lets another node take over at once, if this one is active.
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
