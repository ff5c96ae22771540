//! The loop of a node: runs the statements of the lease, and opens and closes the site.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc;

use super::view::NodeState;
use super::{ActiveSite, NodeOrder, NodeShared};
use crate::shell::clock;
use crate::shell::postgres::{
    DatabaseConnection, HeadRow, LeaseMachine, LeaseOrder, LeaseOutcome, LeasePhase, NextLeaseStep,
    PostgresError, ask, connect,
};
use crate::shell::site::{Site, SiteError};
use crate::shell::store::PostgresStore;

/// Time before the next try if the data could not be read.
const UNREADABLE_PAUSE: Duration = Duration::from_secs(2);
/// The longest wait.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Runs until the node resigns.
pub(super) async fn run(
    shared: Arc<NodeShared>,
    orders: mpsc::Sender<NodeOrder>,
    mut received: mpsc::Receiver<NodeOrder>,
) {
    let mut machine = LeaseMachine::new(shared.holder, shared.address.lease);
    let mut connection = None;
    loop {
        let now = clock::since_boot();
        let step = machine.next(now);
        shared.follow(machine.phase(), &orders);
        match step {
            NextLeaseStep::Ask(order) => {
                let outcome = shared.ask(&mut connection, order).await;
                machine.finished(order, now, clock::since_boot(), outcome);
                shared.follow(machine.phase(), &orders);
            }
            NextLeaseStep::WaitUntil(until) => tokio::select! {
                () = tokio::time::sleep(until.saturating_sub(now).min(WAIT_MAX)) => {}
                () = shared.trust.ended.notified() => {
                    if let LeasePhase::Active { epoch, .. } = machine.phase()
                        && !shared.trust.holds(epoch)
                    {
                        machine.lost(clock::since_boot());
                    }
                }
                order = received.recv() => match order {
                    Some(NodeOrder::Unreadable(epoch)) => {
                        let is_newer = |held| held > epoch;
                        if !matches!(machine.phase(), LeasePhase::Active { epoch, .. } if is_newer(epoch)) {
                            machine.pause(clock::since_boot(), UNREADABLE_PAUSE);
                        }
                    }
                    Some(NodeOrder::Resign(done)) => {
                        let resignation = machine.resign();
                        shared.follow(machine.phase(), &orders);
                        if let Some(order) = resignation {
                            shared.ask(&mut connection, order).await;
                        }
                        let _ = done.send(());
                        return;
                    }
                    None => return,
                },
            },
        }
    }
}

impl NodeShared {
    /// Runs a statement of the lease. After a failure the next call connects again.
    async fn ask(
        &self,
        connection: &mut Option<DatabaseConnection>,
        order: LeaseOrder,
    ) -> LeaseOutcome {
        match self.try_ask(connection, order).await {
            Ok(outcome) => {
                self.view.lock().trouble = None;
                if let LeaseOutcome::Row(row) = &outcome {
                    self.note_row(row.clone());
                }
                outcome
            }
            Err(error) => {
                *connection = None;
                let text = error.to_string();
                let before = self.view.lock().trouble.replace(text.clone());
                if before.as_ref() != Some(&text) {
                    (self.log)(&text);
                }
                LeaseOutcome::Failed
            }
        }
    }

    async fn try_ask(
        &self,
        connection: &mut Option<DatabaseConnection>,
        order: LeaseOrder,
    ) -> Result<LeaseOutcome, PostgresError> {
        let open = match connection.take().filter(|open| !open.is_closed()) {
            Some(open) => open,
            None => connect(&self.address, "lease", self.address.lease.patience()).await?,
        };
        let outcome = ask(&open, order, &self.holder, &self.name).await?;
        *connection = Some(open);
        Ok(outcome)
    }

    fn note_row(&self, row: HeadRow) {
        let lost = self.view.lock().note_row(row);
        if let Some((from, to)) = lost {
            (self.log)(&format!(
                "HISTORY LOST: the database was at commit {from} and is now at commit {to}. Answered \
                 writes are missing: it was restored, or failed over to a copy that lacked them"
            ));
        }
    }

    /// Opens or closes the site, according to the phase of the lease.
    fn follow(self: &Arc<Self>, phase: LeasePhase, orders: &mpsc::Sender<NodeOrder>) {
        match phase {
            LeasePhase::Active { epoch, until } => {
                self.trust.grant(epoch, until);
                if self.held_epoch.swap(epoch, Ordering::Relaxed) != epoch {
                    let mut view = self.view.lock();
                    view.row.epoch = epoch;
                    view.row.holder = Some(self.holder);
                    view.row.address.clone_from(&self.name);
                    view.state = NodeState::Unclear;
                    drop(view);
                    self.close();
                    (self.log)(&format!("takes over in epoch {epoch}"));
                    tokio::spawn(self.clone().open(epoch, orders.clone()));
                }
            }
            LeasePhase::Standby | LeasePhase::Unclear | LeasePhase::Resigned => {
                // Trust ends first, so that `open` discards a site that it is still reading.
                let held_epoch = self.held_epoch.swap(0, Ordering::Relaxed);
                if held_epoch != 0 {
                    self.trust.end(held_epoch);
                }
                let state = match phase {
                    LeasePhase::Unclear => NodeState::Unclear,
                    _ => NodeState::Standby,
                };
                let before = std::mem::replace(&mut self.view.lock().state, state);
                if before != state {
                    let text: &str = state.into();
                    (self.log)(&format!("is {text}"));
                }
                self.close();
            }
        }
    }

    /// Drops the site, if there is one.
    fn close(&self) {
        let Some(closed) = self.active.write().take() else { return };
        let head = closed.store.head();
        self.view.lock().note_commit(head.seq, &head.digest);
        closed.site.end_streams();
        // Dropping a site waits for the thread of its deliveries.
        std::thread::spawn(move || drop(closed));
    }

    /// Reads all data and opens the site.
    async fn open(self: Arc<Self>, epoch: u64, orders: mpsc::Sender<NodeOrder>) {
        let began = clock::instant();
        match self.clone().read(epoch).await {
            Ok(active) => {
                let mut slot = self.active.write();
                if !self.trust.holds(epoch) {
                    drop(slot);
                    std::thread::spawn(move || drop(active));
                    return;
                }
                *slot = Some(active);
                drop(slot);
                self.view.lock().state = NodeState::Active;
                let milliseconds = began.elapsed().as_millis();
                (self.log)(&format!("is active in epoch {epoch}, read in {milliseconds} ms"));
            }
            Err(error) => {
                (self.log)(&format!("cannot read the data: {error}"));
                self.view.lock().trouble = Some(error.to_string());
                let _ = orders.send(NodeOrder::Unreadable(epoch)).await;
            }
        }
    }

    async fn read(self: Arc<Self>, epoch: u64) -> Result<ActiveSite, SiteError> {
        let timeout = self.address.lease.patience();
        let connection = connect(&self.address, "read", timeout).await?;
        let row = match ask(&connection, LeaseOrder::Look, &self.holder, &self.name).await? {
            LeaseOutcome::Row(row) if (row.epoch, row.holder) == (epoch, Some(self.holder)) => row,
            _ => return Err(PostgresError::Statement("another node is active".to_owned()).into()),
        };
        // If another node took over meanwhile, the row is out of date.
        if self.trust.holds(epoch) {
            self.note_row(row.clone());
        }
        let store = PostgresStore::open(&self.address, self.trust.clone(), row).await?;
        let store = Arc::new(store);
        let opened = tokio::task::spawn_blocking(move || {
            let site = Site::with_store(self.options.clone(), store.clone())?;
            Ok(ActiveSite { epoch, site, store })
        });
        opened.await.map_err(|error| SiteError::Io(std::io::Error::other(error)))?
    }
}
