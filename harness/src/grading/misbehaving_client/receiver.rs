//! A receiver of webhooks: it answers deliveries, and passes their bodies to the client.

use std::time::Duration;

use http::{StatusCode, header};
use moot_fixtures::contract::EXECUTION_COMPLETE;
use moot_mock::shell::{ReceivedCall, ReceiverResponse, receive};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The credential of deliveries.
pub(super) const TOKEN: &str = "receiver-credential";

/// Starts a receiver that answers after `delay`. `status` is given whether a delivery has the right credential, and
/// whether the kind of its event is known. Returns the address, and the bodies of all deliveries that are not refused
/// with 401.
pub(super) async fn listen(
    delay: Duration,
    status: impl Fn(bool, bool) -> StatusCode + Send + Sync + 'static,
) -> std::io::Result<(String, UnboundedReceiver<String>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/events", listener.local_addr()?);
    let (sender, bodies) = unbounded_channel();
    let respond = move |call: ReceivedCall| {
        let body = String::from_utf8_lossy(&call.body).into_owned();
        let credential = call.head.headers.get(header::AUTHORIZATION);
        let is_trusted =
            credential.is_some_and(|it| it.as_bytes() == format!("Bearer {TOKEN}").as_bytes());
        let status = status(is_trusted, body.contains(EXECUTION_COMPLETE));
        if status != StatusCode::UNAUTHORIZED {
            let sender = sender.clone();
            tokio::spawn(async move {
                // The client gets the body at the time of the response, unless it has ended.
                tokio::time::sleep(delay).await;
                let _ = sender.send(body);
            });
        }
        ReceiverResponse { status, delay }
    };
    tokio::spawn(receive(listener, respond, std::future::pending()));
    Ok((url, bodies))
}
