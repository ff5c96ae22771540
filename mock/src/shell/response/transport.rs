//! Turns a response of the core into HTTP, and applies its transport faults.

use std::time::Duration;

use http::Response;

use super::body::SiteBody;
use super::problem;
use crate::value::message::response::{self, ResponseBody, TransportFault};

/// The response as HTTP. A [`TransportFault`] that ends the connection is stored in the extensions, and the listener
/// carries it out. Without a connection, the body of such a response ends with an error.
pub(crate) async fn sent(response: response::Response) -> Response<SiteBody> {
    let body = match response.body {
        ResponseBody::Bytes(bytes) => bytes.into(),
        ResponseBody::Content(content) => match Box::pin(SiteBody::of(content)).await {
            Ok(body) => body,
            Err(_) => return problem::internal("a stored document cannot be read"),
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

async fn carried(mut sent: Response<SiteBody>, fault: TransportFault) -> Response<SiteBody> {
    match fault {
        TransportFault::Delay { milliseconds } => {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            sent
        }
        TransportFault::SlowBody { milliseconds } => {
            sent.map(|body| body.slow(Duration::from_millis(milliseconds)))
        }
        TransportFault::Truncate => sent.map(SiteBody::halved),
        TransportFault::ResetBefore
        | TransportFault::ResetDuring
        | TransportFault::Close
        | TransportFault::Garbage => {
            sent.extensions_mut().insert(fault);
            sent.map(SiteBody::halved)
        }
    }
}
