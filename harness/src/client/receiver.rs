//! Receivers of deliveries. A run has one listener, and each receiver has its own path.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use moot_mock::shell::{ReceivedCall, ReceiverResponse, receive};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::client::response;

/// Deliveries kept for one receiver until a step takes them. Further ones get a response, but are not kept.
const DELIVERIES_MAX: usize = 1_000;
/// Bytes of a delivery's body that are kept.
const BODY_KEPT_BYTES_MAX: usize = 256 * 1024;
/// The end of an address at which a receiver refuses every delivery.
const REFUSING: &str = "/refusing";
/// Random bytes of a path and of a secret.
const SECRET_BYTES: usize = 24;

/// An address that listens for deliveries.
#[derive(Clone)]
pub struct DeliveryReceiver {
    url: String,
    path: String,
    secret: String,
    inbox: Inbox,
    /// Keeps the listener alive. A recorded receiver has none.
    _server: Option<Arc<JoinSet<()>>>,
}

impl DeliveryReceiver {
    /// The address to register.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address to register for deliveries that are kept and answered with 503, so that the service tries again.
    pub fn refusing_url(&self) -> String {
        format!("{}{REFUSING}", self.url)
    }

    /// A receiver of a recording, `{"url", "secret"}`. It does not listen, because the recording has its deliveries.
    pub(crate) fn recorded(row: &Value) -> Self {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
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

    /// Takes the deliveries since the last call, in order: `{"method", "query": text, "headers": {name: value},
    /// "body": text, "json": value or null}`. Names of headers are lower case.
    pub fn take_deliveries(&self) -> Vec<Value> {
        self.inbox.lock().get_mut(&self.path).map(std::mem::take).unwrap_or_default()
    }
}

/// A listener.
pub(crate) struct Listener {
    /// The listening task. It ends when this is dropped.
    server: Arc<JoinSet<()>>,
    inbox: Inbox,
    base_url: String,
}

/// Deliveries by path.
type Inbox = Arc<Mutex<BTreeMap<String, Vec<Value>>>>;

impl Listener {
    /// Listens on `address`, or on a free loopback port. The target uses `public_url` to reach it.
    ///
    /// # Errors
    /// It is impossible to listen on the address.
    pub(crate) async fn start(
        address: Option<SocketAddr>,
        public_url: Option<&str>,
    ) -> Result<Self, String> {
        let address = address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let inbox = Inbox::default();
        let kept = Arc::clone(&inbox);
        let refused =
            |error: std::io::Error| format!("cannot listen for deliveries on {address}: {error}");
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let bound = listener.local_addr().map_err(refused)?;
        let respond =
            move |call| ReceiverResponse { status: keep(&kept, &call), delay: Duration::ZERO };
        let mut server = JoinSet::new();
        server.spawn(receive(listener, respond, std::future::pending()));
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
        self.inbox.lock().insert(path.clone(), Vec::new());
        Ok(DeliveryReceiver {
            url: format!("{}{path}", self.base_url),
            path,
            secret: format!("moot-receiver-{}", random()?),
            inbox: self.inbox.clone(),
            _server: Some(self.server.clone()),
        })
    }
}

/// Keeps a delivery under its path, and returns the status of the response.
fn keep(inbox: &Inbox, call: &ReceivedCall) -> StatusCode {
    let mut inbox = inbox.lock();
    // A public address may have a path of its own in front.
    let path = call.head.uri.path();
    let (path, status) = match path.strip_suffix(REFUSING) {
        Some(path) => (path, StatusCode::SERVICE_UNAVAILABLE),
        None => (path, StatusCode::OK),
    };
    let Some((_, deliveries)) = inbox.iter_mut().find(|(known, _)| path.ends_with(known.as_str()))
    else {
        return StatusCode::NOT_FOUND;
    };
    // A service may try an address when it is registered. Such a call carries no notification.
    let is_delivery = ![Method::HEAD, Method::OPTIONS].contains(&call.head.method);
    if is_delivery && deliveries.len() < DELIVERIES_MAX {
        deliveries.push(delivery(call));
    }
    status
}

fn delivery(call: &ReceivedCall) -> Value {
    let headers: Map<String, Value> = response::headers(&call.head.headers)
        .into_iter()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    let kept = &call.body[..call.body.len().min(BODY_KEPT_BYTES_MAX)];
    json!({
        "method": call.head.method.as_str(),
        "query": call.head.uri.query().unwrap_or(""),
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
