//! The receiver of webhooks (§6) that every world has built in: it keeps what is delivered to
//! `{base_url}/__admin/receiver`, and answers as planned.
//!
//! A world hands its own deliveries over without a connection. So it works over TLS, behind a gateway
//! and beyond loopback, and it passes no guard of `network` or of the control plane. Nothing here
//! outlives the world.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use http::StatusCode;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::plan::StatusPlan;

/// Below the base address of a world.
pub(crate) const RECEIVER: &str = "/__admin/receiver";
/// Arrivals that are kept; the oldest go first.
const ARRIVALS_MAX: usize = 1_000;
/// Bytes of their bodies and headers together.
const ARRIVALS_BYTES_MAX: usize = 1 << 20;
/// Statuses that are planned.
pub(crate) const STATUSES_MAX: usize = 1_000;

/// What arrived, and what is answered.
#[derive(Debug, Default)]
pub(crate) struct Mailbox(Mutex<MailboxState>);

#[derive(Debug, Default)]
struct MailboxState {
    plan: StatusPlan,
    arrived: VecDeque<KeptArrival>,
    bytes: usize,
    /// All so far.
    count: u64,
}

#[derive(Debug, Serialize)]
struct KeptArrival {
    number: u64,
    at: Timestamp,
    #[serde(flatten)]
    arrival: Arrival,
    status: u16,
}

/// One call, as it arrives.
#[derive(Debug, Serialize)]
pub(crate) struct Arrival {
    /// What follows `?` in the address, to tell webhooks apart.
    pub(crate) query: Option<String>,
    /// By name; values of one name are joined.
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(serialize_with = "json_or_text")]
    pub(crate) body: Bytes,
}

/// A body that is JSON as JSON, any other as text.
fn json_or_text<S: Serializer>(body: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    let text = |_| Value::from(String::from_utf8_lossy(body));
    serde_json::from_slice(body).unwrap_or_else(text).serialize(serializer)
}

impl Arrival {
    /// One of these headers.
    pub(crate) fn new<'h>(
        query: Option<&str>,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: Bytes,
    ) -> Self {
        let mut joined: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in headers {
            let known = joined.entry(name.to_ascii_lowercase()).or_default();
            if !known.is_empty() {
                known.push_str(", ");
            }
            known.push_str(value);
        }
        Self { query: query.map(str::to_owned), headers: joined, body }
    }

    fn bytes(&self) -> usize {
        let headers = self.headers.iter().map(|(name, value)| name.len() + value.len());
        self.body.len() + self.query.as_ref().map_or(0, String::len) + headers.sum::<usize>()
    }
}

impl Mailbox {
    /// Keeps what arrived at this time of the world; gives what it is answered.
    pub(crate) fn take(&self, at: Timestamp, arrival: Arrival) -> StatusCode {
        let inner = &mut *self.0.lock();
        inner.count += 1;
        let status = inner.plan.next_status();
        inner.bytes += arrival.bytes();
        let (number, kept_status) = (inner.count, status.as_u16());
        inner.arrived.push_back(KeptArrival { number, at, arrival, status: kept_status });
        while inner.arrived.len() > ARRIVALS_MAX || inner.bytes > ARRIVALS_BYTES_MAX {
            let Some(oldest) = inner.arrived.pop_front() else { break };
            inner.bytes -= oldest.arrival.bytes();
        }
        status
    }

    /// Answers so from now on.
    pub(crate) fn plan(&self, statuses: Vec<StatusCode>) {
        self.0.lock().plan = StatusPlan::new(statuses);
    }

    /// Forgets what arrived and what was planned.
    pub(crate) fn clear(&self) {
        *self.0.lock() = MailboxState::default();
    }

    /// Shape: `{"url", "statuses": [], "received": [{"number", "at", "query", "headers": {}, "body",
    /// "status"}], "forgotten"}`, oldest first; a body that is JSON as JSON, any other as text.
    /// Credentials stand as they came: whether the right one comes is what is tested here.
    pub(crate) fn view(&self, base_url: &str) -> Value {
        let inner = self.0.lock();
        let statuses: Vec<u16> = inner.plan.statuses().iter().map(StatusCode::as_u16).collect();
        json!({
            "url": format!("{base_url}{RECEIVER}"),
            "statuses": statuses,
            "forgotten": inner.count - inner.arrived.len() as u64,
            "received": inner.arrived,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(bytes: usize) -> Arrival {
        Arrival::new(None, [], vec![b'x'; bytes].into())
    }

    fn counts(mailbox: &Mailbox) -> (usize, u64) {
        let view = mailbox.view("http://moot.test");
        let kept = view["received"].as_array().map_or(0, Vec::len);
        (kept, view["forgotten"].as_u64().unwrap_or_default())
    }

    #[test]
    fn the_oldest_go_beyond_a_count_and_beyond_bytes() {
        let mailbox = Mailbox::default();
        for _ in 0..=ARRIVALS_MAX {
            mailbox.take(Timestamp::UNIX_EPOCH, arrival(1));
        }
        assert_eq!(counts(&mailbox), (ARRIVALS_MAX, 1));
        mailbox.take(Timestamp::UNIX_EPOCH, arrival(ARRIVALS_BYTES_MAX));
        assert_eq!(counts(&mailbox), (1, ARRIVALS_MAX as u64 + 1));
        mailbox.take(Timestamp::UNIX_EPOCH, arrival(ARRIVALS_BYTES_MAX + 1));
        assert_eq!(counts(&mailbox), (0, ARRIVALS_MAX as u64 + 3));
    }

    #[test]
    fn statuses_are_answered_in_turn_and_the_last_for_ever() {
        let mailbox = Mailbox::default();
        let answered = || mailbox.take(Timestamp::UNIX_EPOCH, arrival(1)).as_u16();
        assert_eq!(answered(), 200);
        mailbox.plan(vec![StatusCode::SERVICE_UNAVAILABLE, StatusCode::NO_CONTENT]);
        assert_eq!([answered(), answered(), answered()], [503, 204, 204]);
        mailbox.clear();
        assert_eq!(
            (mailbox.take(Timestamp::UNIX_EPOCH, arrival(1)), counts(&mailbox)),
            (StatusCode::OK, (1, 0))
        );
    }
}
