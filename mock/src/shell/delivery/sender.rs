//! Sends delivery attempts, with limits on the attempts in flight.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::header::{HeaderName, HeaderValue};
use parking_lot::Mutex;
use reqwest::{Client, Url};
use tokio::sync::Semaphore;

use crate::service::{AttemptResult, DeliveryAttempt};
use crate::shell::network::{AllowedAddresses, Network, reason};
use crate::value::address;

/// Delivery timeout: no response within this time counts as a failed attempt (answer `delivery_retries`).
const RESPONSE_MAX: Duration = Duration::from_secs(30);
/// The largest number of attempts in flight, without the slow ones.
const ATTEMPTS_MAX: usize = 256;
/// An attempt that takes longer than this is slow and no longer counts for [`ATTEMPTS_MAX`]. This time is the
/// longest delay that unreachable receivers cause to a healthy one while fewer than [`SLOW_ATTEMPTS_MAX`] attempts are
/// slow. Beyond that the delay is up to [`RESPONSE_MAX`].
const SLOW_AFTER: Duration = Duration::from_secs(1);
/// The largest number of slow attempts in flight. Further ones count for [`ATTEMPTS_MAX`].
const SLOW_ATTEMPTS_MAX: usize = 768;
/// The largest number of attempts in flight to one receiver, so that an unreachable one does not use up the limit.
const ATTEMPTS_TO_ONE_MAX: usize = 8;
/// The largest number of receivers with a semaphore. Beyond it, those without an attempt are removed.
const RECEIVERS_MAX: usize = 1_024;

/// An HTTP client with limits on its requests.
pub(super) struct Sender {
    network: Network,
    reach: AllowedAddresses,
    client: OnceLock<Result<Client, String>>,
    all: Semaphore,
    slow: Semaphore,
    receivers: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

impl Sender {
    /// A sender whose connections are limited to `reach`.
    pub(crate) fn new(network: Network, reach: AllowedAddresses) -> Self {
        Self {
            network,
            reach,
            client: OnceLock::new(),
            all: Semaphore::new(ATTEMPTS_MAX),
            slow: Semaphore::new(SLOW_ATTEMPTS_MAX),
            receivers: Mutex::default(),
        }
    }

    /// Sends an attempt as soon as the limits allow it. `None` if `may_start` is false at that time.
    pub(crate) async fn send(
        &self,
        attempt: DeliveryAttempt,
        may_start: impl Fn() -> bool,
    ) -> Option<AttemptResult> {
        let Ok(url) = Url::parse(&attempt.url) else {
            return Some(AttemptResult::NoResponse("the address cannot be read".to_owned()));
        };
        let receiver = self.receiver(url.authority());
        // The semaphores are never closed, so `acquire` does not fail.
        let _to_one = receiver.acquire().await;
        let of_all = self.all.acquire().await;
        if !may_start() {
            return None;
        }
        let mut sending = pin!(self.post(url, attempt));
        let status = match tokio::time::timeout(SLOW_AFTER, sending.as_mut()).await {
            Ok(status) => status,
            Err(_) => {
                let slow = self.slow.try_acquire();
                if slow.is_ok() {
                    drop(of_all);
                }
                sending.await
            }
        };
        Some(status.map_or_else(AttemptResult::NoResponse, AttemptResult::Status))
    }

    async fn post(&self, url: Url, attempt: DeliveryAttempt) -> Result<u16, String> {
        if address::is_reserved(&url) {
            return Err("a name reserved for examples and tests is never looked up".to_owned());
        }
        self.reach.check(&url)?;
        let client = self.client.get_or_init(|| self.network.client(self.reach, RESPONSE_MAX));
        let client = client.as_ref().map_err(String::clone)?;
        let mut request = client.post(url).body(attempt.body);
        for (name, value) in attempt.headers {
            let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
            let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(|error| reason(&error, RESPONSE_MAX))?;
        Ok(response.status().as_u16())
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bytes::Bytes;
    use tokio::sync::Semaphore;

    use super::{SLOW_AFTER, Sender};
    use crate::service::DeliveryAttempt;
    use crate::shell::network::{AllowedAddresses, Network};

    /// The numbers of further attempts that may start, and that may be slow, while one attempt takes longer than
    /// [`SLOW_AFTER`].
    async fn left(all: usize, slow: usize) -> (usize, usize) {
        let lookup = |_| -> crate::shell::Lookup { Box::pin(std::future::pending()) };
        let network = Network::simulated(lookup, |address| address, "");
        let sender = Arc::new(Sender {
            all: Semaphore::new(all),
            slow: Semaphore::new(slow),
            ..Sender::new(network, AllowedAddresses::Anywhere)
        });
        let attempt = DeliveryAttempt {
            delivery: 1,
            url: "http://receiver.moot-slow/".to_owned(),
            headers: Vec::new(),
            body: Bytes::new(),
        };
        let sending = sender.clone();
        let task = tokio::spawn(async move { sending.send(attempt, || true).await });
        tokio::time::sleep(SLOW_AFTER + Duration::from_secs(1)).await;
        task.abort();
        (sender.all.available_permits(), sender.slow.available_permits())
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_attempt_makes_room_for_another_only_within_the_limit_of_slow_ones() {
        assert_eq!(left(2, 1).await, (2, 0));
        assert_eq!(left(2, 0).await, (1, 0));
    }
}
