//! A request whose body is shorter than it declares. No HTTP library sends one, so it has a TCP
//! connection of its own. Without TLS only.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::http_request::HttpRequest;
use crate::client::response::{BODY_READ_BYTES_MAX, BodyReader, endless};
use crate::exchange::{ReceivedResponse, Trouble};

/// Headers of an answer at most.
const HEADERS_MAX: usize = 128;

/// Sends head and body, closes the sending side, and reads the answer to its end.
///
/// # Errors
/// [`Trouble`]; [`Trouble::Withheld`] for an https address.
pub(crate) async fn send(
    request: HttpRequest,
    connect_deadline: Duration,
    exchange_deadline: Duration,
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
    let message = message(request)?;
    let connecting = TcpStream::connect((host, port));
    let stream = tokio::time::timeout(connect_deadline, connecting)
        .await
        .map_err(|_| Trouble::deadline("no connection", connect_deadline, "connect"))?
        .map_err(|error| Trouble::Unreachable(error.to_string()))?;
    let peer = stream.peer_addr().ok();
    let answer = tokio::time::timeout(exchange_deadline, exchange(stream, &message))
        .await
        .map_err(|_| Trouble::deadline("no answer", exchange_deadline, "exchange"))??;
    Ok(ReceivedResponse { peer, ..parse(&answer)? })
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

/// Writes, closes the sending side, and reads the answer. A server may answer and close before all is
/// written, so a failed write counts only if nothing was read.
async fn exchange(mut stream: TcpStream, message: &[u8]) -> Result<Vec<u8>, Trouble> {
    let sent = async {
        stream.write_all(message).await?;
        stream.shutdown().await
    };
    let sent = sent.await;
    let mut answer = Vec::new();
    let read = stream.take(BODY_READ_BYTES_MAX).read_to_end(&mut answer).await;
    match sent.and(read.map(|_| ())) {
        Err(error) if answer.is_empty() => Err(Trouble::Broken(error.to_string())),
        Ok(()) if answer.is_empty() => {
            Err(Trouble::Broken("the connection was closed without an answer".to_owned()))
        }
        Ok(()) | Err(_) if answer.len() as u64 >= BODY_READ_BYTES_MAX => Err(endless()),
        Ok(()) | Err(_) => Ok(answer),
    }
}

/// Parses an answer that ended with its connection. Interim answers are skipped.
fn parse(mut bytes: &[u8]) -> Result<ReceivedResponse, Trouble> {
    loop {
        let mut rows = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut response = httparse::Response::new(&mut rows);
        let length = match response.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Err(broken("the answer breaks off")),
            Err(error) => return Err(broken(&format!("what came is not HTTP: {error}"))),
        };
        let status = response.code.unwrap_or_default();
        let headers: Vec<(String, String)> = response
            .headers
            .iter()
            .map(|row| {
                (row.name.to_ascii_lowercase(), String::from_utf8_lossy(row.value).into_owned())
            })
            .collect();
        bytes = &bytes[length..];
        if !(100..200).contains(&status) {
            return body(bytes, status, headers);
        }
    }
}

fn body(
    bytes: &[u8],
    status: u16,
    headers: Vec<(String, String)>,
) -> Result<ReceivedResponse, Trouble> {
    let header = |wanted: &str| {
        headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.trim())
    };
    let mut arriving = BodyReader::default();
    let is_chunked =
        header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
    if is_chunked {
        take_chunks(bytes, &mut arriving)?;
    } else {
        let declared = header("content-length").and_then(|value| value.parse::<usize>().ok());
        let length = declared.unwrap_or(bytes.len());
        if length > bytes.len() {
            return Err(Trouble::cut_short(bytes.len() as u64, Some(length as u64)));
        }
        arriving.take(&bytes[..length]);
    }
    Ok(arriving.finish(status, headers))
}

fn take_chunks(mut bytes: &[u8], arriving: &mut BodyReader) -> Result<(), Trouble> {
    loop {
        let Ok(httparse::Status::Complete((start, length))) = httparse::parse_chunk_size(bytes)
        else {
            return Err(broken("a chunk of the answer has no length"));
        };
        if length == 0 {
            return Ok(());
        }
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        let chunk = end.and_then(|end| bytes.get(start..end));
        let (Some(chunk), Some(end)) = (chunk, end) else {
            return Err(broken("a chunk of the answer breaks off"));
        };
        arriving.take(chunk);
        bytes = bytes.get(end + 2..).unwrap_or_default();
    }
}

fn broken(what: &str) -> Trouble {
    Trouble::Broken(what.to_owned())
}
