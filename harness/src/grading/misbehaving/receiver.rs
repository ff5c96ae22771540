//! A receiver of webhooks: it answers deliveries, and passes their bodies to the client.

use std::time::Duration;

use http::{StatusCode, header};
use moot_fixtures::contract::EXECUTION_COMPLETE;
use moot_mock::shell::{ReceivedCall, ReceiverResponse, receive};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The credential of deliveries.
pub(super) const TOKEN: &str = "receiver-credential";

/// The responses of a receiver.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiverHabits {
    /// The status for a good delivery.
    pub(super) status: StatusCode,
    /// The time until it answers.
    pub(super) delay: Duration,
    /// Whether it refuses events of unknown kinds.
    pub(super) is_strict: bool,
    /// Whether it checks the credential.
    pub(super) checks_credential: bool,
}

/// A running receiver: its address, and the bodies of deliveries with the right credential.
pub(super) struct EventReceiver {
    pub(super) url: String,
    pub(super) bodies: UnboundedReceiver<String>,
}

impl EventReceiver {
    pub(super) async fn listen(habits: ReceiverHabits) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}/events", listener.local_addr()?);
        let (sender, bodies) = unbounded_channel();
        let ReceiverHabits { delay, .. } = habits;
        let respond = move |call: ReceivedCall| {
            let body = String::from_utf8_lossy(&call.body).into_owned();
            let status = habits.status(&call, &body);
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
        Ok(Self { url, bodies })
    }
}

impl ReceiverHabits {
    fn status(&self, call: &ReceivedCall, body: &str) -> StatusCode {
        let credential = call.head.headers.get(header::AUTHORIZATION);
        let is_trusted =
            credential.is_some_and(|it| it.as_bytes() == format!("Bearer {TOKEN}").as_bytes());
        match (is_trusted || !self.checks_credential, body.contains(EXECUTION_COMPLETE)) {
            (false, _) => StatusCode::UNAUTHORIZED,
            (true, false) if self.is_strict => StatusCode::BAD_REQUEST,
            (true, _) => self.status,
        }
    }
}
