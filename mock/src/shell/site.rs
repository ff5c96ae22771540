//! The whole mock without a socket: its main world, its sandboxes, and what they share.

mod access;
mod control_uses;
mod journals;
mod watch;

use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use moot_fixtures::world::SeedWorld;
use serde_json::{Value, json};
use tokio::sync::watch as flag;

pub(crate) use self::access::{Access, ControlRights};
use self::control_uses::ControlUses;
pub use self::watch::{CallWatch, ClientJudge, SandboxWatch, WatchedCall};
use super::body::{BodyTimes, Store, remove_abandoned};
use super::clock;
use super::delivery::Deliverer;
use super::network::{Fetcher, Network, Reach};
use super::sandbox::{Lease, Realm, Sandboxes, restore};
use super::store::{DurableError, MAIN, OpenStore, StateStore, open_folder};
use crate::control::ControlAction;
use crate::defect::{self, Defect};
use crate::service::NotKept;
use crate::service::Service;
use crate::value::clock::Clock;
use crate::value::settings::SettingsError;
use crate::world::World;
use crate::world::settings::{Settings, base_path};
use crate::world::state::change::Change;

/// What a mock is made of.
#[derive(Clone)]
pub struct SiteOptions {
    /// The main world. The host of its base address may be named to the control plane.
    pub settings: Settings,
    /// The requirements that the main world breaks on purpose, and each sandbox that names none.
    pub defects: Vec<&'static Defect>,
    /// The bearer token of the control plane; without one it answers only calls that come from this
    /// machine and name it.
    pub admin_token: Option<String>,
    /// The bearer token of the part of the control plane that is offered to a client that is graded: sandboxes,
    /// the clock, the built-in receiver, and waiting for deliveries. It counts beside an admin token.
    pub client_token: Option<String>,
    /// Whether calls may come from beyond the loopback addresses: then the token must be there.
    pub is_beyond_loopback: bool,
    /// Whether deliveries go to private and loopback addresses even so.
    pub has_private_receivers: bool,
    /// Where deliveries leave.
    pub network: Network,
    /// What fetches documents by their address (§4.9); without one nothing is fetched.
    pub fetcher: Option<Arc<Fetcher>>,
    /// Bounds of reading bodies.
    pub body_times: BodyTimes,
    /// Is told of each answered call.
    pub watch: Option<CallWatch>,
    /// Judges clients for `GET /findings`; without one that route is absent.
    pub judge: Option<ClientJudge>,
    /// Is told of each new sandbox.
    pub sandbox_watch: Option<SandboxWatch>,
    /// Which settings take precedence over those that a state folder keeps.
    pub precedence: Precedence,
}

/// Which settings of a site replace those that a state folder keeps. The seed and the seed world never do:
/// the kept data are made of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Precedence {
    /// [`Settings::clock`].
    pub clock: bool,
    /// [`Settings::rate_limit`].
    pub rate_limit: bool,
    /// [`Settings::progression`].
    pub progression: bool,
    /// [`Settings::answers`].
    pub answers: bool,
}

impl SiteOptions {
    /// For loopback alone, without a token; nothing is fetched.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            defects: Vec::new(),
            admin_token: None,
            client_token: None,
            is_beyond_loopback: false,
            has_private_receivers: false,
            network: Network::system(),
            fetcher: None,
            body_times: BodyTimes::default(),
            watch: None,
            judge: None,
            sandbox_watch: None,
            precedence: Precedence::default(),
        }
    }
}

impl From<Settings> for SiteOptions {
    fn from(settings: Settings) -> Self {
        Self::new(settings)
    }
}

/// Why there is no mock.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The main world.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Beyond loopback without a token.
    #[error(
        "beyond loopback the control plane needs a token: set MOOT_ADMIN_TOKEN or --admin-token-file"
    )]
    NoAdminToken,
    /// The folder of its state.
    #[error(transparent)]
    State(#[from] DurableError),
    /// The settings could not be stored.
    #[error("the mock can't keep its state: {0}")]
    NotKept(#[from] NotKept),
    /// The thread of the deliveries, or a listener.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The mock; a clone is another handle on the same. Its deliveries end with the last handle.
#[derive(Clone)]
pub struct Site(Arc<SiteParts>);

impl Deref for Site {
    type Target = SiteParts;

    fn deref(&self) -> &SiteParts {
        &self.0
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("main", &self.0.main.settings).finish_non_exhaustive()
    }
}

/// The parts of a [`Site`], which all of its handles share.
pub struct SiteParts {
    pub(crate) base_path: String,
    pub(crate) main: Arc<Realm>,
    pub(crate) sandboxes: Arc<Sandboxes>,
    pub(crate) access: Access,
    pub(crate) deliverer: Deliverer,
    pub(crate) fetcher: Option<Arc<Fetcher>>,
    pub(crate) store: Store,
    pub(crate) times: BodyTimes,
    pub(crate) watch: Option<CallWatch>,
    pub(crate) judge: Option<ClientJudge>,
    /// Whether the server is about to end.
    pub(crate) ending: flag::Sender<bool>,
    pub(crate) sandbox_watch: Option<SandboxWatch>,
    pub(crate) control_uses: ControlUses,
}

impl Site {
    /// Makes the main world and begins to deliver.
    ///
    /// # Errors
    /// [`SiteError`].
    pub fn new(options: SiteOptions) -> Result<Self, SiteError> {
        remove_abandoned();
        let world = World::new(options.settings.clone())?;
        let world = defect::install(world, &options.defects);
        Self::with(options, Service::new(world), Store::default(), None)
    }

    /// As [`Self::new`], with the state of the main world and of every sandbox kept in a folder: where
    /// there is one already, its seed and seed world take the place of those of the options, and so do its
    /// clock, rate limit, progression and answers unless [`SiteOptions::precedence`] says otherwise.
    ///
    /// # Errors
    /// [`SiteError`].
    pub fn with_state(options: SiteOptions, folder: &std::path::Path) -> Result<Self, SiteError> {
        let opened = open_folder(folder, &options.settings)?;
        Self::with_store(options, opened)
    }

    /// As [`Self::with_state`], with the data in a database. The lease is the caller's.
    ///
    /// # Errors
    /// [`SiteError`].
    #[cfg(feature = "postgres")]
    pub(crate) fn with_rows(
        options: SiteOptions,
        store: Arc<super::store::PostgresStore>,
    ) -> Result<Self, SiteError> {
        let opened = super::store::open_database(store, &options.settings)?;
        Self::with_store(options, opened)
    }

    fn with_store(mut options: SiteOptions, opened: OpenStore) -> Result<Self, SiteError> {
        let OpenStore { durable, header, changes, sandboxes, made } = opened;
        let starts = header.starts;
        options.settings.seed = header.seed;
        options.settings.seed_world = Arc::new(header.seed_world);
        let mut world = World::new(options.settings.clone())?;
        world.restore(changes, starts);
        let world = defect::install(world, &options.defects);
        let store = Store::within(durable.uploads());
        let service = Service::kept(world, durable.keeper(MAIN));
        service.keep(given(&options))?;
        let site = Self::with(options, service, store, Some((durable, made)))?;
        for realm in restore(&site.sandboxes, &site.main, sandboxes, starts)? {
            site.deliverer.add(&realm);
        }
        Ok(site)
    }

    /// With the main world as `service`, and sandboxes kept in a store, where so many were made.
    fn with(
        options: SiteOptions,
        service: Service,
        store: Store,
        kept: Option<(Arc<StateStore>, u64)>,
    ) -> Result<Self, SiteError> {
        let SiteOptions { settings, admin_token, is_beyond_loopback, .. } = options;
        if is_beyond_loopback && admin_token.is_none() {
            return Err(SiteError::NoAdminToken);
        }
        let run = settings.run();
        let base_path = base_path(&run.base_url)?;
        let seed_world = settings.seed_world.clone();
        let main = Realm::new(MAIN, None, service, run, Lease::default());
        let access = Access::new(admin_token.as_deref(), &main.settings.base_url)
            .offering(options.client_token.as_deref());
        let (durable, made) = kept.unzip();
        let made = made.unwrap_or_default();
        let sandboxes = Arc::new(Sandboxes::new(seed_world, options.defects, durable, made));
        // Who is reached from elsewhere sends nothing into its own network for them.
        let is_guarded = is_beyond_loopback && !options.has_private_receivers;
        let reach = if is_guarded { Reach::Public } else { Reach::Anywhere };
        let deliverer = Deliverer::start(options.network, reach, sandboxes.clone())?;
        deliverer.add(&main);
        Ok(Self(Arc::new(SiteParts {
            base_path,
            main,
            sandboxes,
            access,
            deliverer,
            fetcher: options.fetcher,
            store,
            times: options.body_times,
            watch: options.watch,
            judge: options.judge,
            ending: flag::Sender::new(false),
            sandbox_watch: options.sandbox_watch,
            control_uses: ControlUses::default(),
        })))
    }

    /// Its address, its settings and its credentials. Shape: `{"ready": true, "base_url", "token_url",
    /// "admin_url", "console", "seed", "clock": {"now", "frozen"}, "rate_limit", "progression", "applications":
    /// [{"client_id", "client_secret", "scopes": [], "company"}], "users": {company: [email]}, "workflows":
    /// [{"id", "company", "name", "type", "status"}]}`.
    pub fn describe(&self) -> Value {
        let mut all = self.main.describe();
        let ask = |action| self.main.service.control(clock::now(), action).unwrap_or_default();
        let (shown, world) = (ask(ControlAction::GetClock), ask(ControlAction::World));
        all["clock"] = json!({ "now": shown["now"], "frozen": shown["frozen"] });
        for name in ["rate_limit", "progression"] {
            all[name] = world[name].clone();
        }
        all
    }

    /// The seed rows of the main world.
    pub fn seed_world(&self) -> &SeedWorld {
        self.sandboxes.main_world()
    }

    /// Deletes the sandboxes whose lease has ended.
    pub(crate) fn collect(&self) {
        for realm in self.sandboxes.take_abandoned() {
            self.deliverer.remove(&realm);
        }
    }

    /// Ends the answers that would not end by themselves.
    pub(crate) fn end_streams(&self) {
        self.ending.send_replace(true);
    }
}

/// The changes that give these settings precedence over kept ones.
fn given(options: &SiteOptions) -> Vec<Change> {
    let SiteOptions { settings, precedence, .. } = options;
    let clock = precedence.clock.then(|| Change::SetClock(Clock::new(settings.clock)));
    let limit = precedence.rate_limit.then_some(Change::SetRateLimit(settings.rate_limit));
    let progression =
        precedence.progression.then_some(Change::SetProgression(settings.progression));
    let answers =
        precedence.answers.then(|| Change::SetAnswers(Arc::new(settings.answers.clone())));
    [clock, limit, progression, answers].into_iter().flatten().collect()
}
