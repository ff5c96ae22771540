//! A request whose body is shorter than its `content-length`. HTTP libraries refuse to send one, so it is written
//! to a TCP connection of its own, without TLS.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::http_request::HttpRequest;
use crate::client::response;
use crate::exchange::{ReceivedResponse, Trouble};

/// Size of the buffer between the connection and hyper.
const PIPE_BYTES: usize = 64 * 1024;

/// Sends head and body, closes the sending side, and reads the response.
///
/// # Errors
/// [`Trouble`]. [`Trouble::Withheld`] for an https address.
pub(crate) async fn send(
    request: HttpRequest,
    connect_timeout: Duration,
    exchange_timeout: Duration,
) -> Result<ReceivedResponse, Trouble> {
    let (Some(host), Some(port)) = (request.url.host_str(), request.url.port_or_known_default())
    else {
        return Err(Trouble::Withheld("the address has no host".to_owned()));
    };
    if request.url.scheme() != "http" {
        return Err(Trouble::Withheld(
            "a body shorter than it declares is sent over plain http only".to_owned(),
        ));
    }
    let host = host.trim_matches(['[', ']']).to_owned();
    let method = request.method.clone();
    let message = message(request)?;
    let stream = tokio::time::timeout(connect_timeout, TcpStream::connect((host, port)))
        .await
        .map_err(|_| Trouble::timeout("no connection", connect_timeout, "connect"))?
        .map_err(|error| Trouble::Unreachable(error.to_string()))?;
    let peer = stream.peer_addr().ok();
    let response =
        tokio::time::timeout(exchange_timeout, exchange(stream, message, &method)).await.map_err(
            |_| Trouble::timeout("no response", exchange_timeout, "limits.exchange_seconds"),
        )??;
    Ok(ReceivedResponse { peer, ..response })
}

fn message(request: HttpRequest) -> Result<Vec<u8>, Trouble> {
    let target = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
    let host = &request.url[url::Position::BeforeHost..url::Position::AfterPort];
    let mut head = format!("{} {target} HTTP/1.1\r\nhost: {host}\r\n", request.method);
    for (name, value) in &request.headers {
        if name.contains(['\r', '\n', ':']) || value.contains(['\r', '\n']) {
            return Err(Trouble::Withheld(format!("the header `{name}` cannot be sent")));
        }
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = request.body.content_length().unwrap_or_default();
    head.push_str(&format!("content-length: {length}\r\nconnection: close\r\n\r\n"));
    let mut message = head.into_bytes();
    request.body.into_chunks().for_each(|chunk| message.extend_from_slice(&chunk));
    Ok(message)
}

/// hyper sends a request without a body into a pipe, and reads the response from it. Our message is sent instead
/// of that request.
async fn exchange(
    stream: TcpStream,
    message: Vec<u8>,
    method: &str,
) -> Result<ReceivedResponse, Trouble> {
    let request = http::Request::builder().method(method).body(Empty::<Bytes>::new());
    let request = request.map_err(|error| Trouble::Withheld(error.to_string()))?;
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let client = http1::handshake(TokioIo::new(theirs)).await;
    let (mut sender, connection) = client.map_err(|error| response::broken(&error))?;
    // The tasks end when the set is dropped.
    let mut tasks = JoinSet::new();
    tasks.spawn(relay(stream, message, ours));
    tasks.spawn(async move {
        // `send_request` returns the error of the connection.
        let _ = connection.await;
    });
    let received = sender.send_request(request).await;
    let received = received.map_err(|error| response::broken(&error))?;
    let received = received.map(reqwest::Body::wrap).into();
    response::read(received, |error| response::broken(&error)).await
}

async fn relay(mut stream: TcpStream, message: Vec<u8>, mut pipe: DuplexStream) {
    // hyper accepts a response only after it has written its request.
    let _ = pipe.read(&mut [0; 1024]).await;
    // A server may respond and close before all is written, so the response is read even if writing fails.
    let _ = stream.write_all(&message).await;
    let _ = stream.shutdown().await;
    // Without a whole response hyper reports that the connection was closed.
    let _ = tokio::io::copy(&mut stream, &mut pipe).await;
}
