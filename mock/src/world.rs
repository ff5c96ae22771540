//! The whole service as one value: its data, clock, limiter and journal.
//!
//! A call passes [`World::admit`] (limit, route, token, scope) before its body is read, and
//! [`World::answer`] (body, existence, rules) after that. Answering changes nothing: it returns
//! changes, and [`World::apply`] applies them.

pub(crate) mod admit;
mod amend;
pub(crate) mod authorise;
#[cfg(feature = "server")]
pub(crate) mod change_log;
mod completion;
pub(crate) mod deliver;
pub(crate) mod fault;
mod hook;
pub(crate) mod journal;
mod lag;
pub(crate) mod limiter;
mod outcome;
pub(crate) mod progression;
mod reading;
mod rows;
pub mod settings;
pub(crate) mod state;
mod storage;
pub(crate) mod transition;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use moot_fixtures::contract::{Answers, Operation, REQUESTS_PER_MINUTE_MAX};
use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::value::identifier::Identifiers;
use crate::value::key::SeedKey;
use crate::value::message::responder::Responder;
use crate::value::message::response::Response;
use crate::value::settings::{SecretSource, SettingsError};
use crate::value::timestamp::date_header;
use crate::value::token::Sealer;
#[cfg(feature = "server")]
use crate::world::change_log::ChangeLog;
use crate::world::fault::Faults;
use crate::world::fault::drill::{self, Drills};
use crate::world::journal::Journal;
use crate::world::lag::LaggingLists;
use crate::world::limiter::Limiter;
use crate::world::state::State;
use crate::world::state::change::{Change, Checkpoint};
use crate::world::state::seed_data::{Application, SeedData};

pub(crate) use hook::Hook;
pub use outcome::Outcome;
pub(crate) use reading::reading;
pub use settings::{RunSettings, Settings};
pub use storage::ChangeBatch;

/// The whole service as a value.
#[derive(Debug)]
pub struct World {
    /// As at the start.
    seed_data: Arc<SeedData>,
    /// The seed rows with the amendments of the control plane; `None` if there are none.
    amended: Option<Arc<SeedData>>,
    pub(crate) settings: RunSettings,
    base_path: String,
    state: State,
    /// The replica that lists are read from, if they lag (answer `list_lag`).
    lagging: Option<Mutex<LaggingLists>>,
    /// The changes to be stored. `None` while no store collects them.
    noted: Option<ChangeBatch>,
    identifiers: Identifiers,
    pub(crate) sealer: Sealer,
    /// Calls so far: with the limiters, the journal, the faults and the drills the only interior state.
    calls: AtomicU64,
    pub(crate) limiter: Limiter,
    token_limiter: Option<Limiter>,
    /// Shared with the watchers. They notice by it that the world was replaced.
    pub(crate) journal: Arc<Journal>,
    /// The newest changes, for watchers.
    #[cfg(feature = "server")]
    pub(crate) change_log: ChangeLog,
    pub(crate) faults: Faults,
    /// The additions that drills make to responses.
    pub(crate) drills: RwLock<Drills>,
    pub(crate) hook: Option<Arc<dyn Hook>>,
}

impl World {
    /// A world with seed rows of its own.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let run = settings.run();
        let seed_data = SeedData::new(&settings.seed_world, settings.answers)?;
        Self::from_seed_data(Arc::new(seed_data), run)
    }

    /// A world that shares its seed rows with others; nothing is copied until it changes.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn from_seed_data(
        seed_data: Arc<SeedData>,
        settings: RunSettings,
    ) -> Result<Self, SettingsError> {
        let base_path = settings.check()?;
        let answers = seed_data.answers();
        let (limiter, token_limiter) = limiters(answers, REQUESTS_PER_MINUTE_MAX);
        Ok(Self {
            state: first_state(&seed_data, &settings),
            lagging: LaggingLists::of(answers, || first_state(&seed_data, &settings)),
            base_path,
            identifiers: Identifiers::new(settings.seed),
            sealer: Sealer::new(settings.seed, settings.sandbox.as_deref()),
            calls: AtomicU64::new(0),
            limiter,
            token_limiter,
            journal: Arc::default(),
            #[cfg(feature = "server")]
            change_log: ChangeLog::default(),
            faults: Faults::default(),
            drills: RwLock::default(),
            hook: None,
            noted: None,
            seed_data,
            amended: None,
            settings,
        })
    }

    /// The same world, changed by `hook`. Call it before the first call is admitted: the rate limit
    /// begins anew.
    pub(crate) fn with_hook(mut self, hook: Arc<dyn Hook>) -> Self {
        (self.limiter, self.token_limiter) =
            limiters(self.answers(), hook.requests_per_minute_max());
        self.hook = Some(hook);
        self
    }

    /// A copy of the world as it was at the start. The numbers of deliveries go on, so that an attempt
    /// that is still running is never taken for one of a new delivery.
    ///
    /// # Errors
    /// [`SettingsError`]. It cannot occur for settings that made this world.
    pub fn at_first(&self) -> Result<Self, SettingsError> {
        self.at_changes(&[])
    }

    /// A copy of the world as it was at a checkpoint. No call and no delivery has a number again.
    ///
    /// # Errors
    /// As [`Self::at_first`].
    pub(crate) fn at_checkpoint(&self, checkpoint: &Checkpoint) -> Result<Self, SettingsError> {
        let world = self.at_changes(&checkpoint.changes)?;
        world.calls.store(self.calls.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(world)
    }

    /// A copy of the world as the seed and these changes make it, with its checkpoints.
    fn at_changes(&self, changes: &[Change]) -> Result<Self, SettingsError> {
        let mut world = Self::from_seed_data(self.seed_data.clone(), self.settings.clone())?;
        world.state.next_delivery = self.state.next_delivery;
        world.state.checkpoints = self.state.checkpoints.clone();
        world.journal = Arc::new(self.journal.emptied());
        world.noted =
            self.noted.as_ref().map(|_| ChangeBatch { is_reset: true, changes: Vec::new() });
        world.apply(changes.to_vec());
        if let Some(hook) = &self.hook {
            world = world.with_hook(Arc::clone(hook));
        }
        Ok(world)
    }

    /// The world's time while the system's is `system_now`.
    pub fn now(&self, system_now: Timestamp) -> Timestamp {
        let now = self.state.clock.now(system_now);
        if let Some(lagging) = &self.lagging {
            lagging.lock().note_time(now);
        }
        now
    }

    /// Applies changes, in order. Nothing else changes a world.
    pub fn apply(&mut self, changes: Vec<Change>) {
        let changes = match &self.hook {
            Some(hook) => hook.change(self, changes),
            None => changes,
        };
        let amends = changes.iter().any(Change::amends);
        for change in changes {
            if let Some(noted) = &mut self.noted {
                noted.changes.push(change.clone());
            }
            #[cfg(feature = "server")]
            {
                self.change_log.note(&change);
                if let Change::DeleteDelivery { id } = &change {
                    self.state.deliveries.get(id).inspect(|it| self.journal.keep_delivery(it));
                }
            }
            if let Some(lagging) = &self.lagging {
                lagging.lock().note_change(change.clone());
            }
            self.state.apply(change);
        }
        if amends {
            self.amend();
        }
    }

    /// Its seed rows, as they are now.
    pub fn seed_data(&self) -> &Arc<SeedData> {
        self.amended.as_ref().unwrap_or(&self.seed_data)
    }

    /// Its seed rows, as they were at the start.
    pub(crate) const fn first_seed_data(&self) -> &Arc<SeedData> {
        &self.seed_data
    }

    /// Its base address.
    pub fn base_url(&self) -> &str {
        &self.settings.base_url
    }

    /// The client secret of an application.
    pub(crate) fn client_secret<'s>(&self, application: &'s Application) -> Cow<'s, str> {
        match &self.settings.secrets {
            _ if application.has_own_secret => Cow::Borrowed(&application.client_secret),
            SecretSource::Seeded => Cow::Borrowed(&application.client_secret),
            SecretSource::Own(name) => {
                let id = &application.client_id;
                let key = SeedKey::derive(self.settings.seed, &format!("client secrets of {name}"));
                let code = u128::from_be_bytes(key.code(id.as_bytes()));
                Cow::Owned(format!("{id}-secret-{code:032x}"))
            }
        }
    }

    /// Its applications, users and workflows: `{"applications": […], "users": {…}, "workflows": […]}`.
    pub fn describe(&self) -> Value {
        self.seed_data().describe(|application| self.client_secret(application))
    }

    pub(crate) fn answers(&self) -> &Answers {
        self.seed_data().answers()
    }

    pub(crate) const fn state(&self) -> &State {
        &self.state
    }

    /// Reads a list from the data that lists show at `now`.
    pub(crate) fn read_list<T>(&self, now: Timestamp, read: impl FnOnce(&State) -> T) -> T {
        match &self.lagging {
            Some(lagging) => read(lagging.lock().at(now)),
            None => read(&self.state),
        }
    }

    /// A response with the additions of the active drills.
    pub(crate) fn with_drills(&self, operation: Option<Operation>, response: Response) -> Response {
        drill::added(*self.drills.read(), operation, response)
    }

    /// The limiter of all calls, and that of token requests if they have their own.
    pub(crate) fn limiters(&self) -> impl Iterator<Item = &Limiter> {
        std::iter::once(&self.limiter).chain(&self.token_limiter)
    }

    /// The number of the next call. The control plane takes numbers from the same series.
    pub(crate) fn next_serial(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn responder<'a>(
        &'a self,
        now: Timestamp,
        path: &'a str,
        serial: u64,
    ) -> Responder<'a> {
        Responder {
            answers: self.answers(),
            base_path: &self.base_path,
            path,
            serial,
            identifiers: &self.identifiers,
            now,
            date: date_header(now),
        }
    }
}

/// The state that the settings of a world begin with.
fn first_state(seed_data: &SeedData, settings: &RunSettings) -> State {
    State::new(seed_data, settings.clock, settings.rate_limit, settings.progression)
}

/// The limiter of all calls and that of token requests, without counts.
fn limiters(answers: &Answers, calls_max: u32) -> (Limiter, Option<Limiter>) {
    let limiter = |calls_max| Limiter::new(calls_max, answers.rate_limit_window);
    (limiter(calls_max), answers.token_rate_limit.map(limiter))
}
