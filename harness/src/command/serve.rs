//! Opens a mock on a socket, for `moot mock` and `moot exec`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use moot_fixtures::world::SeedWorld;
use moot_mock::defect::Defect;
use moot_mock::settings::Settings;
use moot_mock::shell::settings;
use moot_mock::shell::{
    CallWatch, FETCH_TIME_MAX, Fetcher, Network, Precedence, ServeLimits, Site, SiteOptions, Tls,
    clock, holds_state, serve,
};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::error::CommandError;
use super::files::{answers_named, read_file, world_named};
use super::listen::{callable, listen_on};
use super::number::any_number;
use super::runtime::random_seed;
use crate::client::target_file::address;
use crate::exchange::masks::{Masks, Secrets};
use crate::grading::conduct::{Account, WorldJournal};

/// Defaults of options. They are not defaults of clap, because only an option that was given overrides `--state`.
const DEFAULT_WORLD: &str = "demo";
const DEFAULT_CLOCK: &str = "real";
const DEFAULT_RATE_LIMIT: &str = "enforce";
const DEFAULT_PROGRESSION: &str = "manual";
pub(super) const DEFAULT_ANSWERS: &str = "default";

/// Environment variable with the token of the control plane.
pub(super) const ADMIN_TOKEN: &str = "MOOT_ADMIN_TOKEN";
/// A shorter token of the control plane is refused beyond loopback. It could be guessed.
const ADMIN_TOKEN_BYTES_MIN: usize = 8;

/// The data of the mock and its behaviour.
#[derive(Debug, Default, Args)]
pub(super) struct WorldArguments {
    /// The initial data: the name of a bundled world, or a file [default: demo]
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) world: Option<String>,
    /// How the mock answers where the specification is open: `default`, `documented`, `random:SEED` or a
    /// file [default: default, or the answers that --state keeps]
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(super) answers: Option<String>,
    /// Seed of its ids, tokens and request ids [default: random]
    #[arg(long, value_name = "N", value_parser = any_number)]
    pub(super) seed: Option<u64>,
    /// `real`, `frozen` or `frozen:TIME` [default: real, or the clock that --state keeps]
    #[arg(long, value_name = "CLOCK")]
    pub(super) clock: Option<String>,
    /// `enforce`, `observe` (count, never refuse) or `off` [default: enforce, or the mode that --state
    /// keeps]
    #[arg(long, value_name = "MODE")]
    pub(super) rate_limit: Option<String>,
    /// How the status of requests advances: `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
    /// [default: manual, or the progression that --state keeps]
    #[arg(long, value_name = "HOW")]
    pub(super) progression: Option<String>,
    /// A deliberate fault; repeatable
    #[arg(long = "defect", value_name = "ID")]
    pub(super) defects: Vec<String>,
}

impl WorldArguments {
    /// The name or the file of the seed world.
    pub(super) fn world_name(&self) -> &str {
        self.world.as_deref().unwrap_or(DEFAULT_WORLD)
    }

    /// The deliberate faults.
    ///
    /// # Errors
    /// There is no such defect.
    pub(super) fn defects(&self) -> Result<Vec<&'static Defect>, CommandError> {
        Ok(self.defects.iter().map(|id| settings::defect(id)).collect::<Result<_, _>>()?)
    }
}

/// The address of the mock, and its state folder.
#[derive(Debug, Args)]
pub(super) struct PlaceArguments {
    /// The base address that clients use, if it is not the one of --listen. Its path is served
    #[arg(long, value_name = "URL")]
    pub(super) public_url: Option<String>,
    /// Folder that keeps the data of the main world and of every sandbox. Data in it takes precedence
    /// over --world and --seed. --clock, --rate-limit, --progression and --answers take precedence over it.
    /// `postgres://USER@HOST/DATABASE` keeps the data in PostgreSQL. Several mocks can share it; one of them is
    /// active. The password is in PGPASSWORD, or in the file that MOOT_STATE_PASSWORD_FILE names
    #[arg(long, value_name = "DIR|URL")]
    pub(super) state: Option<PathBuf>,
    /// Serve https: PEM files with the certificate (and its chain) and with its key
    #[arg(long, value_name = "CERT,KEY", value_delimiter = ',')]
    pub(super) tls: Option<Vec<PathBuf>>,
    /// Fetch documents that are uploaded by address, from public https addresses only. Without it the mock
    /// fetches nothing: it stores a placeholder, or the content that `PUT /__admin/addresses` registered
    #[arg(long)]
    pub(super) fetch: bool,
    /// Deliver webhooks to private and loopback addresses even if the mock listens beyond loopback. A mock that
    /// listens on loopback always does
    #[arg(long)]
    pub(super) private_receivers: bool,
    /// File with the token of the control plane, instead of MOOT_ADMIN_TOKEN. A token is required beyond
    /// loopback
    #[arg(long, value_name = "FILE")]
    pub(super) admin_token_file: Option<PathBuf>,
}

/// A mock that listens and does not serve yet.
pub(super) struct ListeningMock {
    pub(super) listener: TcpListener,
    pub(super) served: ServedMock,
    pub(super) tls: Option<Tls>,
    /// The token of its control plane, if it has one.
    pub(super) admin_token: Option<String>,
    /// The address of its socket; its base address may be another one.
    pub(super) bound: SocketAddr,
    /// The source of its data, if `--state` had data already.
    pub(super) restored: Option<&'static str>,
    /// Tells the user that options of the command line are ignored, because `--state` had data already.
    pub(super) note: Option<String>,
}

/// The mock that answers the calls.
pub(super) enum ServedMock {
    /// A mock with its own data.
    Site(Site),
    /// One of several mocks that share their data.
    #[cfg(feature = "postgres")]
    Node(moot_mock::shell::Node),
}

impl ServedMock {
    /// Like [`Site::describe`].
    pub(super) fn describe(&self) -> Value {
        match self {
            Self::Site(site) => site.describe(),
            #[cfg(feature = "postgres")]
            Self::Node(node) => node.describe(),
        }
    }

    fn seed_world(&self) -> &SeedWorld {
        match self {
            Self::Site(site) => site.seed_world(),
            #[cfg(feature = "postgres")]
            Self::Node(node) => node.seed_world(),
        }
    }
}

impl ListeningMock {
    /// Opens the mock that the command line describes. It calls `watch` for each of its calls.
    ///
    /// # Errors
    /// An option or a file is invalid, or the address can't be listened on.
    pub(super) async fn open(
        listen: SocketAddr,
        place: &PlaceArguments,
        world: &WorldArguments,
        watch: Option<CallWatch>,
    ) -> Result<Self, CommandError> {
        let admin_token = admin_token(place.admin_token_file.as_deref())?;
        let is_beyond_loopback = !listen.ip().is_loopback();
        if is_beyond_loopback && admin_token.is_none() {
            return Err(CommandError::usage(format!(
                "{listen} can be reached from other machines, and its control plane has no token"
            ))
            .help(format!("set {ADMIN_TOKEN} or --admin-token-file, or listen on 127.0.0.1")));
        }
        let length = admin_token.as_ref().map(String::len);
        if is_beyond_loopback && length.is_some_and(|length| length < ADMIN_TOKEN_BYTES_MIN) {
            return Err(CommandError::usage(format!(
                "{listen} can be reached from other machines, and the token of its control plane is shorter than \
                 {ADMIN_TOKEN_BYTES_MIN} bytes"
            ))
            .help("use a longer token, for example from `openssl rand -hex 16`"));
        }
        let tls = tls(place.tls.as_deref())?;
        let (listener, bound) = listen_on(listen).await?;
        let options = SiteOptions {
            admin_token: admin_token.clone(),
            is_beyond_loopback,
            has_private_receivers: place.private_receivers,
            fetcher: place.fetch.then(|| Arc::new(Fetcher::new(Network::system(), FETCH_TIME_MAX))),
            defects: world.defects()?,
            watch,
            judge: Some(Arc::new(findings)),
            precedence: Precedence {
                clock: world.clock.is_some(),
                rate_limit: world.rate_limit.is_some(),
                progression: world.progression.is_some(),
                answers: world.answers.is_some(),
            },
            ..SiteOptions::new(settings_of(world, base_url(place, bound)?)?)
        };
        let (seed, seed_world) = (options.settings.seed, options.settings.seed_world.clone());
        let state = place.state.as_deref();
        let (restored, served) = match (state, state.and_then(database)) {
            (_, Some(address)) => {
                let node = node(address, options, callable(bound).to_string()).await?;
                (Some("from the database"), node)
            }
            (Some(place), None) if place.is_file() || is_address(place) => {
                let what =
                    if place.is_file() { "a file" } else { "an address that moot cannot use" };
                let why = format!(
                    "`{}` is {what}; name a folder, or postgres://USER@HOST/DATABASE",
                    place.display()
                );
                return Err(CommandError::usage(why).of_option("--state"));
            }
            (Some(folder), None) => {
                let restored = holds_state(folder).then_some("from the state folder");
                (restored, ServedMock::Site(Site::with_state(options, folder)?))
            }
            (None, None) => (None, ServedMock::Site(Site::new(options)?)),
        };
        let is_ignored = (world.seed.is_some() && served.describe()["seed"] != seed)
            || (world.world.is_some() && *served.seed_world() != *seed_world);
        let note = state.filter(|_| restored.is_some() && is_ignored).map(|state| {
            format!(
                "`{}` has the data of an earlier mock, so --seed and --world are ignored; give --state another place for \
                 new data\n",
                state.display()
            )
        });
        Ok(Self { listener, served, tls, admin_token, bound, restored, note })
    }

    /// Serves until `stop` is ready.
    pub(super) async fn serve(self, stop: impl Future<Output = ()> + Send) {
        let Self { listener, served, tls, .. } = self;
        let (limits, stop) = (ServeLimits::default(), Box::pin(stop));
        match served {
            ServedMock::Site(site) => serve(listener, site, limits, tls, stop).await,
            #[cfg(feature = "postgres")]
            ServedMock::Node(node) => {
                moot_mock::shell::serve_node(listener, node, limits, tls, stop).await;
            }
        }
    }
}

/// The value of `--state`, if it is the address of a database.
fn database(state: &Path) -> Option<&str> {
    let schemes = ["postgres://", "postgresql://"];
    state.to_str().filter(|text| schemes.iter().any(|scheme| text.starts_with(scheme)))
}

/// Whether the value of `--state` is an address. A folder of that name would hide a mistake.
fn is_address(state: &Path) -> bool {
    state.to_string_lossy().contains("://")
}

#[cfg(feature = "postgres")]
async fn node(
    address: &str,
    options: SiteOptions,
    name: String,
) -> Result<ServedMock, CommandError> {
    Ok(ServedMock::Node(super::shared_state::open(address, options, name).await?))
}

#[cfg(not(feature = "postgres"))]
async fn node(_: &str, _: SiteOptions, _: String) -> Result<ServedMock, CommandError> {
    Err(CommandError::usage("--state: this moot was built without PostgreSQL")
        .help("take the released binary, or build it with `--features postgres`"))
}

/// The findings of conduct for the journal of a world: the response of `GET /findings`.
fn findings(journal: &Value) -> Option<Value> {
    let world = WorldJournal::deserialize(journal).ok()?;
    let Account { calls, forgotten, findings, .. } = Account::of(&[world]);
    Some(json!({ "calls": calls, "forgotten": forgotten, "findings": findings }))
}

/// The secrets of a mock that occur in a text, and the tokens of its control plane, each with its name.
pub(super) fn secrets_in(text: &str, site: &Site, tokens: &[(&str, &str)]) -> Secrets {
    let masks = Masks::default();
    for (token, name) in tokens {
        masks.hide(token, name);
    }
    for secret in site.secrets_near(text) {
        masks.hide(&secret, "secret");
    }
    Secrets::of(&masks)
}

/// Reads the certificate and the key of `--tls`.
///
/// # Errors
/// There are not two files, or they are not a certificate and its key.
pub(super) fn tls(files: Option<&[PathBuf]>) -> Result<Option<Tls>, CommandError> {
    match files {
        None => Ok(None),
        Some([certificates, key]) => Tls::read(certificates, key)
            .map(Some)
            .map_err(|error| CommandError::usage(format!("--tls: {error}"))),
        Some(_) => Err(CommandError::usage("--tls takes two files: CERT,KEY")),
    }
}

/// The absolute path of the certificate of `--tls`, for a client that must trust it.
pub(super) fn certificate_file(files: Option<&[PathBuf]>) -> Option<PathBuf> {
    std::path::absolute(files?.first()?).ok()
}

fn base_url(place: &PlaceArguments, bound: SocketAddr) -> Result<String, CommandError> {
    Ok(match &place.public_url {
        Some(url) => {
            address::base(url).map_err(|why| CommandError::usage(why).of_option("--public-url"))?;
            url.trim_end_matches('/').to_owned()
        }
        None if place.tls.is_some() => format!("https://{}", callable(bound)),
        None => format!("http://{}", callable(bound)),
    })
}

/// The settings of the mock that the command line describes.
///
/// # Errors
/// An invalid option or file.
pub(super) fn settings_of(
    arguments: &WorldArguments,
    base_url: String,
) -> Result<Settings, CommandError> {
    let clock_text = arguments.clock.as_deref().unwrap_or(DEFAULT_CLOCK);
    let rate_limit = arguments.rate_limit.as_deref().unwrap_or(DEFAULT_RATE_LIMIT);
    let progression = arguments.progression.as_deref().unwrap_or(DEFAULT_PROGRESSION);
    Ok(Settings {
        seed: arguments.seed.unwrap_or_else(random_seed),
        base_url,
        answers: answers_named(arguments.answers.as_deref().unwrap_or(DEFAULT_ANSWERS))?,
        seed_world: world_named(arguments.world_name())?,
        clock: settings::clock(clock_text, clock::now())?,
        rate_limit: settings::rate_limit(rate_limit)?,
        progression: settings::progression(progression)?,
    })
}

/// The token of the control plane, from the file or else from the environment.
fn admin_token(file: Option<&Path>) -> Result<Option<String>, CommandError> {
    let (token, from) = match file {
        Some(path) => {
            let text = read_file(path).map_err(|error| error.of_option("--admin-token-file"))?;
            (text, format!("--admin-token-file: `{}`", path.display()))
        }
        None => match std::env::var(ADMIN_TOKEN) {
            Ok(text) => (text, ADMIN_TOKEN.to_owned()),
            Err(_) => return Ok(None),
        },
    };
    match token.trim() {
        "" => Err(CommandError::usage(format!("{from} has no token"))),
        token => Ok(Some(token.to_owned())),
    }
}
