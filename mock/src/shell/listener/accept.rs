//! HTTP/1.1 on an accept loop of our own: every wait is bounded, and every connection is counted.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::connection::{Connection, ConnectionSwitch};
use super::tls::Tls;
use crate::shell::answer::{ConnectionEnd, SiteBody};

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

/// Answers the calls on `listener` until `stop` is ready. Then it accepts no more, closes idle
/// connections and lets running calls end, for [`ServeLimits::stop_max`] at most. Dropped, it ends at
/// once. An answer with a [`ConnectionEnd`] ends its connection in that way.
pub(crate) async fn accept_all<H, F>(
    listener: TcpListener,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: impl Future<Output = ()>,
    answer: H,
) where
    H: Fn(SocketAddr, Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<SiteBody>> + Send,
{
    let places = Arc::new(Semaphore::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    // Dropped at the end, and with it what has not ended by then.
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
        while tasks.try_join_next().is_some() {}
        let (watcher, tls, answer) = (graceful.watcher(), tls.clone(), answer.clone());
        tasks.spawn(async move {
            let _place = place;
            let (stream, switch) = Connection::new(stream);
            let answer = move |request| answer(peer, request);
            let Some(Tls(acceptor)) = tls else {
                return serve(stream, watcher, limits.head_max, switch, answer).await;
            };
            let handshake = tokio::time::timeout(limits.head_max, acceptor.accept(stream));
            if let Ok(Ok(stream)) = handshake.await {
                serve(stream, watcher, limits.head_max, switch, answer).await;
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.stop_max, graceful.shutdown()).await;
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    // If it can't be set, answers are only slower.
    let _ = stream.set_nodelay(true);
    Ok((stream, peer, place))
}

/// Answers all calls on a connection. Whatever ends it is the peer's doing, and ends nothing else.
async fn serve<F>(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    watcher: Watcher,
    head_max: Duration,
    switch: ConnectionSwitch,
    answer: impl Fn(Request<Incoming>) -> F,
) where
    F: Future<Output = Response<SiteBody>>,
{
    let service = service_fn(|request| {
        let answer = answer(request);
        async {
            let answer = answer.await;
            match answer.extensions().get::<ConnectionEnd>() {
                None => Ok(answer),
                Some(ConnectionEnd::ResetDuring) => {
                    switch.reset();
                    Ok(answer)
                }
                Some(ConnectionEnd::Garbage) => {
                    switch.garble();
                    Ok(answer)
                }
                Some(ConnectionEnd::ResetBefore) => {
                    switch.reset();
                    Err(io::Error::from(io::ErrorKind::ConnectionReset))
                }
                Some(ConnectionEnd::Close) => {
                    Err(io::Error::from(io::ErrorKind::ConnectionAborted))
                }
            }
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_max);
    // A client may close its sending side and still wait for the answer.
    http.half_close(true);
    let _ = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await;
}
