//! Serves the mock of a drill, and another host to which the client must not send credentials. In one drill the mock
//! has a wrong certificate.

use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use moot_mock::shell::{ServeLimits, Site, SiteOptions, Tls, serve};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::drill_mock::DrillMock;
use crate::command::error::CommandError;
use crate::command::listen::listen_on;
use crate::command::serve::{WorldArguments, settings_of};
use crate::grading::conduct::rows;

/// A served mock, with the other host.
pub(super) struct ServedDrillMock {
    pub(super) mock: Arc<DrillMock>,
    /// The other host.
    stranger: Site,
    stops: Vec<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl ServedDrillMock {
    /// Serves a mock at this address, and another host.
    ///
    /// # Errors
    /// The options of the world are wrong, or the address can't be listened on.
    pub(super) async fn start(
        world: &WorldArguments,
        listen: SocketAddr,
        seed: u64,
        tls: Option<Tls>,
    ) -> Result<Self, CommandError> {
        let (listener, address) = listen_on(listen).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (stranger_listener, stranger_bound) =
            listen_on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let mut settings = settings_of(world, format!("{scheme}://{address}"))?;
        settings.seed = seed;
        let stranger = Site::new(SiteOptions::new(settings.clone()))?;
        let options = SiteOptions { defects: world.defects()?, ..SiteOptions::new(settings) };
        let mock = DrillMock::new(options, format!("http://{stranger_bound}"))?;
        let site = mock.site.clone();
        let served = [(listener, site, tls), (stranger_listener, stranger.clone(), None)];
        let stops = served.map(|(listener, site, tls)| {
            let (stop, stopped) = oneshot::channel::<()>();
            let stopped = Box::pin(async { drop(stopped.await) });
            let limits = ServeLimits::default();
            (stop, tokio::spawn(serve(listener, site, limits, tls, stopped)))
        });
        Ok(Self { mock, stranger, stops: Vec::from(stops) })
    }

    /// Ends it after all calls are answered: a call is in the journal only after that.
    pub(super) async fn end(&mut self) {
        for (stop, served) in self.stops.drain(..) {
            drop(stop);
            let _ = served.await;
        }
    }

    /// The number of calls with credentials to the other host.
    pub(super) fn credentials_sent_elsewhere(&self) -> usize {
        let journals = self.stranger.journals();
        let calls = rows(&journals, "worlds").flat_map(|world| rows(world, "exchanges"));
        calls.filter(|call| call["request"]["authorization"].is_string()).count()
    }
}

/// Makes a self-signed certificate, which a client must refuse.
pub(super) fn wrong_certificate() -> Result<Tls, CommandError> {
    fn fault(error: impl Display) -> CommandError {
        CommandError::fault(format!("no certificate can be made: {error}"))
    }
    let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).map_err(fault)?;
    let folder = tempfile::tempdir().map_err(fault)?;
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem())
        .and_then(|()| std::fs::write(&key, made.signing_key.serialize_pem()))
        .map_err(fault)?;
    Tls::read(&certificate, &key).map_err(fault)
}
