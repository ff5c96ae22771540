//! Limits the number of connections. If there are too many, one of them is closed.
//!
//! An idle connection is closed first, else one whose body is still being read. Of several, the one that has waited
//! longest is closed. A connection whose call is being answered is never closed.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::shell::clock;

/// The phase of a connection, in the order in which connections are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ConnectionPhase {
    /// It waits for the head of a call.
    Idle,
    /// It receives the body of a call.
    Reading,
    /// Its call is being answered.
    Answering,
}

/// All places.
#[derive(Debug)]
pub(super) struct Places {
    all_max: usize,
    of_address_max: usize,
    /// Each place that is taken, by its number.
    taken: Mutex<BTreeMap<u64, PlaceRow>>,
    /// The number of the next place.
    next: AtomicU64,
    /// Notified when a place is free, or may be taken.
    changed: Notify,
}

#[derive(Debug)]
struct PlaceRow {
    address: IpAddr,
    phase: ConnectionPhase,
    since: Instant,
    /// Ends the connection. `None` until its task has started.
    task: Option<AbortHandle>,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    number: u64,
    places: Arc<Places>,
}

impl Places {
    /// This many places, and this many of them for the connections of one address.
    pub(super) fn new(all_max: usize, of_address_max: usize) -> Self {
        let (taken, next, changed) = (Mutex::default(), AtomicU64::new(0), Notify::new());
        Self { all_max, of_address_max, taken, next, changed }
    }

    /// A place for a connection from this address. Closes another connection if necessary, and waits if none may be
    /// closed. `None` if the calls on all places of the address are being answered.
    pub(super) async fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPlace> {
        loop {
            let changed = self.changed.notified();
            {
                let mut taken = self.taken.lock();
                let count = taken.values().filter(|row| row.address == address).count();
                let is_beyond_share = count >= self.of_address_max;
                if is_beyond_share && !end_one(&mut taken, |row| row.address == address) {
                    return None;
                }
                if taken.len() < self.all_max || end_one(&mut taken, |_| true) {
                    let number = self.next.fetch_add(1, Ordering::Relaxed);
                    let (phase, since) = (ConnectionPhase::Idle, clock::instant());
                    taken.insert(number, PlaceRow { address, phase, since, task: None });
                    return Some(ConnectionPlace { number, places: self.clone() });
                }
            }
            changed.await;
        }
    }

    /// Sets the task that serves the connection with this place.
    pub(super) fn set_task(&self, number: u64, task: AbortHandle) {
        if let Some(row) = self.taken.lock().get_mut(&number) {
            row.task = Some(task);
        }
    }
}

/// Ends one of these connections, if one may be ended.
fn end_one(taken: &mut BTreeMap<u64, PlaceRow>, is_one: impl Fn(&PlaceRow) -> bool) -> bool {
    let rows = taken.iter().filter(|(_, row)| {
        row.phase != ConnectionPhase::Answering && row.task.is_some() && is_one(row)
    });
    let longest = rows.min_by_key(|(_, row)| (row.phase, row.since)).map(|(number, _)| *number);
    let Some(row) = longest.and_then(|number| taken.remove(&number)) else { return false };
    if let Some(task) = row.task {
        task.abort();
    }
    true
}

impl ConnectionPlace {
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// Sets the phase of the connection, and returns the earlier one. `None` if the connection lost its place.
    pub(super) fn enter(&self, phase: ConnectionPhase) -> Option<ConnectionPhase> {
        let before = self.places.taken.lock().get_mut(&self.number).map(|row| {
            row.since = clock::instant();
            std::mem::replace(&mut row.phase, phase)
        });
        if phase != ConnectionPhase::Answering {
            self.places.changed.notify_one();
        }
        before
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let _ = self.places.taken.lock().remove(&self.number);
        self.places.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;

    use futures_util::FutureExt;

    use super::{ConnectionPhase, ConnectionPlace, Places};

    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    /// A place with a task, if there is one at once.
    fn taken(places: &Arc<Places>, address: IpAddr) -> Option<Option<ConnectionPlace>> {
        let place = places.take(address).now_or_never()?;
        if let Some(place) = &place {
            let task = tokio::spawn(std::future::pending::<()>()).abort_handle();
            places.set_task(place.number(), task);
        }
        Some(place)
    }

    #[track_caller]
    fn place(places: &Arc<Places>, address: IpAddr, phase: ConnectionPhase) -> ConnectionPlace {
        let place = taken(places, address).flatten().expect("there is a place");
        place.enter(phase);
        place
    }

    fn numbers(places: &Arc<Places>) -> Vec<u64> {
        places.taken.lock().keys().copied().collect()
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_go_first_then_slow_bodies_and_the_longest_waiting_of_each() {
        let places = Arc::new(Places::new(4, 4));
        let phases = [
            ConnectionPhase::Answering,
            ConnectionPhase::Reading,
            ConnectionPhase::Idle,
            ConnectionPhase::Idle,
        ];
        let mut held: Vec<ConnectionPlace> = Vec::new();
        for phase in phases {
            held.push(place(&places, ONE, phase));
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
        }
        for left in [[0, 1, 3, 4], [0, 1, 4, 5], [0, 4, 5, 6]] {
            held.push(place(&places, OTHER, ConnectionPhase::Answering));
            assert_eq!(numbers(&places), left);
        }
        assert!(taken(&places, ONE).is_none(), "it waits while every call is being answered");
        held.clear();
        assert_eq!(numbers(&places), [0; 0]);
    }

    #[tokio::test]
    async fn an_address_has_a_share_of_the_places() {
        let places = Arc::new(Places::new(4, 2));
        let _held = [(); 2].map(|()| place(&places, ONE, ConnectionPhase::Answering));
        assert!(matches!(taken(&places, ONE), Some(None)), "it is refused");
        let _other = place(&places, OTHER, ConnectionPhase::Idle);
        assert_eq!(numbers(&places), [0, 1, 2]);
    }
}
