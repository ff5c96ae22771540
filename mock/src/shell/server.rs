//! Serves a site: over HTTP/1.1, over TLS, and inside a `wiremock::MockServer`.

mod dispatch;
#[cfg(feature = "embed")]
pub mod embed;

use tokio::net::TcpListener;

use super::listener::{ServeLimits, Tls, accept_all};
#[cfg(feature = "postgres")]
use super::node::Node;
use super::site::Site;

/// Serves `site` on `listener` until `stop` is ready. Then it closes idle connections and waits for running calls, for
/// [`ServeLimits::stop_max`] at most. If the future is dropped, it ends at once. A TLS handshake has the same timeout
/// as the head of a call.
pub async fn serve(
    listener: TcpListener,
    site: Site,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: impl Future<Output = ()>,
) {
    let ending = site.clone();
    let stop = async move {
        stop.await;
        ending.end_streams();
    };
    accept_all(listener, limits, tls, stop, move |peer, request| {
        let site = site.clone();
        // An IPv4 peer of a dual-stack socket counts as itself (§8: the limit is per address).
        async move { site.call_over_http(request, peer.ip().to_canonical()).await }
    })
    .await;
}

/// Time for which a node that gave up its lease still answers 503. A proxy that checks health at least once in this
/// time stops sending calls before the socket closes.
#[cfg(feature = "postgres")]
const DRAIN: std::time::Duration = std::time::Duration::from_secs(1);

/// As [`serve`], for one of several nodes that share their state. When `stop` is ready, it first lets
/// another node take over, and answers 503 for a second.
#[cfg(feature = "postgres")]
pub async fn serve_node(
    listener: TcpListener,
    node: Node,
    limits: ServeLimits,
    tls: Option<Tls>,
    stop: impl Future<Output = ()>,
) {
    let ending = node.clone();
    let stop = async move {
        stop.await;
        ending.resign().await;
        tokio::time::sleep(DRAIN).await;
    };
    accept_all(listener, limits, tls, stop, move |peer, request| {
        let node = node.clone();
        async move { node.call_over_http(request, peer.ip().to_canonical()).await }
    })
    .await;
}
