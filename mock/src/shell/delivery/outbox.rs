//! The state of the deliverer's thread: its worlds, the attempts in flight, and the callers that record their ends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::sender::Sender;
use crate::service::{AttemptResult, Service};
use crate::shell::clock;
use crate::shell::sandbox::{Realm, Sandboxes};

/// The longest wait. The system's clock may be set meanwhile, so a longer wait could end too late.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// The shortest wait.
const WAIT_MIN: Duration = Duration::from_millis(5);

/// The end of an attempt, with its delivery. `None`: an attempt was aborted or put back.
pub(crate) type AttemptEnd = Option<(u64, AttemptResult)>;

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
    /// The callers that record the ends of attempts.
    recorders: Vec<mpsc::UnboundedSender<AttemptEnd>>,
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
        let by_lease = self
            .sandboxes
            .first_end()
            .map(|end| end.saturating_duration_since(now).clamp(WAIT_MIN, WAIT_MAX));
        [by_clock, by_lease].into_iter().flatten().min().unwrap_or(WAIT_MAX)
    }

    /// Watches a world from now on.
    pub(super) fn add(&mut self, realm: Arc<Realm>, is_woken: Arc<AtomicBool>) {
        let key = realm.key;
        let (in_flight, recorders) = (BTreeMap::new(), Vec::new());
        self.watched.insert(key, WorldWatch { realm, is_woken, due: None, in_flight, recorders });
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
        match &result {
            Some(result) => {
                service.attempt_done(clock::now(), delivery, result.clone(), Some(lasted));
            }
            None => service.attempt_put_back(delivery),
        }
        watched.tell(result.map(|result| (delivery, result)));
        self.start_due(key);
    }

    /// From now on the caller learns the ends of attempts.
    pub(super) fn record(&mut self, key: u64, recorder: mpsc::UnboundedSender<AttemptEnd>) {
        if let Some(watched) = self.watched.get_mut(&key) {
            watched.recorders.retain(|known| !known.is_closed());
            watched.recorders.push(recorder);
        }
    }

    /// The deliveries with an attempt in flight.
    pub(super) fn in_flight(&self, key: u64) -> Vec<u64> {
        let watched = self.watched.get(&key);
        watched.map(|watched| watched.in_flight.keys().copied().collect()).unwrap_or_default()
    }

    /// Aborts the attempts of a world, but not those of the deliveries that go on.
    pub(super) fn abort_unless(&mut self, key: u64, goes_on: fn(&Service, u64) -> bool) {
        let Some(watched) = self.watched.get_mut(&key) else { return };
        let service = &watched.realm.service;
        watched.in_flight.retain(|delivery, task| {
            let goes_on = goes_on(service, *delivery);
            if !goes_on {
                task.abort();
            }
            goes_on
        });
        watched.tell(None);
    }
}

impl WorldWatch {
    /// Tells the recorders that an attempt is no longer in flight.
    fn tell(&mut self, end: AttemptEnd) {
        self.recorders.retain(|recorder| recorder.send(end.clone()).is_ok());
    }
}
