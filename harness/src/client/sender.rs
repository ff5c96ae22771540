//! Sends and counts every request of a run, and gives up on a target that has stopped responding.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::client::http_request::HttpRequest;
use crate::client::transport::RequestTransport;
use crate::exchange::masks::Masks;
use crate::exchange::{ReceivedResponse, Trouble};

/// After this weight of consecutive trouble the target counts as gone, and nothing more is sent.
const TROUBLE_MAX: u32 = 24;
/// After this number of refused connections in a row, each further request waits for [`OUTAGE_PAUSE`]. So a run goes on
/// after a restart of the target, and gives up after half a minute.
const OUTAGE_REFUSALS_MIN: u32 = 8;
const OUTAGE_PAUSE: Duration = Duration::from_secs(2);
/// The weight of a timeout. It costs a minute, other trouble costs a moment.
const TIMEOUT_WEIGHT: u32 = 4;

/// A transport with a counter, and the secrets of the run.
pub(crate) struct RequestSender {
    transport: Arc<dyn RequestTransport>,
    sent: AtomicU64,
    unanswered: AtomicU64,
    /// Weight of the trouble since the last response.
    trouble_in_a_row: AtomicU32,
    /// Connections that failed since the last one that did not.
    refused_in_a_row: AtomicU32,
    pub(crate) masks: Arc<Masks>,
}

impl RequestSender {
    pub(crate) fn new(transport: impl RequestTransport + 'static, masks: Arc<Masks>) -> Self {
        Self::over(Arc::new(transport), masks)
    }

    /// A sender with the same transport and counters of its own.
    pub(crate) fn beside(&self) -> Self {
        Self::over(Arc::clone(&self.transport), Arc::clone(&self.masks))
    }

    fn over(transport: Arc<dyn RequestTransport>, masks: Arc<Masks>) -> Self {
        let (sent, unanswered) = (AtomicU64::new(0), AtomicU64::new(0));
        let (trouble_in_a_row, refused_in_a_row) = (AtomicU32::new(0), AtomicU32::new(0));
        Self { transport, sent, unanswered, trouble_in_a_row, refused_in_a_row, masks }
    }

    /// Requests sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Requests that the service did not answer itself, as [`Self::note_unanswered`] counts them.
    pub(crate) fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Counts a request without a response, or with a response of a gateway.
    pub(crate) fn note_unanswered(&self) {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the target has stopped responding, so that nothing more is sent.
    pub(crate) fn has_given_up(&self) -> bool {
        self.trouble_in_a_row.load(Ordering::Relaxed) >= TROUBLE_MAX
    }

    pub(crate) async fn send(&self, request: HttpRequest) -> SendAttempt {
        if self.has_given_up() {
            return SendAttempt::not_made(Trouble::Unreachable(
                "the target has stopped responding, so nothing more is sent to it".to_owned(),
            ));
        }
        if self.refused_in_a_row.load(Ordering::Relaxed) >= OUTAGE_REFUSALS_MIN {
            tokio::time::sleep(OUTAGE_PAUSE).await;
        }
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let (sent_at, started) = (jiff::Timestamp::now(), Instant::now());
        let outcome = self.transport.send(request).await;
        let (sent_at_seconds, duration) = (sent_at.as_second(), started.elapsed());
        self.count_trouble(&outcome);
        SendAttempt { number, outcome, sent_at_seconds, duration }
    }

    fn count_trouble(&self, outcome: &Result<ReceivedResponse, Trouble>) {
        match outcome {
            Err(Trouble::Unreachable(_)) => self.refused_in_a_row.fetch_add(1, Ordering::Relaxed),
            _ => self.refused_in_a_row.swap(0, Ordering::Relaxed),
        };
        let weight = match outcome {
            // A response that was cut short shows that the target is there.
            Ok(_) | Err(Trouble::CutShort(_)) => {
                return self.trouble_in_a_row.store(0, Ordering::Relaxed);
            }
            Err(Trouble::Timeout(_)) => TIMEOUT_WEIGHT,
            Err(Trouble::Unreachable(_) | Trouble::Tls(_) | Trouble::Broken(_)) => 1,
            Err(Trouble::Withheld(_) | Trouble::Operator(_)) => 0,
        };
        self.trouble_in_a_row.fetch_add(weight, Ordering::Relaxed);
    }
}

/// The attempt to send a request, and its outcome.
pub(crate) struct SendAttempt {
    /// Its number within the run, from 1. 0 if it was not sent.
    pub(crate) number: u64,
    pub(crate) outcome: Result<ReceivedResponse, Trouble>,
    /// When it was sent, in seconds since 1970 by our clock.
    pub(crate) sent_at_seconds: i64,
    /// Time from sending to the last byte of the response.
    pub(crate) duration: Duration,
}

impl SendAttempt {
    /// An attempt that sent nothing.
    pub(crate) fn not_made(reason: Trouble) -> Self {
        Self {
            number: 0,
            outcome: Err(reason),
            sent_at_seconds: jiff::Timestamp::now().as_second(),
            duration: Duration::ZERO,
        }
    }
}
