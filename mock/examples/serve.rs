//! The mock inside another program: `serve PORT [WORLD]`. The rate limit counts and never refuses.

use std::error::Error;
use std::net::Ipv4Addr;

use moot_fixtures::answers;
use moot_mock::Settings;
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode};
use moot_mock::shell::{ServeLimits, Site, SiteOptions, serve, settings};
use tokio::net::TcpListener;

/// A fixed seed, so that every run gives the same responses.
const SEED: u64 = 1;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (port, world) = match arguments.as_slice() {
        [port] => (port, "demo"),
        [port, world] => (port, world.as_str()),
        _ => return Err("usage: serve PORT [WORLD]".into()),
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?)).await?;
    let site = Site::new(SiteOptions::new(Settings {
        seed: SEED,
        base_url: format!("http://{}", listener.local_addr()?),
        answers: answers::default().clone(),
        seed_world: settings::world(world)?,
        clock: ClockSetting::Real,
        rate_limit: RateLimitMode::Observe,
        progression: Progression::Manual,
    }))?;
    serve(listener, site, ServeLimits::default(), None, Box::pin(std::future::pending())).await;
    Ok(())
}
