//! The core's answer on its way out, and what a fault does to it there.

use std::time::Duration;

use http::Response;

use super::body::SiteBody;
use super::faulty_body::FaultyBody;
use super::problem;
use crate::message::response::{self, ResponseBody, TransportFault};

/// Marks an answer whose connection ends with a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reset {
    /// Instead of the answer.
    Before,
    /// In the middle of its body.
    During,
}

/// The answer as HTTP. A connection that has to be reset is the server's doing, by [`Reset`]; where
/// there is none, the body of such an answer can't be read.
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
    match response.transport {
        None => sent,
        Some(transport) => Box::pin(carried(sent, transport)).await,
    }
}

async fn carried(mut sent: Response<SiteBody>, transport: TransportFault) -> Response<SiteBody> {
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
        TransportFault::ResetBefore => {
            sent.extensions_mut().insert(Reset::Before);
            sent.map(|body| SiteBody::faulty(FaultyBody::halved(body)))
        }
        TransportFault::ResetDuring => {
            sent.extensions_mut().insert(Reset::During);
            sent.map(|body| SiteBody::faulty(FaultyBody::halved(body)))
        }
    }
}
