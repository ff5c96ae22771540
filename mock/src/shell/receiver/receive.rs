//! A receiver of webhooks (§6) on a socket. It stores nothing. It may listen on a public address, so connections,
//! bodies and waits have limits.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use tokio::net::TcpListener;

use crate::shell::body::{self, BodyTimes};
use crate::shell::listener::{ServeLimits, WatchedBody, accept_all};
use crate::shell::response::SiteBody;
use crate::value::message::call::BodyFault;

/// The largest body, in bytes. A larger one is answered 413 and not reported.
pub const RECEIVED_BYTES_MAX: usize = 1 << 20;
/// The largest number of connections. A further one closes the longest idle one.
const CONNECTIONS_MAX: usize = 256;
/// Timeout of a head, and of a body.
const READ_MAX: Duration = Duration::from_secs(30);
/// Timeout of the rest of a body that is too large.
const DRAIN_MAX: Duration = Duration::from_secs(1);
/// Time for running calls at the end. It cuts a longer delay.
const STOP_MAX: Duration = Duration::from_secs(2);

/// A call that arrived at a receiver.
#[derive(Debug)]
pub struct ReceivedCall {
    /// The address of the sender.
    pub peer: SocketAddr,
    /// Method, target and headers, as sent.
    pub head: Parts,
    /// Its body, of [`RECEIVED_BYTES_MAX`] bytes at most.
    pub body: Bytes,
}

/// The response of a receiver. It has no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverResponse {
    /// The status.
    pub status: StatusCode,
    /// Time before the response.
    pub delay: Duration,
}

/// Receives on `listener` until `stop` is ready, and calls `respond` once for each call. Running calls then have
/// two seconds to end.
pub async fn receive(
    listener: TcpListener,
    respond: impl Fn(ReceivedCall) -> ReceiverResponse + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) {
    let limits = ServeLimits {
        connections_max: CONNECTIONS_MAX,
        // Most receivers have one sender.
        connections_per_address_max: CONNECTIONS_MAX,
        head_max: READ_MAX,
        stop_max: STOP_MAX,
    };
    let respond = Arc::new(respond);
    accept_all(listener, limits, None, stop, move |peer, request| {
        let respond = respond.clone();
        async move {
            let status = match read(peer, request).await {
                Ok(call) => {
                    let ReceiverResponse { status, delay } = respond(call);
                    tokio::time::sleep(delay).await;
                    status
                }
                Err(status) => status,
            };
            let mut response = Response::new(SiteBody::from(Bytes::new()));
            *response.status_mut() = status;
            response
        }
    })
    .await;
}

async fn read(peer: SocketAddr, request: Request<WatchedBody>) -> Result<ReceivedCall, StatusCode> {
    let (head, body) = request.into_parts();
    let times = BodyTimes {
        stall_max: READ_MAX,
        total_max: READ_MAX,
        drain_max: DRAIN_MAX,
        ..BodyTimes::default()
    };
    let body = body::read_whole(body, &head.headers, RECEIVED_BYTES_MAX as u64, times).await;
    match body {
        Ok(body) => Ok(ReceivedCall { peer, head, body }),
        Err(BodyFault::TooLarge) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use http::StatusCode;
    use tokio::net::TcpListener;

    use super::{CONNECTIONS_MAX, RECEIVED_BYTES_MAX, ReceivedCall, ReceiverResponse, receive};

    /// Sends a delivery with this `Content-Length` and this number of bytes. Returns the status line.
    fn send(address: SocketAddr, declared: usize, sent: usize) -> String {
        let mut stream = TcpStream::connect(address).expect("it listens");
        let head = format!(
            "POST /a HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: {declared}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("it reads the head");
        // The receiver may close the connection before all is written.
        let _ = stream.write_all(&vec![b'x'; sent]);
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response);
        response.lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn bodies_and_connections_are_bounded() {
        let kept = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&kept);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let respond = move |call: ReceivedCall| {
            counted.fetch_add(call.body.len(), Ordering::SeqCst);
            ReceiverResponse { status: StatusCode::OK, delay: Duration::ZERO }
        };
        tokio::spawn(receive(listener, respond, std::future::pending()));
        let asked = tokio::task::spawn_blocking(move || {
            // Idle connections take all places but one.
            let silent: Vec<_> = (1..CONNECTIONS_MAX)
                .map(|_| TcpStream::connect(address).expect("it listens"))
                .collect();
            let fits = send(address, RECEIVED_BYTES_MAX, RECEIVED_BYTES_MAX);
            let beyond = send(address, RECEIVED_BYTES_MAX + 1, 0);
            let huge = send(address, 1 << 40, 0);
            drop(silent);
            (fits, beyond, huge)
        });
        let (fits, beyond, huge) = asked.await.expect("no panic");
        assert_eq!(fits, "HTTP/1.1 200 OK");
        assert_eq!(beyond, "HTTP/1.1 413 Payload Too Large");
        assert_eq!(huge, "HTTP/1.1 413 Payload Too Large");
        assert_eq!(kept.load(Ordering::SeqCst), RECEIVED_BYTES_MAX, "only what fits is kept");
    }
}
