//! The one way out: the mock in this process, or HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::client::http::Http;
use crate::client::http_request::HttpRequest;
use crate::client::response;
use crate::environment::in_process::InProcess;
use crate::exchange::{ReceivedResponse, Trouble};
use crate::masks::Masks;

/// How a request reaches its service.
#[derive(Clone)]
pub(crate) enum Transport {
    /// The mock, without a socket.
    InProcess(InProcess),
    /// A socket.
    Http(Http),
    /// HarEmpty: a recording is judged without a network.
    Nowhere,
}

/// Trouble in a row after which nothing more is sent: the target is gone, and a run must end.
const TROUBLE_MAX: u32 = 24;
/// What a missed deadline counts: it costs a minute, where other trouble costs a moment.
const DEADLINE_WEIGHT: u32 = 4;

/// A transport that counts, and the secrets of the run.
pub(crate) struct Sender {
    transport: Transport,
    sent: AtomicU64,
    /// Since the last answer.
    trouble_in_a_row: AtomicU32,
    /// The secrets of the run.
    pub(crate) masks: Arc<Masks>,
}

impl Sender {
    /// Carries by this transport.
    pub(crate) fn new(transport: Transport, masks: Arc<Masks>) -> Self {
        Self { transport, sent: AtomicU64::new(0), trouble_in_a_row: AtomicU32::new(0), masks }
    }

    /// Requests carried so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Whether the target has stopped answering, so that nothing more is sent.
    pub(crate) fn has_given_up(&self) -> bool {
        self.trouble_in_a_row.load(Ordering::Relaxed) >= TROUBLE_MAX
    }

    /// Carries one request; returns its number within the run, too.
    pub(crate) async fn carry(&self, http_request: HttpRequest) -> Attempt {
        if self.has_given_up() {
            return Attempt::withheld(Trouble::Unreachable(
                "the target stopped answering, so nothing more is sent to it".to_owned(),
            ));
        }
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let (sent_at, started) = (jiff::Timestamp::now(), Instant::now());
        let outcome = match &self.transport {
            Transport::InProcess(mock) => {
                mock.send(http_request).await.map(|response| (response, None))
            }
            Transport::Http(http) => http.send(http_request).await,
            Transport::Nowhere => {
                Err(Trouble::Withheld("a recording is judged without a network".to_owned()))
            }
        };
        let (sent_at_seconds, duration) = (sent_at.as_second(), started.elapsed());
        let (outcome, peer) = match outcome {
            Ok((mut response, peer)) => {
                response::read(&mut response);
                (Ok(response), peer)
            }
            Err(trouble) => (Err(trouble), None),
        };
        self.note(&outcome);
        Attempt { number, outcome, peer, sent_at_seconds, duration }
    }

    fn note(&self, outcome: &Result<ReceivedResponse, Trouble>) {
        let weight = match outcome {
            Ok(_) => return self.trouble_in_a_row.store(0, Ordering::Relaxed),
            Err(Trouble::Deadline(_)) => DEADLINE_WEIGHT,
            Err(Trouble::Unreachable(_) | Trouble::Tls(_) | Trouble::Broken(_)) => 1,
            Err(Trouble::Withheld(_)) => 0,
        };
        self.trouble_in_a_row.fetch_add(weight, Ordering::Relaxed);
    }
}

/// What came of one request.
pub(crate) struct Attempt {
    /// Its number within the run, from 1.
    pub(crate) number: u64,
    /// The answer, or why there is none.
    pub(crate) outcome: Result<ReceivedResponse, Trouble>,
    /// Who answered.
    pub(crate) peer: Option<SocketAddr>,
    /// Seconds since 1970 by our clock when it left.
    pub(crate) sent_at_seconds: i64,
    /// From then to the last byte.
    pub(crate) duration: Duration,
}

impl Attempt {
    /// What never left.
    pub(crate) fn withheld(reason: Trouble) -> Self {
        Self {
            number: 0,
            outcome: Err(reason),
            peer: None,
            sent_at_seconds: jiff::Timestamp::now().as_second(),
            duration: Duration::ZERO,
        }
    }
}
