//! A world that many callers share.
//!
//! Calls that only read are answered in parallel, under a read lock. Calls that change the world take
//! turns: each is answered under a read lock and applied under the write lock.
//!
//! With a store, the [`Keeper`] gets every change before another call can see it. A response leaves after
//! the keeper has stored all changes that the response may show. Callers wait for that without a lock, so
//! that many changes share one write to disk.
//!
//! All methods are synchronous. Only the keeper does IO. No lock is held when a method returns.

mod attempts;
mod control;
mod keeper;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::{Operation, TokenNeed};
#[cfg(feature = "server")]
use parking_lot::RwLockReadGuard;
use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::value::message::call::{Admission, Call, Fetch, Head};
use crate::value::message::response::Response;
use crate::world::World;
use crate::world::journal::CallEffects;
use crate::world::state::change;
use crate::world::state::change::Change;
use crate::world::state::seed_data::SeedData;

pub use crate::world::deliver::DeliveryAttempt;
pub use crate::world::state::resource::delivery::AttemptResult;
pub use keeper::{KeepError, Keeper};

/// While the keeper fails, due events are tried again after this time.
const STUCK_RETRY: SignedDuration = SignedDuration::from_secs(1);

/// The number of the newest change if there is none.
const NO_CHANGE: u64 = 0;

/// A world that many callers share.
pub struct Service {
    world: RwLock<World>,
    /// The writer holds this lock during its turn. Lock it before `world`.
    turn: Mutex<()>,
    /// Called when the next event may be due earlier than before.
    waker: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    keeper: Option<Keeper>,
    /// The number of the newest change that the keeper got. It is written under the write lock of
    /// `world`.
    newest: AtomicU64,
    /// Whether the keeper failed the last time. Until it succeeds, the world does not change.
    is_stuck: AtomicBool,
}

/// A response before it leaves.
struct PendingResponse {
    response: Response,
    effects: CallEffects,
    /// The number of the newest change that it may show.
    newest: u64,
    /// Whether the next event is due earlier than before.
    wakes: bool,
}

impl PendingResponse {
    fn unchanged(response: Response, newest: u64) -> Self {
        Self { response, effects: CallEffects::default(), newest, wakes: false }
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl Service {
    /// Serves `world` without a store.
    pub fn new(world: World) -> Self {
        Self::with(world, None)
    }

    /// Serves `world`. The keeper stores every change before a response shows it.
    pub fn kept(world: World, keeper: Keeper) -> Self {
        Self::with(world, Some(keeper))
    }

    fn with(world: World, keeper: Option<Keeper>) -> Self {
        Self {
            world: RwLock::new(world),
            turn: Mutex::new(()),
            waker: Mutex::new(None),
            keeper,
            newest: AtomicU64::new(NO_CHANGE),
            is_stuck: AtomicBool::new(false),
        }
    }

    /// The seed rows at the start, for another world with the same seed.
    pub fn seed_data(&self) -> Arc<SeedData> {
        self.world.read().first_seed_data().clone()
    }

    /// The applications, users and workflows for calls. Shape: `{"applications": [{"client_id",
    /// "client_secret", "scopes": [], "company"}], "users": {company: [email]}, "workflows":
    /// [{"id", "company", "name", "type", "status"}]}`.
    pub fn describe(&self) -> Value {
        self.world.read().describe()
    }

    /// The world's time.
    pub fn now(&self, system_now: Timestamp) -> Timestamp {
        self.world.read().now(system_now)
    }

    /// The world for reading. Do not call a method of this service while you hold the guard.
    #[cfg(feature = "server")]
    pub(crate) fn world(&self) -> RwLockReadGuard<'_, World> {
        self.world.read()
    }

    /// Sets the function to call when [`Self::next_due`] may be earlier. It must not call this service.
    pub fn set_waker(&self, waker: impl Fn() + Send + Sync + 'static) {
        *self.waker.lock() = Some(Box::new(waker));
    }

    /// Admits or refuses a call before its body is read. The journal records a refusal.
    pub fn admit(&self, system_now: Timestamp, head: &Head<'_>) -> Admission {
        let world = self.world.read();
        let admission = world.admit(world.now(system_now), head);
        let newest = self.newest();
        drop(world);
        if matches!(admission, Admission::Refused(..)) {
            // A refusal may show a revocation that is not stored yet. If the revocation is lost, this
            // refusal was wrong, which is harmless.
            let _ = self.finish(newest);
        }
        admission
    }

    /// The document to fetch before [`Self::answer`] is called, see [`World::document_to_fetch`].
    pub fn document_to_fetch(&self, system_now: Timestamp, call: &Call<'_>) -> Option<Fetch> {
        let world = self.world.read();
        world.document_to_fetch(world.now(system_now), call)
    }

    /// The response to an admitted call. Its changes are applied and stored before it leaves.
    pub fn answer(&self, system_now: Timestamp, call: &Call<'_>) -> Response {
        let (now, fault, unchanged) = {
            let world = self.world.read();
            let (now, fault) = (world.now(system_now), world.apply_fault(call));
            if let Some(response) = world.replaced_by(now, call, fault.as_ref()) {
                return response;
            }
            (now, fault, self.answer_without_change(&world, now, call))
        };
        let pending = match unchanged {
            Some(pending) => Ok(pending),
            None => self.answer_in_turn(system_now, call),
        };
        let stored = pending.and_then(|pending| {
            self.finish(pending.newest)?;
            Ok(pending)
        });
        let world = self.world.read();
        let PendingResponse { response, effects, wakes, .. } =
            stored.unwrap_or_else(|KeepError(why)| {
                PendingResponse::unchanged(world.not_kept(now, call, &why), NO_CHANGE)
            });
        let response = world.completed(now, call, fault, response, effects);
        drop(world);
        if wakes {
            self.wake();
        }
        response
    }

    /// The response to a call that changes nothing, if nothing is due. Many callers get one in parallel.
    fn answer_without_change(
        &self,
        world: &World,
        now: Timestamp,
        call: &Call<'_>,
    ) -> Option<PendingResponse> {
        if !is_read(call.admitted.operation) || is_due(world, now) {
            return None;
        }
        let outcome = world.answer(now, call);
        let is_unchanged = outcome.changes.is_empty();
        is_unchanged.then(|| PendingResponse::unchanged(outcome.response, self.newest()))
    }

    /// The response to a call that changes the world. Due events happen before the call. Events that fall
    /// due at once by its changes happen before the next call.
    fn answer_in_turn(
        &self,
        system_now: Timestamp,
        call: &Call<'_>,
    ) -> Result<PendingResponse, KeepError> {
        let _turn = self.turn.lock();
        let due_before = self.world.read().state().next_due();
        let now = self.perform_due(system_now)?;
        let (first_delivery, outcome) = {
            let world = self.world.read();
            (world.state().next_delivery, world.answer(now, call))
        };
        let changes = change::summary(&outcome.changes);
        self.change(outcome.changes)?;
        self.perform_due(system_now)?;
        let world = self.world.read();
        let due = world.state().next_due();
        Ok(PendingResponse {
            response: outcome.response,
            effects: CallEffects {
                changes,
                deliveries: first_delivery..world.state().next_delivery,
            },
            newest: self.newest(),
            // Waking another thread costs more than most calls.
            wakes: due.is_some_and(|due| due_before.is_none_or(|before| due < before)),
        })
    }

    /// The response to an admitted call whose body could not be stored.
    #[cfg(feature = "server")]
    pub(crate) fn unstored(&self, system_now: Timestamp, call: &Call<'_>, why: &str) -> Response {
        let world = self.world.read();
        let now = world.now(system_now);
        let response = world.not_kept(now, call, why);
        world.record(now, call, &response, CallEffects::default(), None);
        response
    }

    /// Applies and stores changes that do not come from a call.
    #[cfg(feature = "server")]
    pub(crate) fn keep(&self, changes: Vec<Change>) -> Result<(), KeepError> {
        let turn = self.turn.lock();
        self.change(changes)?;
        let newest = self.newest();
        drop(turn);
        self.finish(newest)
    }

    /// The system's time of the next event; `None` if there is none, or if the clock is frozen. An event that
    /// is due already has a time in the past.
    pub fn next_due(&self, system_now: Timestamp) -> Option<Timestamp> {
        let world = self.world.read();
        let due = world.state().next_due()?;
        if self.is_stuck.load(Ordering::Relaxed) {
            return system_now.checked_add(STUCK_RETRY).ok();
        }
        if due <= world.now(system_now) {
            return Some(due.min(system_now));
        }
        world.state().clock.system_time_of(due)
    }

    /// Performs everything that is due. Returns the world's time. Only call it with the lock `turn`.
    fn perform_due(&self, system_now: Timestamp) -> Result<Timestamp, KeepError> {
        let (now, is_due) = {
            let world = self.world.read();
            let now = world.now(system_now);
            (now, is_due(&world, now))
        };
        if is_due {
            self.change_by(|world| world.perform_due(now))?;
        }
        Ok(now)
    }

    /// Applies changes. Only call it with the lock `turn`.
    fn change(&self, changes: Vec<Change>) -> Result<(), KeepError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.change_by(|world| world.apply(changes))
    }

    /// Changes the world, and gives the changes to the keeper before another call can see them. Only call it
    /// with the lock `turn`.
    fn change_by<T>(&self, change: impl FnOnce(&mut World) -> T) -> Result<T, KeepError> {
        if self.is_stuck.load(Ordering::Relaxed) {
            self.finish(self.newest())?;
        }
        Ok(self.change_anyway(change))
    }

    /// As [`Self::change_by`], but also while the keeper fails. It is for events that have already happened
    /// and must be stored as soon as possible.
    fn change_anyway<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let mut world = self.world.write();
        let Some(keeper) = &self.keeper else { return change(&mut world) };
        world.note();
        let changed = change(&mut world);
        let noted = world.noted();
        if !noted.is_empty() {
            self.newest.store((keeper.take)(noted), Ordering::Release);
        }
        changed
    }

    /// The number of the newest change. It is only exact under a lock of the world.
    fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    /// Waits until all changes up to this one are stored. Do not hold a lock of the world.
    fn finish(&self, newest: u64) -> Result<(), KeepError> {
        let Some(keeper) = self.keeper.as_ref().filter(|_| newest != NO_CHANGE) else {
            return Ok(());
        };
        let finished = (keeper.finish)(newest);
        if finished.is_err() {
            self.is_stuck.store(true, Ordering::Relaxed);
        } else if newest == self.newest() {
            self.is_stuck.store(false, Ordering::Relaxed);
        }
        finished
    }

    fn wake(&self) {
        if let Some(waker) = self.waker.lock().as_ref() {
            waker();
        }
    }
}

fn is_due(world: &World, now: Timestamp) -> bool {
    world.state().next_step().is_some_and(|(at, _)| at <= now)
}

/// Whether calls of an operation are first answered without a turn, because most of them change nothing.
fn is_read(operation: Operation) -> bool {
    operation == Operation::CreateAccessToken
        || operation.token() == TokenNeed::Read
        || operation == Operation::DownloadAgreement
}
