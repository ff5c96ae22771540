//! `moot mock`: serves the mock on a socket until a signal stops it.

use std::net::SocketAddr;

use clap::Args;

use super::call_lines::call_watch;
use super::error::CommandError;
use super::healthcheck;
use super::listen::{at_port, listen_address};
use super::ready;
use super::runtime::runtime;
use super::screen::Screen;
use super::serve::{ListeningMock, PlaceArguments, WorldArguments};
use super::signals::StopSignals;

#[derive(Debug, Args)]
pub(super) struct MockArguments {
    /// Where to listen: ADDRESS:PORT, localhost:PORT or PORT; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4010", value_parser = listen_address)]
    listen: SocketAddr,
    /// Listen on this port of 127.0.0.1
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,
    /// Serve nothing: ask a mock that runs whether it is healthy (`GET /health`). Exit 0 if it is, else 1.
    /// For the health check of a container
    #[arg(long, value_name = "URL", exclusive = true)]
    healthcheck: Option<String>,
    #[command(flatten)]
    world: WorldArguments,
    #[command(flatten)]
    place: PlaceArguments,
}

/// Exit 0 when a signal stops it.
pub(super) fn mock(arguments: MockArguments, screen: &Screen) -> Result<u8, CommandError> {
    let MockArguments { listen, port, healthcheck, world, place } = arguments;
    let listen = at_port(listen, port);
    runtime()?.block_on(async {
        if let Some(url) = healthcheck {
            return healthcheck::check(&url).await;
        }
        let mock = ListeningMock::open(listen, &place, &world, call_watch(screen)).await?;
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
