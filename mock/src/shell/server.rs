//! HTTP/1.1 on an accept loop of our own: every wait bounded, every connection counted.
//!
//! No routing and no middleware: a call goes straight to the [`Site`].

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::connection::Connection;
use super::sent::Reset;
use super::site::Site;
use super::site_body::SiteBody;
use super::tls::Tls;

/// After a failed `accept`, which is usually for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// Bounds of a server; those of bodies are the site's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections_max: usize,
    /// For the head of a call, and for an idle connection.
    pub head_max: Duration,
    /// For calls that run when the server is told to stop.
    pub stop_max: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            head_max: Duration::from_secs(60),
            stop_max: Duration::from_secs(10),
        }
    }
}

/// Serves `site` on `listener` until `stop` is ready; then accepts no more, closes idle connections
/// and lets running calls end, for [`ServeLimits::stop_max`] at most. Dropped, it ends at once.
pub async fn serve(
    listener: TcpListener,
    site: Site,
    limits: ServeLimits,
    stop: impl Future<Output = ()>,
) {
    accept_all(listener, site, limits, None, stop).await;
}

/// As [`serve`], over TLS; a handshake has as long as the head of a call.
pub async fn serve_tls(
    listener: TcpListener,
    site: Site,
    limits: ServeLimits,
    tls: Tls,
    stop: impl Future<Output = ()>,
) {
    accept_all(listener, site, limits, Some(tls), stop).await;
}

async fn accept_all(
    listener: TcpListener,
    site: Site,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head_max);
    // A client may close its sending side and still wait for the answer.
    http.half_close(true);
    let connections = Arc::new(Semaphore::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    // Dropped at the end, and with it what has not ended by then.
    let mut tasks = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener, &connections) => accepted,
        };
        let (stream, peer, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(_) => {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Without it answers would only be slower.
        let _ = stream.set_nodelay(true);
        let (stream, is_reset) = Connection::new(stream);
        let (http, site, client) = (http.clone(), site.clone(), plain(peer.ip()));
        let connection = Accepted { http, site, client, is_reset };
        let (watcher, tls) = (graceful.watcher(), tls.clone());
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let _permit = permit;
            let Some(Tls(acceptor)) = tls else { return connection.serve(stream, watcher).await };
            let handshake = tokio::time::timeout(limits.head_max, acceptor.accept(stream));
            if let Ok(Ok(stream)) = handshake.await {
                connection.serve(stream, watcher).await;
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.stop_max, graceful.shutdown()).await;
}

/// A connection that was accepted.
struct Accepted {
    http: http1::Builder,
    site: Site,
    client: IpAddr,
    is_reset: Arc<AtomicBool>,
}

impl Accepted {
    /// Answers all calls on it. Whatever ends it is the peer's doing, and ends nothing else.
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static, watcher: Watcher) {
        let Self { http, site, client, is_reset } = self;
        let service =
            service_fn(move |request| call(site.clone(), request, client, is_reset.clone()));
        let _ = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await;
    }
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let permit = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, permit))
}

/// # Errors
/// A fault resets the connection instead of an answer.
async fn call(
    site: Site,
    request: Request<Incoming>,
    client: IpAddr,
    is_reset: Arc<AtomicBool>,
) -> io::Result<Response<SiteBody>> {
    let answer = site.call(request, client).await;
    match answer.extensions().get::<Reset>() {
        None => Ok(answer),
        Some(Reset::During) => {
            is_reset.store(true, Ordering::Release);
            Ok(answer)
        }
        Some(Reset::Before) => {
            is_reset.store(true, Ordering::Release);
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
}

/// An IPv4 peer of a dual-stack socket counts as itself (§8: the limit is per address).
fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}
