//! `moot mock`: serves the mock on a socket until a signal stops it. `--healthcheck` asks a mock that runs.

use std::time::Duration;

use clap::Args;
use reqwest::StatusCode;

use super::call_lines::call_watch;
use super::error::CommandError;
use super::listen::ListenArguments;
use super::ready;
use super::runtime::runtime;
use super::screen::Screen;
use super::serve::{ListeningMock, PlaceArguments, WorldArguments};
use super::signals::StopSignals;
use crate::client::http::new_builder;
use crate::client::response;
use crate::client::target_file::address;

#[derive(Debug, Args)]
#[command(mut_arg("listen", |listen| listen.default_value("127.0.0.1:4010")))]
pub(super) struct MockArguments {
    #[command(flatten)]
    listen: ListenArguments,
    /// Do not serve, but ask a running mock whether it is healthy (`GET /health`). Exit 0 if it is, else 1.
    /// For the health check of a container
    #[arg(
        long, value_name = "URL",
        conflicts_with_all = ["ListenArguments", "WorldArguments", "PlaceArguments"]
    )]
    healthcheck: Option<String>,
    #[command(flatten)]
    world: WorldArguments,
    #[command(flatten)]
    place: PlaceArguments,
}

/// Exit code: the mock is not healthy.
const UNHEALTHY: u8 = 1;

/// Timeout of a health check, including the body of the response.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);

/// Exit 0 when a signal stops it.
pub(super) fn mock(arguments: MockArguments, screen: &Screen) -> Result<u8, CommandError> {
    let MockArguments { listen, healthcheck, world, place } = arguments;
    runtime()?.block_on(async {
        if let Some(url) = healthcheck {
            return check_health(&url).await;
        }
        let mock =
            ListeningMock::open(listen.address(), &place, &world, call_watch(screen)).await?;
        let mut signals = StopSignals::new()?;
        // The socket listens already, so the address is valid as soon as it is printed.
        if let Some(note) = &mock.note {
            screen.note(note)?;
        }
        ready::announce(&mock, &world, &place, screen)?;
        mock.serve(signals.next()).await;
        Ok(0)
    })
}

/// Exit 0 if the mock is healthy. A base address without a path stands for its `/health`.
///
/// # Errors
/// The mock is not healthy: exit 1.
async fn check_health(url: &str) -> Result<u8, CommandError> {
    let unhealthy = |why: String| {
        CommandError::usage(format!("{url} is not healthy: {why}"))
            .exit(UNHEALTHY)
            .help("is a mock running there?")
    };
    let mut parsed = address::base(url)
        .map_err(|why| CommandError::usage(why).of_option("--healthcheck").exit(UNHEALTHY))?;
    if !parsed.path().ends_with("/health") {
        let path = format!("{}/health", parsed.path().trim_end_matches('/'));
        parsed.set_path(&path);
    }
    let client = new_builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(HEALTH_TIMEOUT)
        // Nothing secret is sent, and a container uses a name for itself that no certificate has.
        .tls_danger_accept_invalid_certs(true)
        .build()
        .map_err(|error| unhealthy(error.to_string()))?;
    let response =
        client.get(parsed).send().await.map_err(|error| unhealthy(response::innermost(&error)))?;
    match response.status() {
        StatusCode::OK => Ok(0),
        status => Err(unhealthy(format!("it answered {status}"))),
    }
}
