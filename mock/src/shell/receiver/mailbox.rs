//! The built-in receiver of webhooks (§6) of a world. It stores the calls to `{base_url}/__admin/receiver`, and
//! answers planned statuses.
//!
//! A world passes its own deliveries to it without a connection. So it works over TLS, behind a gateway and
//! beyond loopback, and no check of `network` or of the control plane applies. It ends with the world.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use http::StatusCode;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::plan::StatusPlan;

/// The path of the receiver, below the base address of a world.
pub(crate) const RECEIVER: &str = "/__admin/receiver";
/// The largest number of calls that are kept; the oldest are deleted first.
const ARRIVALS_MAX: usize = 1_000;
/// The largest size of their bodies and headers together, in bytes.
const ARRIVALS_BYTES_MAX: usize = 1 << 20;
/// The largest number of planned statuses.
pub(crate) const STATUSES_MAX: usize = 1_000;

/// The received calls, and the plan of statuses.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    plan: StatusPlan,
    arrivals: VecDeque<Arrival>,
    /// Bytes of all arrivals.
    bytes: usize,
    /// The number of all calls so far.
    count: u64,
}

/// One received call.
#[derive(Debug, Serialize)]
struct Arrival {
    number: u64,
    at: Timestamp,
    /// The query of the address. Tests use it to tell webhooks apart.
    query: Option<String>,
    /// By name; values of one name are joined.
    headers: BTreeMap<String, String>,
    #[serde(serialize_with = "json_or_text")]
    body: Bytes,
    status: u16,
}

/// Serializes a JSON body as JSON, any other one as text.
fn json_or_text<S: Serializer>(body: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    let text = |_| Value::from(String::from_utf8_lossy(body));
    serde_json::from_slice(body).unwrap_or_else(text).serialize(serializer)
}

impl Arrival {
    fn bytes(&self) -> usize {
        let headers = self.headers.iter().map(|(name, value)| name.len() + value.len());
        self.body.len() + self.query.as_ref().map_or(0, String::len) + headers.sum::<usize>()
    }
}

impl Mailbox {
    /// Stores a call that arrived at the world's time `at`, and returns the status of its response.
    pub(crate) fn take<'h>(
        &mut self,
        at: Timestamp,
        query: Option<&str>,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: Bytes,
    ) -> StatusCode {
        let mut joined: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in headers {
            let known = joined.entry(name.to_ascii_lowercase()).or_default();
            if !known.is_empty() {
                known.push_str(", ");
            }
            known.push_str(value);
        }
        self.count += 1;
        let status = self.plan.next_status();
        let arrival = Arrival {
            number: self.count,
            at,
            query: query.map(str::to_owned),
            headers: joined,
            body,
            status: status.as_u16(),
        };
        self.bytes += arrival.bytes();
        self.arrivals.push_back(arrival);
        while self.arrivals.len() > ARRIVALS_MAX || self.bytes > ARRIVALS_BYTES_MAX {
            let Some(oldest) = self.arrivals.pop_front() else { break };
            self.bytes -= oldest.bytes();
        }
        status
    }

    /// Sets the statuses of the next responses.
    pub(crate) fn plan(&mut self, statuses: Vec<StatusCode>) {
        self.plan = StatusPlan::new(statuses);
    }

    /// Deletes the received calls and the plan.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Shape: `{"url", "statuses": [], "received": [{"number", "at", "query", "headers": {}, "body",
    /// "status"}], "forgotten"}`, the oldest call first. A JSON body is JSON, any other one is text. Credentials
    /// are not masked, because tests check them here.
    pub(crate) fn view(&self, base_url: &str) -> Value {
        let statuses: Vec<u16> = self.plan.statuses().iter().map(StatusCode::as_u16).collect();
        json!({
            "url": format!("{base_url}{RECEIVER}"),
            "statuses": statuses,
            "forgotten": self.count - self.arrivals.len() as u64,
            "received": self.arrivals,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(mailbox: &mut Mailbox, bytes: usize) -> StatusCode {
        mailbox.take(Timestamp::UNIX_EPOCH, None, [], vec![b'x'; bytes].into())
    }

    fn counts(mailbox: &Mailbox) -> (usize, u64) {
        let view = mailbox.view("http://moot.test");
        let kept = view["received"].as_array().map_or(0, Vec::len);
        (kept, view["forgotten"].as_u64().unwrap_or_default())
    }

    #[test]
    fn the_oldest_calls_are_deleted_beyond_a_count_and_beyond_a_size() {
        let mut mailbox = Mailbox::default();
        for _ in 0..=ARRIVALS_MAX {
            take(&mut mailbox, 1);
        }
        assert_eq!(counts(&mailbox), (ARRIVALS_MAX, 1));
        take(&mut mailbox, ARRIVALS_BYTES_MAX);
        assert_eq!(counts(&mailbox), (1, ARRIVALS_MAX as u64 + 1));
        take(&mut mailbox, ARRIVALS_BYTES_MAX + 1);
        assert_eq!(counts(&mailbox), (0, ARRIVALS_MAX as u64 + 3));
    }

    #[test]
    fn statuses_are_answered_in_turn_and_the_last_for_ever() {
        let mut mailbox = Mailbox::default();
        let status = |mailbox: &mut Mailbox| take(mailbox, 1).as_u16();
        assert_eq!(status(&mut mailbox), 200);
        mailbox.plan(vec![StatusCode::SERVICE_UNAVAILABLE, StatusCode::NO_CONTENT]);
        assert_eq!([(); 3].map(|()| status(&mut mailbox)), [503, 204, 204]);
        mailbox.clear();
        assert_eq!((status(&mut mailbox), counts(&mailbox)), (200, (1, 0)));
    }
}
