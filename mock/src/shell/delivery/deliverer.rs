//! Makes delivery attempts over HTTP, on a thread of its own.
//!
//! The core decides the time, the content and the consequences of an attempt. This folder only waits and
//! sends. It also deletes sandboxes whose lease ends. The thread makes deliveries independent of the
//! runtime that serves the calls.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::outbox::{AttemptEnd, Outbox, OutboxOrder};
use super::sender::Sender;
use crate::service::{AttemptResult, Service};
use crate::shell::network::{AllowedAddresses, Network};
use crate::shell::sandbox::{Realm, Sandboxes};

/// The handle to the thread. Dropping it ends the thread.
pub(crate) struct Deliverer {
    orders: mpsc::UnboundedSender<OutboxOrder>,
    thread: Option<JoinHandle<()>>,
}

/// The result of settling.
#[derive(Debug)]
pub(crate) struct SettleOutcome {
    /// The attempts that ended since the recording began, in order, each with its delivery.
    pub(crate) attempts: Vec<(u64, AttemptResult)>,
    /// The deliveries whose attempts have not ended, because their receivers are slow.
    pub(crate) in_flight: Vec<u64>,
}

impl Deliverer {
    /// Starts the thread. It sends through `network`, limited to `reach`, and deletes those of the
    /// `sandboxes` whose lease ends.
    pub(crate) fn start(
        network: Network,
        reach: AllowedAddresses,
        sandboxes: Arc<Sandboxes>,
    ) -> io::Result<Self> {
        let (orders, received) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outbox = Outbox::new(orders.clone(), Sender::new(network, reach), sandboxes);
        let thread =
            std::thread::Builder::new().name("moot-deliveries".to_owned()).spawn(move || {
                runtime.block_on(outbox.run(received));
                // Does not wait for a DNS lookup that is still running.
                runtime.shutdown_background();
            })?;
        Ok(Self { orders, thread: Some(thread) })
    }

    /// Watches a world from now on.
    pub(crate) fn add(&self, realm: &Arc<Realm>) {
        let (orders, key) = (self.orders.clone(), realm.key);
        let is_woken = Arc::new(AtomicBool::new(false));
        let waking = is_woken.clone();
        realm.service.set_waker(move || {
            // One pending order is enough.
            if !waking.swap(true, Ordering::AcqRel) {
                let _ = orders.send(Box::new(move |outbox| outbox.start_due(key)));
            }
        });
        let realm = realm.clone();
        self.order(move |outbox| outbox.add(realm, is_woken));
    }

    /// Stops watching a world, and aborts its attempts.
    pub(crate) fn remove(&self, realm: &Realm) {
        let key = realm.key;
        self.order(move |outbox| outbox.remove(key));
    }

    /// Aborts the attempts of deleted webhooks. None of them begins afterwards.
    pub(crate) async fn abort_unwanted(&self, realm: &Realm) {
        self.abort_unless(realm, Service::is_wanted).await;
    }

    /// Aborts all attempts of a world.
    pub(crate) async fn abort_all(&self, realm: &Realm) {
        self.abort_unless(realm, |_, _| false).await;
    }

    async fn abort_unless(&self, realm: &Realm, goes_on: fn(&Service, u64) -> bool) {
        let key = realm.key;
        self.order(move |outbox| outbox.abort_unless(key, goes_on));
        // The aborted tasks end before this order.
        self.ask(|_| ()).await;
    }

    /// Starts to record the attempts that end.
    pub(crate) async fn record(&self, realm: &Realm) -> mpsc::UnboundedReceiver<AttemptEnd> {
        let (recorder, ends) = mpsc::unbounded_channel();
        let key = realm.key;
        self.ask(move |outbox| outbox.record(key, recorder)).await;
        ends
    }

    /// Starts the due attempts. Waits until no attempt is in flight, or until no attempt has ended for the real
    /// time `patience`.
    pub(crate) async fn settle(
        &self,
        realm: &Realm,
        mut ends: mpsc::UnboundedReceiver<AttemptEnd>,
        patience: Duration,
    ) -> SettleOutcome {
        let key = realm.key;
        self.order(move |outbox| outbox.start_due(key));
        let (mut attempts, mut is_over) = (Vec::new(), false);
        let in_flight = loop {
            let in_flight = self.ask(move |outbox| outbox.in_flight(key)).await.unwrap_or_default();
            if in_flight.is_empty() || is_over {
                break in_flight;
            }
            match tokio::time::timeout(patience, ends.recv()).await {
                Ok(Some(end)) => attempts.extend(end),
                Ok(None) | Err(_) => is_over = true,
            }
        };
        while let Ok(end) = ends.try_recv() {
            attempts.extend(end);
        }
        SettleOutcome { attempts, in_flight }
    }

    /// Gives an order, and waits for its result. `None` if the thread has ended.
    async fn ask<T: Send + 'static>(
        &self,
        order: impl FnOnce(&mut Outbox) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, waiting) = oneshot::channel();
        self.order(move |outbox| {
            let _ = done.send(order(outbox));
        });
        waiting.await.ok()
    }

    fn order(&self, order: impl FnOnce(&mut Outbox) + Send + 'static) {
        // The thread runs until it is stopped, so it receives every earlier order.
        let _ = self.orders.send(Box::new(order));
    }
}

impl Drop for Deliverer {
    fn drop(&mut self) {
        self.order(Outbox::stop);
        // The thread holds worlds. Their temporary files must be removed before the process ends.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
