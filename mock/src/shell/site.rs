//! The whole mock without a socket: its main world, its sandboxes, and their shared parts.

mod access;
mod journals;
mod watch;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use moot_fixtures::world::SeedWorld;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch as flag;

pub(crate) use self::access::{Access, ControlRights};
pub use self::watch::{CallWatch, ClientJudge, SandboxWatch, WatchedCall};
use super::body::{BodyTimes, Store, remove_abandoned};
use super::clock;
use super::delivery::Deliverer;
use super::network::{AllowedAddresses, Fetcher, Network};
use super::sandbox::{Lease, Realm, Sandboxes, restore};
use super::store::{DurableError, FolderStore, MAIN, OpenStore, RowStore, StateStore, open};
use crate::control::ControlAction;
use crate::defect::{self, Defect};
use crate::service::{KeepError, Service};
use crate::value::clock::Clock;
use crate::value::settings::SettingsError;
use crate::world::World;
use crate::world::settings::{Settings, base_path};
use crate::world::state::change::Change;

/// The options of a mock.
#[derive(Clone)]
pub struct SiteOptions {
    /// The main world. A call to the control plane may name the host of its base address.
    pub settings: Settings,
    /// The requirements that the main world breaks on purpose. Sandboxes break them too by default.
    pub defects: Vec<&'static Defect>,
    /// The bearer token of the control plane. Without one it answers only calls that come from this machine and
    /// name it as host.
    pub admin_token: Option<String>,
    /// A bearer token for a client that is graded, valid beside the admin token. It gives access to sandboxes,
    /// the clock, the built-in receiver, and waiting for deliveries.
    pub client_token: Option<String>,
    /// Whether calls may come from beyond the loopback addresses. Then an admin token is required.
    pub is_beyond_loopback: bool,
    /// Whether deliveries may go to private and loopback addresses even then.
    pub has_private_receivers: bool,
    /// The network of the deliveries.
    pub network: Network,
    /// Fetches documents by their address (§4.9). Without one no document is fetched.
    pub fetcher: Option<Arc<Fetcher>>,
    /// Timeouts of reading bodies.
    pub body_times: BodyTimes,
    /// Receives each answered call.
    pub watch: Option<CallWatch>,
    /// Judges clients for `GET /findings`. Without one the route is absent.
    pub judge: Option<ClientJudge>,
    /// Receives the id of each new sandbox.
    pub sandbox_watch: Option<SandboxWatch>,
    /// The settings that replace stored ones.
    pub precedence: Precedence,
}

/// The settings of a site that replace those of a state folder. The seed and the seed world never replace
/// stored ones, because the stored data derive from them.
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
    /// Options for loopback only, without a token and without fetching documents.
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

/// An error at the start of a mock.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The settings of the main world are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is no admin token, and calls may come from beyond loopback.
    #[error(
        "beyond loopback the control plane needs a token: set MOOT_ADMIN_TOKEN or --admin-token-file"
    )]
    NoAdminToken,
    /// The stored state can't be used.
    #[error(transparent)]
    State(#[from] DurableError),
    /// The settings could not be stored.
    #[error("the mock cannot keep its state: {0}")]
    KeepError(#[from] KeepError),
    /// The thread of the deliveries could not be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The mock. A clone is another handle on the same mock. Its deliveries end with the last handle.
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

/// The calls to routes of the control plane, by path and method: their number, and how many of them were refused.
type ControlUses = BTreeMap<(&'static str, &'static str), (u64, u64)>;

/// The parts of a [`Site`], which all of its handles share.
pub struct SiteParts {
    pub(crate) options: SiteOptions,
    pub(crate) base_path: String,
    pub(crate) main: Arc<Realm>,
    pub(crate) sandboxes: Arc<Sandboxes>,
    pub(crate) access: Access,
    pub(crate) deliverer: Deliverer,
    pub(crate) store: Store,
    /// Whether the server is ending.
    pub(crate) ending: flag::Sender<bool>,
    pub(crate) control_uses: Mutex<ControlUses>,
}

impl Site {
    /// Creates the main world and starts deliveries.
    ///
    /// # Errors
    /// [`SiteError`].
    pub fn new(options: SiteOptions) -> Result<Self, SiteError> {
        remove_abandoned();
        let world = World::new(options.settings.clone())?;
        let world = defect::install(world, &options.defects);
        Self::with(options, Service::new(world), Store::default(), None)
    }

    /// As [`Self::new`], with the state of the main world and of every sandbox stored in a folder. If the folder
    /// has state, its seed and seed world replace those of the options. So do its clock, rate limit, progression
    /// and answers, except those in [`SiteOptions::precedence`].
    ///
    /// # Errors
    /// [`SiteError`].
    pub fn with_state(options: SiteOptions, folder: &std::path::Path) -> Result<Self, SiteError> {
        Self::with_store(options, Arc::new(FolderStore::take(folder)?))
    }

    /// As [`Self::with_state`], with the data in this store. For a database the caller must hold the lease.
    ///
    /// # Errors
    /// [`SiteError`].
    pub(crate) fn with_store(
        mut options: SiteOptions,
        store: Arc<dyn RowStore>,
    ) -> Result<Self, SiteError> {
        let opened = open(store, &options.settings)?;
        let OpenStore { durable, header, changes, sandboxes } = opened;
        let starts = header.starts;
        options.settings.seed = header.seed;
        options.settings.seed_world = Arc::new(header.seed_world);
        let mut world = World::new(options.settings.clone())?;
        world.restore(changes, starts);
        let world = defect::install(world, &options.defects);
        let store = Store::within(durable.uploads());
        let service = Service::kept(world, durable.keeper(MAIN));
        service.keep(preceding_changes(&options))?;
        let site = Self::with(options, service, store, Some(durable))?;
        for realm in restore(&site.sandboxes, &site.main, sandboxes, starts)? {
            site.deliverer.add(&realm);
        }
        Ok(site)
    }

    /// Creates the site around the service of the main world. `durable` is the store of sandboxes.
    fn with(
        options: SiteOptions,
        service: Service,
        store: Store,
        durable: Option<Arc<StateStore>>,
    ) -> Result<Self, SiteError> {
        if options.is_beyond_loopback && options.admin_token.is_none() {
            return Err(SiteError::NoAdminToken);
        }
        let run = options.settings.run();
        let base_path = base_path(&run.base_url)?;
        let seed_world = options.settings.seed_world.clone();
        let main = Realm::new(MAIN, service, run, Lease::default());
        let (admin, client) = (options.admin_token.as_deref(), options.client_token.as_deref());
        let access = Access::new(admin, client, &main.settings.base_url);
        let sandboxes = Arc::new(Sandboxes::new(seed_world, options.defects.clone(), durable));
        // Callers from other machines must not make the mock send requests into its private network.
        let is_public = options.is_beyond_loopback && !options.has_private_receivers;
        let reach = if is_public { AllowedAddresses::Public } else { AllowedAddresses::Anywhere };
        let deliverer = Deliverer::start(options.network.clone(), reach, sandboxes.clone())?;
        deliverer.add(&main);
        Ok(Self(Arc::new(SiteParts {
            options,
            base_path,
            main,
            sandboxes,
            access,
            deliverer,
            store,
            ending: flag::Sender::new(false),
            control_uses: Mutex::default(),
        })))
    }

    /// Its address, its settings and its credentials. Shape: `{"ready": true, "base_url", "token_url",
    /// "admin_url", "console", "seed", "clock": {"now", "frozen"}, "rate_limit", "progression", "applications":
    /// [{"client_id", "client_secret", "scopes": [], "company"}], "users": {company: [email]}, "workflows":
    /// [{"id", "company", "name", "type", "status"}]}`.
    pub fn describe(&self) -> Value {
        let mut all = self.main.describe();
        let get = |action| self.main.service.control(clock::now(), action).unwrap_or_default();
        let (clock, world) = (get(ControlAction::GetClock), get(ControlAction::World));
        all["clock"] = json!({ "now": clock["now"], "frozen": clock["frozen"] });
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
    pub(crate) fn delete_expired_sandboxes(&self) {
        for realm in self.sandboxes.take_expired() {
            self.deliverer.remove(&realm);
        }
    }

    /// Ends the streams of `GET /events`.
    pub(crate) fn end_streams(&self) {
        self.ending.send_replace(true);
    }
}

/// The changes that replace stored settings by those of the options.
fn preceding_changes(options: &SiteOptions) -> Vec<Change> {
    let SiteOptions { settings, precedence, .. } = options;
    let clock = precedence.clock.then(|| Change::SetClock(Clock::new(settings.clock)));
    let limit = precedence.rate_limit.then_some(Change::SetRateLimit(settings.rate_limit));
    let progression =
        precedence.progression.then_some(Change::SetProgression(settings.progression));
    let answers =
        precedence.answers.then(|| Change::SetAnswers(Arc::new(settings.answers.clone())));
    [clock, limit, progression, answers].into_iter().flatten().collect()
}
