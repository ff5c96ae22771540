//! HTTP/1.1 on an accept loop of our own, with a timeout for each wait and a limit for connections.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::connection::{Connection, ConnectionSwitch};
use super::places::{ConnectionPhase, ConnectionPlace, Places};
use super::tls::Tls;
use super::watched_body::WatchedBody;
use super::watched_response::WatchedResponse;
use crate::shell::clock;
use crate::shell::response::SiteBody;
use crate::value::message::response::TransportFault;
use crate::value::message::wire::WireCall;

/// Pause after a failed `accept`. The usual cause is a lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// The number of the next connection of this process.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// Limits of a server. The limits of bodies belong to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections at a time. A further one closes an idle connection, else one whose body is still being read. If all
    /// of them are being answered, it waits.
    pub connections_max: usize,
    /// Connections of one address at a time. A further one closes another of the same address, or is closed.
    pub connections_per_address_max: usize,
    /// Timeout for the head of a call, and for an idle connection.
    pub head_max: Duration,
    /// Time for running calls when the server stops.
    pub stop_max: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            connections_per_address_max: 3_072,
            head_max: Duration::from_secs(30),
            stop_max: Duration::from_secs(10),
        }
    }
}

/// Answers the calls on `listener` until `stop` is ready. Then it closes idle connections and waits for running calls,
/// for [`ServeLimits::stop_max`] at most. If the future is dropped, it ends at once. A [`TransportFault`] of a response
/// may end the connection.
pub(crate) async fn accept_all<H, F>(
    listener: TcpListener,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: impl Future<Output = ()>,
    answer: H,
) where
    H: Fn(SocketAddr, Request<WatchedBody>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<SiteBody>> + Send,
{
    let limit = limits.connections_per_address_max;
    let places = Arc::new(Places::new(limits.connections_max, limit));
    let graceful = GracefulShutdown::new();
    // Dropped at the end. That aborts the remaining connections.
    let mut tasks = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let Ok((stream, peer, place)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // An address that has its share of places gets no further one: the connection is closed.
        let Some(place) = place else { continue };
        let number = place.number();
        while tasks.try_join_next().is_some() {}
        let (watcher, tls, answer) = (graceful.watcher(), tls.clone(), answer.clone());
        let task = tasks.spawn(async move {
            let place = Arc::new(place);
            let (stream, switch) = Connection::new(stream);
            let answer = move |request| answer(peer, request);
            let Some(tls) = tls else {
                return serve(stream, watcher, limits.head_max, (switch, place), answer).await;
            };
            tls.count();
            let handshake = tokio::time::timeout(limits.head_max, tls.acceptor.accept(stream));
            if let Ok(Ok(stream)) = handshake.await {
                serve(stream, watcher, limits.head_max, (switch, place), answer).await;
            }
        });
        places.set_task(number, task);
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.stop_max, graceful.shutdown()).await;
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Places>,
) -> io::Result<(TcpStream, SocketAddr, Option<ConnectionPlace>)> {
    let (stream, peer) = listener.accept().await?;
    // If this fails, responses are only slower.
    let _ = stream.set_nodelay(true);
    let place = places.take(peer.ip().to_canonical()).await;
    Ok((stream, peer, place))
}

/// Answers all calls on a connection. An error ends only this connection, and its cause is the peer.
async fn serve<F>(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    watcher: Watcher,
    head_max: Duration,
    (switch, place): (ConnectionSwitch, Arc<ConnectionPlace>),
    answer: impl Fn(Request<WatchedBody>) -> F,
) where
    F: Future<Output = Response<SiteBody>>,
{
    let connection = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
    let calls = AtomicU64::new(1);
    let service = service_fn(|request: Request<Incoming>| {
        let (mut head, body) = request.into_parts();
        let body = WatchedBody::new(body, place.clone());
        let wire = WireCall {
            connection,
            number: calls.fetch_add(1, Ordering::Relaxed),
            began_us: clock::elapsed_us(),
            end: Arc::default(),
        };
        switch.set_call(wire.end.clone());
        head.extensions.insert(wire);
        let response = answer(Request::from_parts(head, body));
        let (switch, place) = (&switch, &place);
        async move {
            let mut response = response.await;
            let phase = place.enter(ConnectionPhase::Idle);
            match response.extensions().get() {
                Some(TransportFault::ResetDuring) => switch.reset(),
                Some(TransportFault::Garbage) => {
                    switch.garble();
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Some(TransportFault::ResetBefore) => {
                    switch.reset();
                    return Err(io::Error::from(io::ErrorKind::ConnectionReset));
                }
                Some(TransportFault::Close) => {
                    return Err(io::Error::from(io::ErrorKind::ConnectionAborted));
                }
                Some(
                    TransportFault::Delay { .. }
                    | TransportFault::SlowBody { .. }
                    | TransportFault::Truncate,
                )
                | None => {}
            }
            // The unread rest of a body would be read as the next call, so the connection is closed.
            if phase == Some(ConnectionPhase::Reading) {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                switch.linger();
            }
            Ok(response.map(|body| WatchedResponse::new(body, switch.clone())))
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_max);
    // A client may close its sending side and still wait for the response.
    http.half_close(true);
    let _ = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await;
}
