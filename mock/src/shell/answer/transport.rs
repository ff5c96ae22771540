//! The core's answer on its way out, and what a fault does to it there.

use std::time::Duration;

use http::Response;

use super::body::SiteBody;
use super::faulty_body::FaultyBody;
use super::problem;
use crate::value::message::response::{self, ResponseBody, TransportFault};

/// Marks an answer whose connection ends in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// It is reset instead of the answer.
    ResetBefore,
    /// It is reset in the middle of the body.
    ResetDuring,
    /// It is closed instead of the answer.
    Close,
    /// It carries bytes that are not HTTP instead of the answer, and is closed.
    Garbage,
}

/// The answer as HTTP. A connection that ends in another way is the server's doing, by [`ConnectionEnd`];
/// where there is none, the body of such an answer can't be read.
pub(crate) async fn sent(response: response::Response) -> Response<SiteBody> {
    let body = match response.body {
        ResponseBody::Bytes(bytes) => bytes.into(),
        ResponseBody::Content(content) => match Box::pin(SiteBody::of(content)).await {
            Ok(body) => body,
            Err(_) => return problem::internal("a stored document can't be read"),
        },
    };
    let mut sent = Response::new(body);
    *sent.status_mut() = response.status;
    let headers = sent.headers_mut();
    headers.reserve(response.headers.len());
    for (name, value) in response.headers {
        headers.append(name, value);
    }
    for fault in response.transport {
        sent = Box::pin(carried(sent, fault)).await;
    }
    sent
}

async fn carried(sent: Response<SiteBody>, transport: TransportFault) -> Response<SiteBody> {
    match transport {
        TransportFault::Delay { milliseconds } => {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            sent
        }
        TransportFault::SlowBody { milliseconds } => {
            let takes = Duration::from_millis(milliseconds);
            sent.map(|body| SiteBody::faulty(FaultyBody::slow(body, takes)))
        }
        TransportFault::Truncate => sent.map(|body| SiteBody::faulty(FaultyBody::halved(body))),
        TransportFault::ResetBefore => ended(sent, ConnectionEnd::ResetBefore),
        TransportFault::ResetDuring => ended(sent, ConnectionEnd::ResetDuring),
        TransportFault::Close => ended(sent, ConnectionEnd::Close),
        TransportFault::Garbage => ended(sent, ConnectionEnd::Garbage),
    }
}

fn ended(mut sent: Response<SiteBody>, end: ConnectionEnd) -> Response<SiteBody> {
    sent.extensions_mut().insert(end);
    sent.map(|body| SiteBody::faulty(FaultyBody::halved(body)))
}
