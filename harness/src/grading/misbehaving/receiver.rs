//! A receiver of webhooks: it answers, and tells which events came.

use std::time::Duration;

use http::{StatusCode, header};
use moot_mock::shell::{ReceivedCall, ReceiverAnswer, receive};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The credential that deliveries carry.
pub(super) const TOKEN: &str = "receiver-credential";
/// The event that the specification names.
pub(super) const EVENT: &str = "execution_complete";

/// How it answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiverHabits {
    /// The status of an answer to a good delivery.
    pub(super) status: StatusCode,
    /// How long an answer takes.
    pub(super) delay: Duration,
    /// Whether it refuses events of unknown kinds.
    pub(super) is_strict: bool,
    /// Whether it looks at the credential.
    pub(super) is_locked: bool,
}

/// Where it listens, and the bodies that it let in.
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
        let answer = move |call: ReceivedCall| {
            let body = String::from_utf8_lossy(&call.body).into_owned();
            let status = habits.status(&call, &body);
            if status != StatusCode::UNAUTHORIZED {
                let sender = sender.clone();
                tokio::spawn(async move {
                    // Told with the answer. The client may have ended.
                    tokio::time::sleep(delay).await;
                    let _ = sender.send(body);
                });
            }
            ReceiverAnswer { status, delay }
        };
        tokio::spawn(receive(listener, answer, std::future::pending()));
        Ok(Self { url, bodies })
    }
}

impl ReceiverHabits {
    fn status(&self, call: &ReceivedCall, body: &str) -> StatusCode {
        let credential = call.head.headers.get(header::AUTHORIZATION);
        let is_trusted =
            credential.is_some_and(|it| it.as_bytes() == format!("Bearer {TOKEN}").as_bytes());
        match (is_trusted || !self.is_locked, body.contains(EVENT)) {
            (false, _) => StatusCode::UNAUTHORIZED,
            (true, false) if self.is_strict => StatusCode::BAD_REQUEST,
            (true, _) => self.status,
        }
    }
}
