//! HTTP/1.1 on an accept loop of our own: every wait bounded, every connection counted.
//!
//! No routing and no middleware: a call goes straight to the [`Site`].

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::connection::{Connection, Ending};
use super::tls::Tls;
use crate::shell::answer::Reset;
use crate::shell::answer::SiteBody;
use crate::shell::clock;
use crate::shell::site::Site;

/// After a failed `accept`, which is usually for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
/// Looks at a connection in [`ServeLimits::head_max`]: a timer for each call would cost more than
/// finding its answer.
const LOOKS: u32 = 4;

/// Bounds of a server; those of bodies are the site's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections_max: usize,
    /// For the head of a call, and for an idle connection, which may last a quarter longer.
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
        let (stream, ending) = Connection::new(stream);
        let (http, site, client) = (http.clone(), site.clone(), plain(peer.ip()));
        let connection = Accepted { http, served: Served { site, client, ending } };
        let (watcher, tls) = (graceful.watcher(), tls.clone());
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let _permit = permit;
            let Some(Tls(acceptor)) = tls else {
                return connection.serve(stream, watcher, limits.head_max).await;
            };
            let handshake = tokio::time::timeout(limits.head_max, acceptor.accept(stream));
            if let Ok(Ok(stream)) = handshake.await {
                connection.serve(stream, watcher, limits.head_max).await;
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.stop_max, graceful.shutdown()).await;
}

/// A connection that was accepted.
struct Accepted {
    http: http1::Builder,
    served: Served,
}

impl Accepted {
    /// Answers all calls on it. Whatever ends it is the peer's doing, and ends nothing else.
    async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
        watcher: Watcher,
        head_max: Duration,
    ) {
        let Self { http, served } = self;
        let served = Arc::new(served);
        let service = service_fn(|request| call(served.clone(), request));
        let connection = watcher.watch(http.serve_connection(TokioIo::new(stream), service));
        let mut connection = pin!(connection);
        let pause = head_max / LOOKS;
        let mut look = pin!(tokio::time::sleep(pause));
        let mut is_set = false;
        poll_fn(|cx| {
            if connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(());
            }
            // Once it is set, it is asked for nothing but whether its time has come.
            if is_set && !look.is_elapsed() {
                return Poll::Pending;
            }
            while look.as_mut().poll(cx).is_ready() {
                if served.ending.idle_looks() >= LOOKS {
                    return Poll::Ready(());
                }
                look.as_mut().reset(clock::instant() + pause);
            }
            is_set = true;
            Poll::Pending
        })
        .await;
    }
}

/// What the calls on a connection are answered by.
struct Served {
    site: Site,
    client: IpAddr,
    ending: Arc<Ending>,
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
async fn call(served: Arc<Served>, request: Request<Incoming>) -> io::Result<Response<SiteBody>> {
    served.ending.begin_call();
    let answer = served.site.call(request, served.client).await;
    served.ending.end_call();
    match answer.extensions().get::<Reset>() {
        None => Ok(answer),
        Some(Reset::During) => {
            served.ending.reset();
            Ok(answer)
        }
        Some(Reset::Before) => {
            served.ending.reset();
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
}

/// An IPv4 peer of a dual-stack socket counts as itself (§8: the limit is per address).
fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}
