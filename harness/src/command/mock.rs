//! `moot mock`: the service on a socket, until it is told to stop.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use moot_fixtures::{answers, world};
use moot_mock::defect::Defect;
use moot_mock::settings::Settings;
use moot_mock::shell::settings::{self, SettingError};
use moot_mock::shell::{
    FETCH_TIME_MAX, Fetcher, Network, ServeLimits, Site, SiteOptions, Tls, clock, holds_state,
    serve, serve_tls,
};
use tokio::net::TcpListener;

use super::failure::Failure;
use super::line::{DEFAULT_WORLD, MockArguments, PlaceArguments, WorldArguments};
use super::ready;
use super::run::{drawn, runtime};
use super::screen::Screen;

/// Environment variable with the token of the control plane.
pub(super) const ADMIN_TOKEN: &str = "MOOT_ADMIN_TOKEN";

/// A mock that listens, and serves nothing yet.
pub(super) struct Opened {
    pub(super) listener: TcpListener,
    pub(super) site: Site,
    pub(super) tls: Option<Tls>,
    /// Of the control plane, where it has one.
    pub(super) admin_token: Option<String>,
    /// What of the line does not hold, since the folder of the state holds another.
    pub(super) note: Option<String>,
}

impl Opened {
    /// Serves until `stop` is ready.
    pub(super) async fn serve(self, stop: impl Future<Output = ()>) {
        let Self { listener, site, tls, admin_token: _, note: _ } = self;
        match tls {
            Some(tls) => serve_tls(listener, site, ServeLimits::default(), tls, stop).await,
            None => serve(listener, site, ServeLimits::default(), stop).await,
        }
    }
}

/// Exit 0 once it was told to stop.
pub(super) fn mock(arguments: MockArguments, screen: &Screen) -> Result<u8, Failure> {
    runtime()?.block_on(async {
        let opened = open(arguments.listen, &arguments.place, &arguments.world).await?;
        let stop = stop_signal()?;
        // The socket listens already: what is printed is true before the first call is accepted.
        if let Some(note) = &opened.note {
            screen.note(note)?;
        }
        ready::announce(&opened.site.describe(), &arguments, opened.note.is_some(), screen)?;
        opened.serve(stop).await;
        Ok(0)
    })
}

/// The mock that a line asks for.
///
/// # Errors
/// Whatever of the line, or of a file that it names, makes no mock.
pub(super) async fn open(
    listen: SocketAddr,
    place: &PlaceArguments,
    world: &WorldArguments,
) -> Result<Opened, Failure> {
    let admin_token = admin_token(place.admin_token_file.as_deref())?;
    let is_beyond_loopback = !listen.ip().is_loopback();
    if is_beyond_loopback && admin_token.is_none() {
        return Err(Failure::usage(format!(
            "{listen} can be reached from other machines, and its control plane has no token"
        ))
        .help(format!("set {ADMIN_TOKEN} or --admin-token-file, or listen on 127.0.0.1")));
    }
    let tls = tls(place)?;
    let listener = TcpListener::bind(listen).await.map_err(|error| {
        Failure::usage(format!("can't listen on {listen}: {error}"))
            .help("`--listen 127.0.0.1:0` takes a free port")
    })?;
    let bound = listener
        .local_addr()
        .map_err(|error| Failure::fault(format!("the socket has no address: {error}")))?;
    let options = SiteOptions {
        admin_token: admin_token.clone(),
        is_beyond_loopback,
        has_private_receivers: place.private_receivers,
        fetcher: place.fetch.then(fetcher),
        defects: defects_of(world)?,
        ..SiteOptions::new(settings_of(world, base_url(place, bound))?)
    };
    let note = place.state.as_deref().and_then(|folder| kept(folder, world));
    let site = match &place.state {
        Some(folder) => Site::with_state(options, folder),
        None => Site::new(options),
    }
    .map_err(|error| Failure::usage(format!("the mock can't start: {error}")))?;
    Ok(Opened { listener, site, tls, admin_token, note })
}

/// What is said where a folder holds a world already, and the line names another.
fn kept(folder: &Path, world: &WorldArguments) -> Option<String> {
    let is_another = world.seed.is_some() || world.world != DEFAULT_WORLD;
    (is_another && holds_state(folder)).then(|| {
        format!(
            "{} holds a world already: its seed and its rows stand, and --seed and --world do not\n",
            folder.display()
        )
    })
}

fn fetcher() -> Arc<Fetcher> {
    Arc::new(Fetcher::new(Network::system(), FETCH_TIME_MAX))
}

fn tls(place: &PlaceArguments) -> Result<Option<Tls>, Failure> {
    match place.tls.as_deref() {
        None => Ok(None),
        Some([certificates, key]) => Tls::read(certificates, key)
            .map(Some)
            .map_err(|error| Failure::usage(format!("--tls: {error}"))),
        Some(_) => Err(Failure::usage("--tls takes two files: CERT,KEY")),
    }
}

fn base_url(place: &PlaceArguments, bound: SocketAddr) -> String {
    match &place.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if place.tls.is_some() => format!("https://{}", callable(bound)),
        None => format!("http://{}", callable(bound)),
    }
}

/// The world that the line asks for, at this address.
fn settings_of(arguments: &WorldArguments, base_url: String) -> Result<Settings, Failure> {
    let refusal = |error: SettingError| Failure::usage(error.to_string());
    Ok(Settings {
        seed: arguments.seed.unwrap_or_else(drawn),
        base_url,
        answers: chosen_answers(&arguments.answers)?,
        seed_world: chosen_world(&arguments.world)?,
        clock: settings::clock(&arguments.clock, clock::now()).map_err(refusal)?,
        rate_limit: settings::rate_limit(&arguments.rate_limit).map_err(refusal)?,
        progression: settings::progression(&arguments.progression).map_err(refusal)?,
    })
}

fn defects_of(arguments: &WorldArguments) -> Result<Vec<&'static Defect>, Failure> {
    let refusal = |error: SettingError| Failure::usage(error.to_string());
    arguments.defects.iter().map(|id| settings::defect(id).map_err(refusal)).collect()
}

/// `0.0.0.0` is an address to listen on, not one to call.
pub(super) fn callable(bound: SocketAddr) -> SocketAddr {
    if !bound.ip().is_unspecified() {
        return bound;
    }
    let host = match bound.ip() {
        IpAddr::V4(_) => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(_) => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
    };
    SocketAddr::new(host, bound.port())
}

/// A bundled name first; else a file of that name.
pub(super) fn chosen_answers(text: &str) -> Result<Answers, Failure> {
    match (settings::answers(text), Path::new(text).is_file()) {
        (Ok(answers), _) => Ok(answers),
        (Err(_), true) => answers::parse(&read(text)?)
            .map_err(|error| Failure::usage(error.in_file(text).to_string())),
        (Err(error), false) => Err(no_such(&error)),
    }
}

/// As [`chosen_answers`].
pub(super) fn chosen_world(text: &str) -> Result<Arc<SeedWorld>, Failure> {
    match (settings::world(text), Path::new(text).is_file()) {
        (Ok(world), _) => Ok(world),
        (Err(_), true) => world::parse(&read(text)?)
            .map(Arc::new)
            .map_err(|error| Failure::usage(error.in_file(text).to_string())),
        (Err(error), false) => Err(no_such(&error)),
    }
}

fn no_such(error: &SettingError) -> Failure {
    Failure::usage(format!("{error}; there is no file of that name either"))
}

fn read(file: &str) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| Failure::usage(format!("{file}: {error}")))
}

/// Of the file, else of the environment.
fn admin_token(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let (token, from) = match file {
        Some(path) => {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            (text, path.display().to_string())
        }
        None => match std::env::var(ADMIN_TOKEN) {
            Ok(text) => (text, ADMIN_TOKEN.to_owned()),
            Err(_) => return Ok(None),
        },
    };
    match token.trim() {
        "" => Err(Failure::usage(format!("{from} holds no token"))),
        token => Ok(Some(token.to_owned())),
    }
}

/// Ends with the first SIGINT or SIGTERM. The handlers stand when this returns.
#[cfg(unix)]
pub(super) fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let refusal = |error| Failure::fault(format!("signals can't be waited for: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(refusal)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(refusal)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends with the first Ctrl-C.
#[cfg(not(unix))]
pub(super) fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    Ok(async {
        // Without a handler the only way to stop is to end the process, as it would be anyway.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{callable, chosen_answers, chosen_world};

    #[test]
    fn an_address_to_listen_on_becomes_one_to_call() {
        for (bound, expected) in [
            ("127.0.0.1:4010", "127.0.0.1:4010"),
            ("0.0.0.0:4010", "127.0.0.1:4010"),
            ("[::]:4010", "[::1]:4010"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            assert_eq!(callable(bound.parse().expect("an address")).to_string(), expected);
        }
    }

    #[test]
    fn a_name_is_bundled_or_a_file() {
        assert!(chosen_world("demo").is_ok());
        assert!(chosen_answers("documented").is_ok());
        assert!(chosen_answers("random:7").is_ok());
        let refusal = chosen_world("dem").expect_err("no such world");
        assert!(refusal.message.contains("no file of that name"), "{}", refusal.message);
    }
}
