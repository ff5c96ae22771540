//! How a request reaches the service: implemented for HTTP, for the mock in this process, and for
//! recordings, which send nothing.

use futures_util::future::BoxFuture;

use crate::client::http_request::HttpRequest;
use crate::exchange::{ReceivedResponse, Trouble};

/// Sends one request and reads its answer.
pub(crate) trait RequestTransport: Send + Sync {
    /// # Errors
    /// [`Trouble`] where there is no whole answer.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<ReceivedResponse, Trouble>>;
}
