//! Sends one attempt to its receiver, in its turn.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::header::{HeaderName, HeaderValue};
use parking_lot::Mutex;
use reqwest::{Client, Url};
use tokio::sync::Semaphore;

use crate::service::{Attempt, AttemptResult};

/// A receiver that has not answered by then has not (answer `delivery_retries`).
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Attempts in flight at a time.
const ATTEMPTS_MAX: usize = 256;
/// Of them, to one receiver: a dead one holds no more, so it delays no other.
const ATTEMPTS_TO_ONE_MAX: usize = 8;
/// Receivers remembered before those without an attempt are forgotten.
const RECEIVERS_MAX: usize = 1_024;

/// The client, and who waits for whom.
pub(super) struct Sender {
    client: OnceLock<Result<Client, String>>,
    all: Semaphore,
    receivers: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

impl Default for Sender {
    fn default() -> Self {
        Self {
            client: OnceLock::new(),
            all: Semaphore::new(ATTEMPTS_MAX),
            receivers: Mutex::default(),
        }
    }
}

impl Sender {
    /// Makes an attempt; `None` where it might not start any more when its turn came.
    pub(super) async fn send(
        &self,
        attempt: Attempt,
        may_start: impl Fn() -> bool,
    ) -> Option<AttemptResult> {
        let Ok(url) = Url::parse(&attempt.url) else {
            return Some(AttemptResult::NoAnswer("the address can't be read".to_owned()));
        };
        let receiver = self.receiver(url.authority());
        // Neither is ever closed, so both permits are got.
        let _to_one = receiver.acquire().await;
        let _of_all = self.all.acquire().await;
        if !may_start() {
            return None;
        }
        Some(match self.answer(url, attempt).await {
            Ok(status) => AttemptResult::Status(status),
            Err(why) => AttemptResult::NoAnswer(why),
        })
    }

    async fn answer(&self, url: Url, attempt: Attempt) -> Result<u16, String> {
        if is_reserved(&url) {
            return Err("a name reserved for examples and tests is never looked up".to_owned());
        }
        let client = self.client.get_or_init(client).as_ref().map_err(String::clone)?;
        let mut request = client.post(url).body(attempt.body);
        for (name, value) in attempt.headers {
            let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
            let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
            request = request.header(name, value);
        }
        let answer = request.send().await.map_err(|error| reason(&error))?;
        Ok(answer.status().as_u16())
    }

    fn receiver(&self, authority: &str) -> Arc<Semaphore> {
        let mut receivers = self.receivers.lock();
        if receivers.len() >= RECEIVERS_MAX {
            receivers.retain(|_, receiver| Arc::strong_count(receiver) > 1);
        }
        let turn = || Arc::new(Semaphore::new(ATTEMPTS_TO_ONE_MAX));
        receivers.entry(authority.to_owned()).or_insert_with(turn).clone()
    }
}

/// Whether the host is a name that nobody can have (RFC 6761 §6, RFC 2606 §3): the seed worlds name
/// such receivers, and nothing leaves the machine for them.
fn is_reserved(url: &Url) -> bool {
    let Some(host) = url.domain() else { return false };
    let host = host.trim_end_matches('.');
    let last = host.rsplit('.').next().unwrap_or(host);
    matches!(last, "test" | "invalid" | "example")
        || ["example.com", "example.net", "example.org"]
            .iter()
            .any(|name| host == *name || host.ends_with(&format!(".{name}")))
}

fn client() -> Result<Client, String> {
    // Fails only where a provider is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .timeout(ANSWER_MAX)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .build()
        .map_err(|error| reason(&error))
}

/// The innermost cause, which says most, without the address.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", ANSWER_MAX.as_secs());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
