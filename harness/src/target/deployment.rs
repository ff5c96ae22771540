//! What stands between a run and a real deployment: consent, pace, budgets, headers, ledger.

use std::time::{Duration, SystemTime};

use secrecy::SecretString;
use tokio::time::Instant;

use super::file::{Consent, FileHeader, TargetFile};
use super::guard::Guard;
use super::ledger::Ledger;
use super::pace::{Pace, retry_after};
use crate::exchange::{ReceivedResponse, Trouble};

/// So many requests may leave at once after a rest.
const BURST: u32 = 10;
/// So many token requests may leave at once after a rest.
const TOKEN_BURST: u32 = 2;

/// The window in which the service counts requests (§8).
const WINDOW: Duration = Duration::from_secs(60);

/// The rules of a run on a deployment.
#[derive(Debug)]
pub(super) struct Deployment {
    /// What may leave.
    pub(super) guard: Guard,
    /// What was created.
    pub(super) ledger: Ledger,
    /// Headers for a gateway.
    pub(super) headers: Vec<FileHeader>,
    /// A token of `main` that expired.
    pub(super) expired_token: Option<SecretString>,
    /// A token of `main` that was revoked.
    pub(super) revoked_token: Option<SecretString>,
    pace: Pace,
    token_pace: Pace,
}

impl Deployment {
    /// The rules of a target file; `rate` overrides its requests a minute.
    ///
    /// # Errors
    /// Where the ledger cannot be written.
    pub(super) fn new(file: &TargetFile, rate: Option<u32>, run_tag: &str) -> Result<Self, String> {
        let ledger = match file.consent.contains(&Consent::Write) {
            true => Ledger::open(&file.ledger, run_tag, file.base_url.as_str())?,
            false => Ledger::none(run_tag, file.base_url.as_str()),
        };
        Ok(Self::with_ledger(file, rate, ledger))
    }

    /// The rules of a target file for a plan: nothing is written.
    pub(super) fn sketch(file: &TargetFile, run_tag: &str) -> Self {
        Self::with_ledger(file, None, Ledger::none(run_tag, file.base_url.as_str()))
    }

    fn with_ledger(file: &TargetFile, rate: Option<u32>, ledger: Ledger) -> Self {
        let bindings = &file.bindings;
        let bound = bindings
            .requester_email
            .iter()
            .chain(&bindings.counterparty_email)
            .chain(&bindings.internal_signer_emails)
            .cloned();
        let limits = file.limits;
        Self {
            guard: Guard::new(file.consent.clone(), bound, limits.created_objects_max),
            ledger,
            headers: file.headers.clone(),
            expired_token: file.expired_token.clone(),
            revoked_token: file.revoked_token.clone(),
            pace: Pace::new(rate.unwrap_or(limits.requests_per_minute), BURST),
            token_pace: Pace::new(limits.token_requests_per_minute, TOKEN_BURST),
        }
    }

    /// Whether requests leave as soon as they are made.
    pub(super) fn is_unpaced(&self) -> bool {
        self.pace.is_unpaced()
    }

    /// Waits until the next request may leave.
    pub(super) async fn turn(&self, is_token_request: bool) {
        if is_token_request {
            self.token_pace.turn().await;
        }
        self.pace.turn().await;
    }

    /// Rests as long as an answer asks for; whether it asked.
    pub(super) fn rest_after(&self, response: &ReceivedResponse, is_token_request: bool) -> bool {
        let wait = retry_after(response.status, response.header("retry-after"), SystemTime::now());
        if let Some(wait) = wait {
            let pace = if is_token_request { &self.token_pace } else { &self.pace };
            pace.rest(Instant::now(), wait);
        }
        wait.is_some()
    }

    /// Lets nothing leave for a whole window of the limit (§8).
    pub(super) fn rest_for_a_window(&self) {
        self.pace.rest(Instant::now(), WINDOW);
    }
}

/// Whether a GET is repeated once after this: no answer, or one that says it went wrong on the way.
pub(super) fn is_worth_repeating(outcome: &Result<ReceivedResponse, Trouble>) -> bool {
    match outcome {
        Ok(response) => match response.status {
            502..=504 => true,
            // The limit refused it; the rest that it asked for is waited for.
            429 => response.header("retry-after").is_some(),
            _ => false,
        },
        Err(Trouble::Unreachable(_) | Trouble::Deadline(_) | Trouble::Broken(_)) => true,
        Err(Trouble::Tls(_) | Trouble::Withheld(_)) => false,
    }
}
