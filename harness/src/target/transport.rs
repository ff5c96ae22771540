//! The one way out: the mock in this process, or HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::http::Http;
use super::in_process::InProcess;
use super::wire::Wire;
use crate::exchange::{Masks, ReceivedResponse, Trouble};

/// How a request reaches its service.
#[derive(Clone)]
pub(super) enum Transport {
    /// The mock, without a socket.
    InProcess(InProcess),
    /// A socket.
    Http(Http),
    /// Nothing: a recording is judged without a network.
    Nowhere,
}

/// A transport that counts, and the secrets of the run.
pub(super) struct Carrier {
    transport: Transport,
    sent: AtomicU64,
    /// The secrets of the run.
    pub(super) masks: Arc<Masks>,
}

impl Carrier {
    /// Carries by this transport.
    pub(super) fn new(transport: Transport, masks: Arc<Masks>) -> Self {
        Self { transport, sent: AtomicU64::new(0), masks }
    }

    /// Requests carried so far.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Carries one request; returns its number within the run, too.
    pub(super) async fn carry(&self, wire: Wire) -> Carried {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let (sent_at, started) = (jiff::Timestamp::now(), Instant::now());
        let outcome = match &self.transport {
            Transport::InProcess(mock) => mock.send(wire).await.map(|response| (response, None)),
            Transport::Http(http) => http.send(wire).await,
            Transport::Nowhere => {
                Err(Trouble::Withheld("a recording is judged without a network".to_owned()))
            }
        };
        let (outcome, peer) = match outcome {
            Ok((response, peer)) => (Ok(response), peer),
            Err(trouble) => (Err(trouble), None),
        };
        let (sent_at_seconds, duration) = (sent_at.as_second(), started.elapsed());
        Carried { number, outcome, peer, sent_at_seconds, duration }
    }
}

/// What came of one request.
pub(super) struct Carried {
    /// Its number within the run, from 1.
    pub(super) number: u64,
    /// The answer, or why there is none.
    pub(super) outcome: Result<ReceivedResponse, Trouble>,
    /// Who answered.
    pub(super) peer: Option<SocketAddr>,
    /// Seconds since 1970 by our clock when it left.
    pub(super) sent_at_seconds: i64,
    /// From then to the last byte.
    pub(super) duration: Duration,
}

impl Carried {
    /// What never left.
    pub(super) fn withheld(reason: Trouble) -> Self {
        Self {
            number: 0,
            outcome: Err(reason),
            peer: None,
            sent_at_seconds: jiff::Timestamp::now().as_second(),
            duration: Duration::ZERO,
        }
    }
}
