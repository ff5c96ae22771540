//! The thread of the deliverer: which worlds it watches, the attempts in flight, and who waits for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::sender::Sender;
use crate::service::AttemptResult;
use crate::shell::clock;
use crate::shell::sandbox::{Realm, Sandboxes};

/// Real time after which the attempts of a settling are no longer recorded if nobody waits for it.
const BEGUN_MAX: Duration = Duration::from_secs(60);
/// The longest wait. The system's clock may be set, so a longer wait could be wrong.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// The shortest wait between two looks at the same world.
const PAUSE_MIN: Duration = Duration::from_millis(5);

/// The result of settling.
#[derive(Debug, Default)]
pub(crate) struct SettleOutcome {
    /// The attempts that ended meanwhile, in this order.
    pub(crate) attempts: Vec<(u64, AttemptResult)>,
    /// The deliveries whose attempts have not ended, because their receivers are slow.
    pub(crate) in_flight: Vec<u64>,
}

/// What the thread is told.
pub(super) enum DelivererOrder {
    Add(Arc<Realm>, Arc<AtomicBool>),
    Remove(u64),
    Look(u64),
    Abort { key: u64, wanted_too: bool, done: oneshot::Sender<()> },
    Begin { key: u64, begun: u64, done: oneshot::Sender<()> },
    Settle { key: u64, begun: u64, patience: Duration, done: oneshot::Sender<SettleOutcome> },
    Done { key: u64, delivery: u64, result: Option<AttemptResult>, lasted: Duration },
    Stop,
}

/// The state of the thread.
pub(super) struct Outbox {
    orders: mpsc::UnboundedSender<DelivererOrder>,
    sender: Arc<Sender>,
    sandboxes: Arc<Sandboxes>,
    watched: BTreeMap<u64, WorldWatch>,
    /// The times of the next looks, with the worlds.
    due: BTreeSet<(Timestamp, u64)>,
}

struct WorldWatch {
    realm: Arc<Realm>,
    /// Whether an order to look is in the queue.
    is_called: Arc<AtomicBool>,
    due: Option<Timestamp>,
    in_flight: BTreeMap<u64, AbortHandle>,
    settling: Vec<Settling>,
}

struct Settling {
    begun: u64,
    /// The time without an attempt that ended after which the caller is answered.
    patience: Duration,
    until: Instant,
    settled: SettleOutcome,
    /// The waiting caller, if there is one yet.
    done: Option<oneshot::Sender<SettleOutcome>>,
}

impl Outbox {
    pub(super) fn new(
        orders: mpsc::UnboundedSender<DelivererOrder>,
        sender: Sender,
        sandboxes: Arc<Sandboxes>,
    ) -> Self {
        let (watched, due) = (BTreeMap::new(), BTreeSet::new());
        Self { orders, sender: Arc::new(sender), sandboxes, watched, due }
    }

    /// Does what it is told, and what is due, until it is told to stop.
    pub(super) async fn run(mut self, mut received: mpsc::UnboundedReceiver<DelivererOrder>) {
        loop {
            let pause = self.pause();
            let order = tokio::select! {
                order = received.recv() => order,
                () = tokio::time::sleep(pause) => {
                    self.end_leases();
                    self.look_at_due();
                    continue;
                }
            };
            match order {
                Some(DelivererOrder::Add(realm, is_called)) => self.add(realm, is_called),
                Some(DelivererOrder::Remove(key)) => self.remove(key),
                Some(DelivererOrder::Look(key)) => self.look(key),
                Some(DelivererOrder::Abort { key, wanted_too, done }) => {
                    self.abort(key, wanted_too);
                    // The aborted tasks end before this one is polled again.
                    tokio::task::yield_now().await;
                    let _ = done.send(());
                }
                Some(DelivererOrder::Begin { key, begun, done }) => {
                    self.begin(key, begun);
                    let _ = done.send(());
                }
                Some(DelivererOrder::Settle { key, begun, patience, done }) => {
                    self.settle(key, begun, patience, done)
                }
                Some(DelivererOrder::Done { key, delivery, result, lasted }) => {
                    self.done(key, delivery, result, lasted)
                }
                Some(DelivererOrder::Stop) | None => return,
            }
        }
    }

    /// Time until something has to be done without an order.
    fn pause(&self) -> Duration {
        let by_clock = self.due.first().map(|(at, _)| {
            let pause = at.duration_since(clock::now());
            Duration::try_from(pause).unwrap_or(Duration::ZERO).clamp(PAUSE_MIN, WAIT_MAX)
        });
        let now = clock::instant();
        let settling = self.watched.values().flat_map(|watched| &watched.settling);
        let by_settling = settling.map(|one| one.until.saturating_duration_since(now)).min();
        let by_lease = self
            .sandboxes
            .first_end()
            .map(|end| end.saturating_duration_since(now).clamp(PAUSE_MIN, WAIT_MAX));
        [by_clock, by_settling, by_lease].into_iter().flatten().min().unwrap_or(WAIT_MAX)
    }

    fn add(&mut self, realm: Arc<Realm>, is_called: Arc<AtomicBool>) {
        let key = realm.key;
        let (in_flight, settling) = (BTreeMap::new(), Vec::new());
        self.watched.insert(key, WorldWatch { realm, is_called, due: None, in_flight, settling });
        self.look(key);
    }

    fn remove(&mut self, key: u64) {
        if let Some(watched) = self.watched.remove(&key) {
            if let Some(due) = watched.due {
                self.due.remove(&(due, key));
            }
            watched.in_flight.values().for_each(AbortHandle::abort);
        }
    }

    /// Deletes the sandboxes whose lease has ended.
    fn end_leases(&mut self) {
        for realm in self.sandboxes.take_abandoned() {
            self.remove(realm.key);
        }
    }

    fn look_at_due(&mut self) {
        let now = clock::now();
        let due: Vec<u64> =
            self.due.iter().take_while(|(at, _)| *at <= now).map(|(_, key)| *key).collect();
        for key in due {
            self.look(key);
        }
        let late = clock::instant();
        for watched in self.watched.values_mut() {
            watched.end_overdue(late);
        }
    }

    /// Starts the attempts that are due in a world, and sets the time of the next look.
    fn look(&mut self, key: u64) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        watched.is_called.store(false, Ordering::Release);
        let now = clock::now();
        for attempt in watched.realm.service.due_attempts(now) {
            let delivery = attempt.delivery;
            let (sender, orders) = (self.sender.clone(), self.orders.clone());
            let realm = watched.realm.clone();
            let task = tokio::spawn(async move {
                // It may wait for its turn: the time counts from its start.
                let began = Mutex::new(clock::instant());
                let may_start = || {
                    *began.lock() = clock::instant();
                    realm.service.may_start(delivery)
                };
                let result = if realm.is_own_receiver(&attempt.url) {
                    may_start().then(|| AttemptResult::Status(realm.receive(attempt).as_u16()))
                } else {
                    sender.send(attempt, may_start).await
                };
                let lasted = began.lock().elapsed();
                let _ = orders.send(DelivererOrder::Done { key, delivery, result, lasted });
            });
            watched.in_flight.insert(delivery, task.abort_handle());
        }
        if let Some(due) = watched.due.take() {
            self.due.remove(&(due, key));
        }
        if let Some(due) = watched.realm.service.next_due(now) {
            watched.due = Some(due);
            self.due.insert((due, key));
        }
        watched.end_settling();
    }

    fn done(&mut self, key: u64, delivery: u64, result: Option<AttemptResult>, lasted: Duration) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        // The attempt ended, and was aborted afterwards. Its delivery may belong to another attempt
        // now.
        if watched.in_flight.remove(&delivery).is_none() {
            return;
        }
        let service = &watched.realm.service;
        match result {
            Some(result) => {
                service.attempt_done(clock::now(), delivery, result.clone(), Some(lasted));
                for settling in &mut watched.settling {
                    settling.until = settling.until.max(clock::instant() + settling.patience);
                    settling.settled.attempts.push((delivery, result.clone()));
                }
            }
            None => service.attempt_put_back(delivery),
        }
        self.look(key);
    }

    fn begin(&mut self, key: u64, begun: u64) {
        if let Some(watched) = self.watched.get_mut(&key) {
            let until = clock::instant() + BEGUN_MAX;
            let settled = SettleOutcome::default();
            let patience = Duration::ZERO;
            watched.settling.push(Settling { begun, patience, until, settled, done: None });
        }
    }

    fn settle(
        &mut self,
        key: u64,
        begun: u64,
        patience: Duration,
        done: oneshot::Sender<SettleOutcome>,
    ) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        let until = clock::instant() + patience;
        let before = watched.settling.extract_if(.., |one| one.begun == begun).next();
        let settled = before.map(|one| one.settled).unwrap_or_default();
        watched.settling.push(Settling { begun, patience, until, settled, done: Some(done) });
        self.look(key);
    }

    fn abort(&mut self, key: u64, wanted_too: bool) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        let service = &watched.realm.service;
        watched.in_flight.retain(|delivery, task| {
            let is_kept = !wanted_too && service.is_wanted(*delivery);
            if !is_kept {
                task.abort();
            }
            is_kept
        });
        watched.end_settling();
    }
}

impl WorldWatch {
    /// Answers the waiting callers if no attempt is in flight.
    fn end_settling(&mut self) {
        if self.in_flight.is_empty() {
            for settling in self.settling.extract_if(.., |one| one.done.is_some()) {
                settling.end();
            }
        }
    }

    /// Answers the callers that have waited for their whole time.
    fn end_overdue(&mut self, now: Instant) {
        for mut settling in self.settling.extract_if(.., |one| one.until <= now) {
            settling.settled.in_flight = self.in_flight.keys().copied().collect();
            settling.end();
        }
    }
}

impl Settling {
    fn end(self) {
        if let Some(done) = self.done {
            let _ = done.send(self.settled);
        }
    }
}
