//! Makes delivery attempts over HTTP, on a thread of its own.
//!
//! The core decides when an attempt is due, what it sends, and what follows from its outcome. This file
//! only waits and sends. It also ends the leases of sandboxes. With a thread of its own, deliveries do
//! not depend on the runtime that serves the calls.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::outbox::{DelivererOrder, Outbox, SettleOutcome};
use super::sender::Sender;
use crate::shell::network::{Network, Reach};
use crate::shell::sandbox::{Realm, Sandboxes};

/// The handle to the thread. Dropping it ends the thread.
pub(crate) struct Deliverer {
    orders: mpsc::UnboundedSender<DelivererOrder>,
    thread: Option<JoinHandle<()>>,
    /// The number of settlings so far.
    begun: AtomicU64,
}

impl Deliverer {
    /// Starts the thread. It sends through `network`, limited to `reach`, and deletes those of the
    /// `sandboxes` whose lease ends.
    pub(crate) fn start(
        network: Network,
        reach: Reach,
        sandboxes: Arc<Sandboxes>,
    ) -> io::Result<Self> {
        let (orders, received) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let outbox = Outbox::new(orders.clone(), Sender::new(network, reach), sandboxes);
        let thread =
            std::thread::Builder::new().name("moot-deliveries".to_owned()).spawn(move || {
                runtime.block_on(outbox.run(received));
                // Does not wait for a DNS lookup.
                runtime.shutdown_background();
            })?;
        Ok(Self { orders, thread: Some(thread), begun: AtomicU64::new(0) })
    }

    /// Watches a world from now on.
    pub(crate) fn add(&self, realm: &Arc<Realm>) {
        let (orders, key) = (self.orders.clone(), realm.key);
        let is_called = Arc::new(AtomicBool::new(false));
        let caller = is_called.clone();
        realm.service.set_waker(Box::new(move || {
            // One pending order is enough.
            if !caller.swap(true, Ordering::AcqRel) {
                let _ = orders.send(DelivererOrder::Look(key));
            }
        }));
        self.order(DelivererOrder::Add(realm.clone(), is_called));
    }

    /// Stops watching a world, and aborts its attempts.
    pub(crate) fn remove(&self, realm: &Realm) {
        self.order(DelivererOrder::Remove(realm.key));
    }

    /// Aborts the attempts of deleted webhooks. None of them begins afterwards.
    pub(crate) async fn abort_unwanted(&self, realm: &Realm) {
        self.abort(realm, false).await;
    }

    /// Aborts all attempts of a world.
    pub(crate) async fn abort_all(&self, realm: &Realm) {
        self.abort(realm, true).await;
    }

    async fn abort(&self, realm: &Realm, wanted_too: bool) {
        let (done, aborted) = oneshot::channel();
        self.order(DelivererOrder::Abort { key: realm.key, wanted_too, done });
        let _ = aborted.await;
    }

    /// Starts to record attempts that end, and gives the number of this settling. A later [`Self::settle`] returns
    /// all of them, even those that end before it is called.
    pub(crate) async fn begin(&self, realm: &Realm) -> u64 {
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        let (done, noted) = oneshot::channel();
        self.order(DelivererOrder::Begin { key: realm.key, begun, done });
        let _ = noted.await;
        begun
    }

    /// Starts what is due. Waits until no attempt is in flight, or until none has ended for as long as
    /// `patience`, in real time.
    pub(crate) async fn settle(
        &self,
        realm: &Realm,
        begun: u64,
        patience: Duration,
    ) -> SettleOutcome {
        let (done, settled) = oneshot::channel();
        self.order(DelivererOrder::Settle { key: realm.key, begun, patience, done });
        settled.await.unwrap_or_default()
    }

    fn order(&self, order: DelivererOrder) {
        // The thread only ends by `Stop`, so it receives every order before.
        let _ = self.orders.send(order);
    }
}

impl Drop for Deliverer {
    fn drop(&mut self) {
        self.order(DelivererOrder::Stop);
        // The thread holds worlds with temporary files, which must be removed before the process ends.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
