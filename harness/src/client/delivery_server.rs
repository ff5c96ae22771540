//! A small HTTP server for deliveries. It may listen on a public address, so connections, bodies and
//! waits are limited. It refuses what exceeds a limit.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

/// Concurrent connections. Further ones wait in the system's queue.
pub(crate) const CONNECTIONS_MAX: usize = 64;
/// Bytes of a body. A longer one is answered 413.
pub(crate) const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a request head.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Deadline for a whole request head.
const HEAD_DEADLINE: Duration = Duration::from_secs(5);
/// Deadline for a whole connection.
const CONNECTION_DEADLINE: Duration = Duration::from_secs(30);
/// Back-off after a connection could not be accepted: the system is short of resources.
const ACCEPT_BACK_OFF: Duration = Duration::from_millis(100);

/// Listens until it is dropped.
#[derive(Debug)]
pub(crate) struct DeliveryServer {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl DeliveryServer {
    /// Listens on this address. `keep` returns the status of the answer to a delivery.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub(crate) async fn open(
        address: SocketAddr,
        keep: impl Fn(&Request<Bytes>) -> StatusCode + Send + Sync + 'static,
    ) -> Result<Self, std::io::Error> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let accepting = tokio::spawn(accept(listener, Arc::new(keep)));
        Ok(Self { address, accepting })
    }
}

impl Drop for DeliveryServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept<K>(listener: TcpListener, keep: Arc<K>)
where
    K: Fn(&Request<Bytes>) -> StatusCode + Send + Sync + 'static,
{
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    // Dropping the set ends its connections.
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let keep = Arc::clone(&keep);
                connections.spawn(async move {
                    // A connection that takes too long is closed, and nothing of it is kept.
                    let _ = tokio::time::timeout(CONNECTION_DEADLINE, serve(stream, keep)).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_BACK_OFF).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve<K>(stream: TcpStream, keep: Arc<K>)
where
    K: Fn(&Request<Bytes>) -> StatusCode + Send + Sync + 'static,
{
    let service = service_fn(|request| {
        let keep = Arc::clone(&keep);
        async move { Ok::<_, Infallible>(answer(request, &*keep).await) }
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(HEAD_BYTES_MAX)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_DEADLINE)
        .serve_connection(TokioIo::new(stream), service);
    // A client that closes the connection early gets no answer.
    let _ = connection.await;
}

async fn answer(
    request: Request<Incoming>,
    keep: &(impl Fn(&Request<Bytes>) -> StatusCode + Sync),
) -> Response<Empty<Bytes>> {
    let (head, body) = request.into_parts();
    let is_long = body.size_hint().lower() > BODY_BYTES_MAX as u64;
    let status = if is_long {
        StatusCode::PAYLOAD_TOO_LARGE
    } else {
        match Limited::new(body, BODY_BYTES_MAX).collect().await {
            Ok(whole) => keep(&Request::from_parts(head, whole.to_bytes())),
            Err(_) => StatusCode::PAYLOAD_TOO_LARGE,
        }
    };
    let mut response = Response::new(Empty::new());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http::StatusCode;

    use super::{BODY_BYTES_MAX, CONNECTIONS_MAX, DeliveryServer};

    /// Sends a delivery with this `content-length` and this number of bytes. Returns the status line.
    fn send(address: SocketAddr, declared: usize, sent: usize) -> String {
        let mut stream = TcpStream::connect(address).expect("it listens");
        let head = format!("POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: {declared}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("it reads the head");
        // The server may refuse it before all is written.
        let _ = stream.write_all(&vec![b'x'; sent]);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn bodies_and_connections_are_bounded() {
        let kept = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&kept);
        let office = DeliveryServer::open((Ipv4Addr::LOCALHOST, 0).into(), move |delivery| {
            counted.fetch_add(delivery.body().len(), Ordering::SeqCst);
            StatusCode::OK
        })
        .await
        .expect("a free port");
        let address = office.address;
        let asked = tokio::task::spawn_blocking(move || {
            // Silent connections occupy all places but one.
            let silent: Vec<_> = (1..CONNECTIONS_MAX)
                .map(|_| TcpStream::connect(address).expect("it listens"))
                .collect();
            let fits = send(address, BODY_BYTES_MAX, BODY_BYTES_MAX);
            let beyond = send(address, BODY_BYTES_MAX + 1, 0);
            let huge = send(address, 1 << 40, 0);
            drop(silent);
            (fits, beyond, huge)
        });
        let (fits, beyond, huge) = asked.await.expect("no panic");
        assert_eq!(fits, "HTTP/1.1 200 OK");
        assert_eq!(beyond, "HTTP/1.1 413 Payload Too Large");
        assert_eq!(huge, "HTTP/1.1 413 Payload Too Large");
        assert_eq!(kept.load(Ordering::SeqCst), BODY_BYTES_MAX, "only what fits is kept");
    }
}
