//! The state of the deliverer's thread: its worlds, the attempts in flight, and the callers that wait for them.

use std::collections::BTreeMap;
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

/// Recording for a settling ends after this real time if [`Outbox::settle`] was not called.
const RECORDING_MAX: Duration = Duration::from_secs(60);
/// The longest wait. The system's clock may be set meanwhile, so a longer wait could end too late.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// The shortest wait.
const WAIT_MIN: Duration = Duration::from_millis(5);

/// The result of settling.
#[derive(Debug, Default)]
pub(crate) struct SettleOutcome {
    /// The attempts that ended since the settling began, in order, each with its delivery.
    pub(crate) attempts: Vec<(u64, AttemptResult)>,
    /// The deliveries whose attempts have not ended, because their receivers are slow.
    pub(crate) in_flight: Vec<u64>,
}

/// Work for the thread.
pub(super) type OutboxOrder = Box<dyn FnOnce(&mut Outbox) + Send>;

/// The state of the thread.
pub(super) struct Outbox {
    orders: mpsc::UnboundedSender<OutboxOrder>,
    sender: Arc<Sender>,
    sandboxes: Arc<Sandboxes>,
    /// By the number of the world.
    watched: BTreeMap<u64, WorldWatch>,
    is_stopped: bool,
}

struct WorldWatch {
    realm: Arc<Realm>,
    /// Whether an order to [`Outbox::start_due`] is in the queue.
    is_woken: Arc<AtomicBool>,
    /// When something falls due next.
    due: Option<Timestamp>,
    in_flight: BTreeMap<u64, AbortHandle>,
    settlings: Vec<SettleWait>,
}

/// Records the attempts that end, for a caller.
struct SettleWait {
    number: u64,
    /// The caller is answered if no attempt ends for this time.
    patience: Duration,
    until: Instant,
    outcome: SettleOutcome,
    /// The caller, once it waits.
    done: Option<oneshot::Sender<SettleOutcome>>,
}

impl Outbox {
    pub(super) fn new(
        orders: mpsc::UnboundedSender<OutboxOrder>,
        sender: Sender,
        sandboxes: Arc<Sandboxes>,
    ) -> Self {
        let sender = Arc::new(sender);
        Self { orders, sender, sandboxes, watched: BTreeMap::new(), is_stopped: false }
    }

    /// Handles orders, due attempts and ended leases until [`Self::stop`]. Aborted tasks end before the next order.
    pub(super) async fn run(mut self, mut orders: mpsc::UnboundedReceiver<OutboxOrder>) {
        while !self.is_stopped {
            let wait = self.wait();
            tokio::select! {
                Some(order) = orders.recv() => order(&mut self),
                () = tokio::time::sleep(wait) => {
                    self.end_leases();
                    self.start_all_due();
                }
            }
            tokio::task::yield_now().await;
        }
    }

    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Time until something falls due without an order.
    fn wait(&self) -> Duration {
        let due = self.watched.values().filter_map(|watched| watched.due).min();
        let by_clock = due.map(|at| {
            let wait = at.duration_since(clock::now());
            Duration::try_from(wait).unwrap_or(Duration::ZERO).clamp(WAIT_MIN, WAIT_MAX)
        });
        let now = clock::instant();
        let settlings = self.watched.values().flat_map(|watched| &watched.settlings);
        let by_settling = settlings.map(|one| one.until.saturating_duration_since(now)).min();
        let by_lease = self
            .sandboxes
            .first_end()
            .map(|end| end.saturating_duration_since(now).clamp(WAIT_MIN, WAIT_MAX));
        [by_clock, by_settling, by_lease].into_iter().flatten().min().unwrap_or(WAIT_MAX)
    }

    /// Watches a world from now on.
    pub(super) fn add(&mut self, realm: Arc<Realm>, is_woken: Arc<AtomicBool>) {
        let key = realm.key;
        let (in_flight, settlings) = (BTreeMap::new(), Vec::new());
        self.watched.insert(key, WorldWatch { realm, is_woken, due: None, in_flight, settlings });
        self.start_due(key);
    }

    /// Stops watching a world, and aborts its attempts.
    pub(super) fn remove(&mut self, key: u64) {
        if let Some(watched) = self.watched.remove(&key) {
            watched.in_flight.values().for_each(AbortHandle::abort);
        }
    }

    /// Deletes the sandboxes whose lease has ended.
    fn end_leases(&mut self) {
        for realm in self.sandboxes.take_expired() {
            self.remove(realm.key);
        }
    }

    fn start_all_due(&mut self) {
        let now = clock::now();
        let is_due = |watched: &WorldWatch| watched.due.is_some_and(|at| at <= now);
        let due = self.watched.iter().filter(|(_, watched)| is_due(watched));
        for key in due.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.start_due(key);
        }
        let now = clock::instant();
        for watched in self.watched.values_mut() {
            watched.end_overdue(now);
        }
    }

    /// Starts the attempts that are due in a world, and notes when the next one falls due.
    pub(super) fn start_due(&mut self, key: u64) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        watched.is_woken.store(false, Ordering::Release);
        let now = clock::now();
        for attempt in watched.realm.service.due_attempts(now) {
            let delivery = attempt.delivery;
            let (sender, orders) = (self.sender.clone(), self.orders.clone());
            let realm = watched.realm.clone();
            let task = tokio::spawn(async move {
                // The attempt may wait for its turn. Its duration counts from its start.
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
                let _ = orders.send(Box::new(move |outbox| {
                    outbox.attempt_ended(key, delivery, result, lasted);
                }));
            });
            watched.in_flight.insert(delivery, task.abort_handle());
        }
        watched.due = watched.realm.service.next_due(now);
        watched.end_settlings();
    }

    /// Takes the result of an attempt; `None` if it did not start.
    fn attempt_ended(
        &mut self,
        key: u64,
        delivery: u64,
        result: Option<AttemptResult>,
        lasted: Duration,
    ) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        // An attempt that was aborted right after its end. Its delivery may have another attempt by now.
        if watched.in_flight.remove(&delivery).is_none() {
            return;
        }
        let service = &watched.realm.service;
        match result {
            Some(result) => {
                service.attempt_done(clock::now(), delivery, result.clone(), Some(lasted));
                for settling in &mut watched.settlings {
                    settling.until = settling.until.max(clock::instant() + settling.patience);
                    settling.outcome.attempts.push((delivery, result.clone()));
                }
            }
            None => service.attempt_put_back(delivery),
        }
        self.start_due(key);
    }

    /// Starts to record the attempts that end.
    pub(super) fn begin(&mut self, key: u64, number: u64) {
        if let Some(watched) = self.watched.get_mut(&key) {
            watched.settlings.push(SettleWait {
                number,
                patience: Duration::ZERO,
                until: clock::instant() + RECORDING_MAX,
                outcome: SettleOutcome::default(),
                done: None,
            });
        }
    }

    /// Starts the due attempts, and answers the caller when they have ended.
    pub(super) fn settle(
        &mut self,
        key: u64,
        number: u64,
        patience: Duration,
        done: oneshot::Sender<SettleOutcome>,
    ) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        let until = clock::instant() + patience;
        let recording = watched.settlings.extract_if(.., |one| one.number == number).next();
        let outcome = recording.map(|one| one.outcome).unwrap_or_default();
        let settling = SettleWait { number, patience, until, outcome, done: Some(done) };
        watched.settlings.push(settling);
        self.start_due(key);
    }

    /// Aborts attempts: all, or those whose webhook was deleted.
    pub(super) fn abort(&mut self, key: u64, is_all: bool) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        let service = &watched.realm.service;
        watched.in_flight.retain(|delivery, task| {
            let goes_on = !is_all && service.is_wanted(*delivery);
            if !goes_on {
                task.abort();
            }
            goes_on
        });
        watched.end_settlings();
    }
}

impl WorldWatch {
    /// Answers the waiting callers if no attempt is in flight.
    fn end_settlings(&mut self) {
        if self.in_flight.is_empty() {
            for settling in self.settlings.extract_if(.., |one| one.done.is_some()) {
                settling.end();
            }
        }
    }

    /// Answers the callers whose time is over.
    fn end_overdue(&mut self, now: Instant) {
        for mut settling in self.settlings.extract_if(.., |one| one.until <= now) {
            settling.outcome.in_flight = self.in_flight.keys().copied().collect();
            settling.end();
        }
    }
}

impl SettleWait {
    fn end(self) {
        if let Some(done) = self.done {
            let _ = done.send(self.outcome);
        }
    }
}
