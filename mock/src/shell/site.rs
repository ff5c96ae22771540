//! The whole mock without a socket: its main world, its sandboxes and their control planes under one
//! base path.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::request::Parts;
use http::{Method, Request, Response};
use http_body::Body;
use serde_json::Value;

use super::body::{self, BodyTimes, Store};
use super::clock;
use super::control::{Access, Control};
use super::deliverer::Deliverer;
use super::durable::Durable;
use super::fetcher::Fetcher;
use super::network::{Network, Reach};
use super::problem;
use super::realm::Realm;
#[cfg(feature = "state")]
use super::restored;
use super::sandboxes::Sandboxes;
use super::sent::sent;
use super::site_body::SiteBody;
use crate::call::{self, Admission, Call, Head};
use crate::defect::{self, Defect};
use crate::settings::{Settings, SettingsError, base_path};
use crate::{Service, World};

/// Prefix of a control plane, below a base path.
const ADMIN: &str = "/__admin";
/// Prefix of sandboxes, below the base path.
const SANDBOXES: &str = "/sandboxes/";

/// The number of the main world.
const MAIN: u64 = 0;

/// What a mock is made of.
#[derive(Debug, Clone)]
pub struct SiteOptions {
    /// The main world. The host of its base address may be named to the control plane.
    pub settings: Settings,
    /// The requirements that the main world breaks on purpose, and each sandbox that names none.
    pub defects: Vec<&'static Defect>,
    /// The bearer token of the control plane; without one it answers only calls that come from this
    /// machine and name it.
    pub admin_token: Option<String>,
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
}

impl SiteOptions {
    /// For loopback alone, without a token; nothing is fetched.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            defects: Vec::new(),
            admin_token: None,
            is_beyond_loopback: false,
            has_private_receivers: false,
            network: Network::system(),
            fetcher: None,
            body_times: BodyTimes::default(),
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
    #[cfg(feature = "state")]
    #[error(transparent)]
    State(#[from] super::durable::DurableError),
    /// The thread of the deliveries, or a listener.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The mock; a clone is another handle on the same. Its deliveries end with the last handle.
#[derive(Clone)]
pub struct Site(Arc<Inner>);

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("main", self.0.main.settings()).finish_non_exhaustive()
    }
}

struct Inner {
    base_path: String,
    main: Realm,
    sandboxes: Arc<Sandboxes>,
    access: Access,
    control: Control,
    deliverer: Deliverer,
    fetcher: Option<Arc<Fetcher>>,
    store: Store,
    times: BodyTimes,
}

impl Site {
    /// Makes the main world and begins to deliver.
    ///
    /// # Errors
    /// [`SiteError`].
    pub fn new(options: SiteOptions) -> Result<Self, SiteError> {
        let world = World::new(options.settings.clone(), clock::now())?;
        let world = defect::install(world, &options.defects);
        Self::with(options, Service::new(world), Store::default(), None)
    }

    /// As [`Self::new`], with the state of the main world and of every sandbox kept in a folder: where
    /// there is one already, its seed and seed world take the place of those of the options.
    ///
    /// # Errors
    /// [`SiteError`].
    #[cfg(feature = "state")]
    pub fn with_state(
        mut options: SiteOptions,
        folder: &std::path::Path,
    ) -> Result<Self, SiteError> {
        use super::durable::Opened;
        let Opened { durable, seed, seed_world, changes, sandboxes, made, starts } =
            Durable::open(folder, &options.settings)?;
        options.settings.seed = seed;
        options.settings.seed_world = seed_world;
        let mut world = World::new(options.settings.clone(), clock::now())?;
        world.restore(changes, starts);
        let world = defect::install(world, &options.defects);
        let store = Store::within(durable.uploads());
        let service = Service::kept(world, durable.keeper(MAIN));
        let site = Self::with(options, service, store, Some((durable, made)))?;
        for realm in restored::restore(&site.0.sandboxes, &site.0.main, sandboxes, starts)? {
            site.0.deliverer.add(&realm);
        }
        Ok(site)
    }

    /// With the main world as `service`, and sandboxes kept in a store, where so many were made.
    fn with(
        options: SiteOptions,
        service: Service,
        store: Store,
        kept: Option<(Durable, u64)>,
    ) -> Result<Self, SiteError> {
        let SiteOptions { settings, admin_token, is_beyond_loopback, .. } = options;
        if is_beyond_loopback && admin_token.is_none() {
            return Err(SiteError::NoAdminToken);
        }
        let run = settings.run();
        let base_path = base_path(&run.base_url)?;
        let seed_world = settings.seed_world.clone();
        let main = Realm::new(MAIN, None, service, run, None);
        let access = Access::new(admin_token.as_deref(), &main.settings().base_url);
        let (durable, made) = kept.unzip();
        let made = made.unwrap_or_default();
        let sandboxes = Arc::new(Sandboxes::new(seed_world, options.defects, durable, made));
        // Who is reached from elsewhere sends nothing into its own network for them.
        let is_guarded = is_beyond_loopback && !options.has_private_receivers;
        let reach = if is_guarded { Reach::Public } else { Reach::Anywhere };
        let deliverer = Deliverer::start(options.network, reach, sandboxes.clone())?;
        deliverer.add(&main);
        Ok(Self(Arc::new(Inner {
            base_path,
            main,
            sandboxes,
            access,
            control: Control::new(),
            deliverer,
            fetcher: options.fetcher,
            store,
            times: options.body_times,
        })))
    }

    /// Where and with what to call it. Shape (DESIGN §4): `{"ready": true, "base_url", "token_url",
    /// "admin_url", "seed", "applications": [{"client_id", "client_secret", "scopes": [],
    /// "company"}], "users": {company: [email]}, "workflows": [{"id", "company", "name", "type",
    /// "status"}]}`.
    pub fn describe(&self) -> Value {
        self.0.main.describe()
    }

    /// Answers a call that comes from `client`. Its target may have any origin; only the path is
    /// looked at. Must run on a tokio runtime with time. The body is read to its end, within bounds,
    /// before the answer, so that a client that writes first finds it.
    ///
    /// A panic is a bug of ours: its call is answered 500, and every other goes on.
    pub async fn call<B>(&self, request: Request<B>, client: IpAddr) -> Response<SiteBody>
    where
        B: Body<Data = Bytes> + Send,
    {
        let (parts, body) = request.into_parts();
        self.call_of_parts(&parts, pin!(body), client).await
    }

    /// As [`Self::call`], of a request that stays where it is: moving it costs as much as some answers.
    pub(super) async fn call_of_parts<B>(
        &self,
        parts: &Parts,
        body: Pin<&mut B>,
        client: IpAddr,
    ) -> Response<SiteBody>
    where
        B: Body<Data = Bytes> + Send,
    {
        let answer = pin!(self.answer(parts, body, client));
        let answer = AssertUnwindSafe(answer).catch_unwind().await;
        answer.unwrap_or_else(|_| problem::internal("a bug in the mock"))
    }

    async fn answer<B>(
        &self,
        parts: &Parts,
        body: Pin<&mut B>,
        client: IpAddr,
    ) -> Response<SiteBody>
    where
        B: Body<Data = Bytes> + Send,
    {
        match self.place(parts.uri.path()) {
            Place::Service { realm, path } => {
                self.serve(realm.get(self), path, parts, body, client).await
            }
            Place::Admin { realm, path } => {
                let realm = realm.get(self);
                if let Err(problem) = self.0.access.check(parts, client) {
                    Box::pin(body::drain(body, &parts.headers, self.0.times)).await;
                    return problem.respond(parts.uri.path());
                }
                Box::pin(super::control::call(self, realm, path, parts, body)).await
            }
            Place::Outside => Box::pin(self.outside(parts, body, client)).await,
        }
    }

    fn place<'p>(&self, path: &'p str) -> Place<'p> {
        let Some(path) = below(path, &self.0.base_path) else { return Place::Outside };
        if let Some(rest) = path.strip_prefix(SANDBOXES) {
            let (id, _) = rest.split_once('/').unwrap_or((rest, ""));
            self.collect();
            if let Some(realm) = self.0.sandboxes.get(id) {
                return in_realm(Reached::Sandbox(realm), &rest[id.len()..]);
            }
        }
        in_realm(Reached::Main, path)
    }

    /// The core knows only what is below its base path. There is no route at an empty path, so that
    /// is what it refuses; only the path of the call is put in here.
    async fn outside<B>(
        &self,
        parts: &Parts,
        body: Pin<&mut B>,
        client: IpAddr,
    ) -> Response<SiteBody>
    where
        B: Body<Data = Bytes> + Send,
    {
        let mut response = self.serve(&self.0.main, "", parts, body, client).await;
        response.body_mut().set_member("instance", parts.uri.path());
        response
    }

    async fn serve<B>(
        &self,
        realm: &Realm,
        path: &str,
        parts: &Parts,
        body: Pin<&mut B>,
        client: IpAddr,
    ) -> Response<SiteBody>
    where
        B: Body<Data = Bytes> + Send,
    {
        let query = parts.uri.query();
        let head = Head { method: &parts.method, path, query, headers: &parts.headers, client };
        let service = realm.service();
        let (headers, times) = (&parts.headers, self.0.times);
        let now = clock::now();
        let admitted = match service.admit(now, &head) {
            Admission::Admitted(admitted) => admitted,
            Admission::Refused(response) => {
                realm.called().notify_waiters();
                if !body.is_end_stream() {
                    Box::pin(body::drain(body, headers, times)).await;
                }
                return sent(response).await;
            }
        };
        // What few calls need is boxed here and above, so that the future of every call is small.
        let (body, mut now) = if body::is_empty(&*body, headers, admitted.reading) {
            (call::Body::Empty, now)
        } else {
            let read = body::read(body, headers, admitted.reading, times, &self.0.store);
            match Box::pin(read).await {
                Ok(body) => (body, clock::now()),
                Err(_) => return problem::internal("a temporary file can't be written"),
            }
        };
        let mut call = Call { head, admitted: &admitted, body, fetched: None };
        if let Some(fetcher) = &self.0.fetcher
            && let Some(fetch) = service.needs(now, &call)
        {
            call.fetched = Some(Box::pin(fetcher.fetch(fetch, &self.0.store)).await);
            now = clock::now();
        }
        let response = service.answer(now, &call);
        realm.called().notify_waiters();
        if parts.method == Method::DELETE {
            // No attempt for a deleted webhook begins after the answer (§4.13), even if a fault made
            // that one of failure.
            self.0.deliverer.cut_unwanted(realm).await;
        }
        sent(response).await
    }

    /// Deletes the sandboxes whose lease has ended.
    pub(crate) fn collect(&self) {
        for realm in self.0.sandboxes.take_abandoned() {
            self.0.deliverer.remove(&realm);
        }
    }

    pub(crate) fn main(&self) -> &Realm {
        &self.0.main
    }

    pub(crate) fn sandboxes(&self) -> &Sandboxes {
        &self.0.sandboxes
    }

    pub(crate) fn deliverer(&self) -> &Deliverer {
        &self.0.deliverer
    }

    pub(crate) fn control(&self) -> &Control {
        &self.0.control
    }

    /// Whether documents are fetched by their address.
    pub(crate) fn is_fetching(&self) -> bool {
        self.0.fetcher.is_some()
    }

    pub(crate) fn times(&self) -> BodyTimes {
        self.0.times
    }
}

/// Where a path leads.
enum Place<'p> {
    Service { realm: Reached, path: &'p str },
    Admin { realm: Reached, path: &'p str },
    Outside,
}

/// The world that is reached; the main one without counting another handle on it.
enum Reached {
    Main,
    Sandbox(Realm),
}

impl Reached {
    fn get<'r>(&'r self, site: &'r Site) -> &'r Realm {
        match self {
            Self::Main => &site.0.main,
            Self::Sandbox(realm) => realm,
        }
    }
}

fn in_realm(realm: Reached, path: &str) -> Place<'_> {
    match below(path, ADMIN) {
        Some(path) => Place::Admin { realm, path },
        None => Place::Service { realm, path },
    }
}

/// What follows `prefix`, if whole segments do.
fn below<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
