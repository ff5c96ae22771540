//! A receiver of webhooks (§6) for people who have none: it tells what came, and answers as planned.
//!
//! Nothing is kept; what is told of one call is bounded, and so are calls at a time and every wait.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;

/// Bytes of a body; of a larger one nothing is told, and it is answered 413.
pub const RECEIVED_BYTES_MAX: usize = 1 << 20;
/// Connections at a time; further ones wait.
const CONNECTIONS_MAX: usize = 256;
/// For a head, and for a body.
const READ_MAX: Duration = Duration::from_secs(30);
/// For calls that are under way at the end; a longer delay is cut.
const STOP_MAX: Duration = Duration::from_secs(2);
/// After a failed `accept`, which is usually for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// How a receiver answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverPlan {
    /// The status of the first call, of the second, …; the last goes on for ever. None is 200.
    pub statuses: Vec<StatusCode>,
    /// Waited before each answer.
    pub delay: Duration,
    /// It ends by itself once so many were answered.
    pub calls_max: Option<u64>,
}

/// A call that came.
#[derive(Debug)]
pub struct Received {
    /// From 1.
    pub number: u64,
    /// Whom it came from.
    pub peer: SocketAddr,
    /// Method, target and headers, as sent.
    pub head: Parts,
    /// Its body, of [`RECEIVED_BYTES_MAX`] bytes at most.
    pub body: Bytes,
    /// What it is answered.
    pub status: StatusCode,
}

/// Receives on `listener` until `stop` is ready or the plan is fulfilled, and tells `told` of each call
/// before it is answered. Calls under way then have two seconds to end.
pub async fn receive(
    listener: TcpListener,
    plan: ReceiverPlan,
    told: impl Fn(Received) + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(READ_MAX);
    let count = AtomicU64::new(0);
    let receiver = Arc::new(Receiver { plan, count, full: Notify::new(), told: Box::new(told) });
    let graceful = GracefulShutdown::new();
    let turns = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut tasks = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            () = receiver.full.notified() => break,
            accepted = accept(&listener, &turns) => accepted,
        };
        let Ok((stream, peer, turn)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        while tasks.try_join_next().is_some() {}
        let (http, receiver, watcher) = (http.clone(), receiver.clone(), graceful.watcher());
        tasks.spawn(async move {
            let _turn = turn;
            let service = service_fn(move |request| {
                let receiver = receiver.clone();
                async move { Ok::<_, Infallible>(receiver.answer(peer, request).await) }
            });
            // Whatever ends a connection is the peer's doing.
            let _ = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(STOP_MAX, graceful.shutdown()).await;
}

async fn accept(
    listener: &TcpListener,
    turns: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let turn = turns.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, turn))
}

struct Receiver {
    plan: ReceiverPlan,
    count: AtomicU64,
    /// Told when the last call of the plan is there.
    full: Notify,
    told: Box<dyn Fn(Received) + Send + Sync>,
}

impl Receiver {
    async fn answer(&self, peer: SocketAddr, request: Request<Incoming>) -> Response<Empty<Bytes>> {
        let (head, body) = request.into_parts();
        let read = Limited::new(body, RECEIVED_BYTES_MAX).collect();
        let status = match tokio::time::timeout(READ_MAX, read).await {
            Ok(Ok(body)) => {
                let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
                let status = self.status(number);
                let body = body.to_bytes();
                (self.told)(Received { number, peer, head, body, status });
                if self.plan.calls_max.is_some_and(|calls_max| number >= calls_max) {
                    self.full.notify_one();
                }
                tokio::time::sleep(self.plan.delay).await;
                status
            }
            Ok(Err(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Err(_) => StatusCode::REQUEST_TIMEOUT,
        };
        let mut answer = Response::new(Empty::new());
        *answer.status_mut() = status;
        answer
    }

    fn status(&self, number: u64) -> StatusCode {
        let statuses = &self.plan.statuses;
        let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
        statuses.get(at).or(statuses.last()).copied().unwrap_or(StatusCode::OK)
    }
}
