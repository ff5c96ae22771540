//! Receivers of deliveries: one listener for a run, and a path for each receiver.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use moot_mock::shell::{ReceivedCall, ReceiverAnswer, receive};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Deliveries kept for one receiver. Further ones are answered, but not kept.
const DELIVERIES_MAX: usize = 1_000;
/// Bytes of a delivery's body that are kept.
const BODY_KEPT_BYTES_MAX: usize = 256 * 1024;
/// Random bytes of a path and of a secret.
const SECRET_BYTES: usize = 24;

/// An address that listens for deliveries.
#[derive(Clone)]
pub struct DeliveryReceiver {
    url: String,
    path: String,
    secret: String,
    inbox: Arc<Inbox>,
    /// Keeps the listener as long as anybody may read what came; a recorded receiver has none.
    _server: Option<Arc<JoinSet<()>>>,
}

impl DeliveryReceiver {
    /// The address to register.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A receiver of a recording, `{"url", "secret"}`. Nothing listens; the recording has the deliveries.
    pub(crate) fn recorded(told: &Value) -> Self {
        let text = |name: &str| told.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        Self {
            url: text("url"),
            path: String::new(),
            secret: text("secret"),
            inbox: Arc::default(),
            _server: None,
        }
    }

    /// A bearer credential to register.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// What came so far, in order. Shape: `{"method", "headers": {name: value}, "body": text,
    /// "json": value or null}`, names lower case.
    pub fn deliveries(&self) -> Vec<Value> {
        self.inbox.0.lock().get(&self.path).cloned().unwrap_or_default()
    }
}

/// A listener.
pub(crate) struct Listener {
    /// The task that listens; it ends when this is dropped.
    server: Arc<JoinSet<()>>,
    inbox: Arc<Inbox>,
    base_url: String,
}

/// What came, by path.
#[derive(Default)]
struct Inbox(Mutex<BTreeMap<String, Vec<Value>>>);

impl Listener {
    /// Listens on `address` (a free port of the loopback address where absent); the target reaches
    /// it at `public_url`.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub(crate) async fn start(
        address: Option<SocketAddr>,
        public_url: Option<&str>,
    ) -> Result<Self, String> {
        let address = address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let inbox = Arc::new(Inbox::default());
        let kept = Arc::clone(&inbox);
        let refused =
            |error: std::io::Error| format!("cannot listen for deliveries on {address}: {error}");
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let bound = listener.local_addr().map_err(refused)?;
        let answer = move |call| ReceiverAnswer { status: kept.keep(&call), delay: Duration::ZERO };
        let mut server = JoinSet::new();
        server.spawn(receive(listener, answer, std::future::pending()));
        let own = || format!("http://{bound}");
        let base_url = public_url.map_or_else(own, str::to_owned);
        let base_url = base_url.trim_end_matches('/').to_owned();
        Ok(Self { server: Arc::new(server), inbox, base_url })
    }

    /// A receiver with a random path.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(crate) fn receiver(&self, name: &str) -> Result<DeliveryReceiver, String> {
        let path = format!("/{}/{name}", random()?);
        self.inbox.0.lock().insert(path.clone(), Vec::new());
        Ok(DeliveryReceiver {
            url: format!("{}{path}", self.base_url),
            path,
            secret: format!("moot-receiver-{}", random()?),
            inbox: self.inbox.clone(),
            _server: Some(self.server.clone()),
        })
    }
}

impl Inbox {
    /// Keeps a delivery under its path, and gives the status of its answer.
    fn keep(&self, call: &ReceivedCall) -> StatusCode {
        let mut inbox = self.0.lock();
        // A public address may have a path in front of ours.
        let path = call.head.uri.path();
        let known = inbox.iter_mut().find(|(known, _)| path.ends_with(known.as_str()));
        match known {
            None => StatusCode::NOT_FOUND,
            Some((_, deliveries)) => {
                if deliveries.len() < DELIVERIES_MAX {
                    deliveries.push(delivery(call));
                }
                StatusCode::OK
            }
        }
    }
}

fn delivery(call: &ReceivedCall) -> Value {
    let headers: Map<String, Value> = call
        .head
        .headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), Value::String(value))
        })
        .collect();
    let kept = &call.body[..call.body.len().min(BODY_KEPT_BYTES_MAX)];
    json!({
        "method": call.head.method.as_str(),
        "headers": headers,
        "body": String::from_utf8_lossy(kept),
        "json": serde_json::from_slice::<Value>(kept).ok(),
    })
}

fn random() -> Result<String, String> {
    let mut bytes = [0; SECRET_BYTES];
    rustls::crypto::ring::default_provider()
        .secure_random
        .fill(&mut bytes)
        .map_err(|_| "the system gives no random bytes for a receiver's secret".to_owned())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
