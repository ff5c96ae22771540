//! Makes delivery attempts over HTTP, on a thread of its own.
//!
//! The core decides the time, the content and the consequences of an attempt. This folder only waits and
//! sends. It also deletes sandboxes whose lease ends. The thread makes deliveries independent of the
//! runtime that serves the calls.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::outbox::{Outbox, OutboxOrder, SettleOutcome};
use super::sender::Sender;
use crate::shell::network::{AllowedAddresses, Network};
use crate::shell::sandbox::{Realm, Sandboxes};

/// The handle to the thread. Dropping it ends the thread.
pub(crate) struct Deliverer {
    orders: mpsc::UnboundedSender<OutboxOrder>,
    thread: Option<JoinHandle<()>>,
    /// The number of the next settling.
    next_settling: AtomicU64,
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
        Ok(Self { orders, thread: Some(thread), next_settling: AtomicU64::new(0) })
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
        self.abort(realm, false).await;
    }

    /// Aborts all attempts of a world.
    pub(crate) async fn abort_all(&self, realm: &Realm) {
        self.abort(realm, true).await;
    }

    async fn abort(&self, realm: &Realm, is_all: bool) {
        let key = realm.key;
        self.order(move |outbox| outbox.abort(key, is_all));
        // The aborted tasks end before this order.
        self.order_done(|_| {}).await;
    }

    /// Starts to record the attempts that end, and returns the number of this settling. A later
    /// [`Self::settle`] returns all of them, including those that ended before that call.
    pub(crate) async fn begin(&self, realm: &Realm) -> u64 {
        let settling = self.next_settling.fetch_add(1, Ordering::Relaxed);
        let key = realm.key;
        self.order_done(move |outbox| outbox.begin(key, settling)).await;
        settling
    }

    /// Starts the due attempts. Waits until no attempt is in flight, or until no attempt has ended for the real
    /// time `patience`.
    pub(crate) async fn settle(
        &self,
        realm: &Realm,
        settling: u64,
        patience: Duration,
    ) -> SettleOutcome {
        let (key, (done, settled)) = (realm.key, oneshot::channel());
        self.order(move |outbox| outbox.settle(key, settling, patience, done));
        settled.await.unwrap_or_default()
    }

    /// Gives an order, and waits until it is done.
    async fn order_done(&self, order: impl FnOnce(&mut Outbox) + Send + 'static) {
        let (done, waiting) = oneshot::channel();
        self.order(move |outbox| {
            order(outbox);
            let _ = done.send(());
        });
        let _ = waiting.await;
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
