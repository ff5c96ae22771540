//! The transport of requests. There are three: HTTP, the mock in this process, and a recording, which sends nothing.

use futures_util::future::BoxFuture;

use crate::client::http_request::HttpRequest;
use crate::exchange::{ReceivedResponse, Trouble};

/// Sends one request and reads its response.
pub(crate) trait RequestTransport: Send + Sync {
    /// # Errors
    /// [`Trouble`] if there is no whole response.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<ReceivedResponse, Trouble>>;
}
