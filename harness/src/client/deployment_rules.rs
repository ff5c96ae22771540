//! The rules of a run on a deployment: consent, pace, back-off, budgets, headers, ledger.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use moot_fixtures::contract::RATE_WINDOW_SECONDS;
use parking_lot::Mutex;
use secrecy::SecretString;
use tokio::time::Instant;

use crate::client::consent::ConsentGuard;
use crate::client::control_plane::ControlPlane;
use crate::client::ledger::Ledger;
use crate::client::operator::person;
use crate::client::pace::{PaceWait, RETRY_AFTER_MAX, RequestPace, retry_after};
use crate::client::target_file::FileOperator;
use crate::client::target_file::model::{
    CREATED_OBJECTS_MAX, Consent, FileHeader, TOKEN_MINUTES_MAX, TargetFile,
};
use crate::exchange::{ReceivedResponse, Trouble};
use crate::scenario::model::{OperatorAction, Rhythm};

/// Requests that may be sent at once after a back-off.
const BURST: u32 = 10;
/// The longest time that a run waits in all back-offs together.
const BACK_OFFS_MAX: Duration = Duration::from_secs(30 * 60);

/// Requests that may be sent in the same minute before a burst. A service may count the 600 requests of its limit for
/// each path or token separately. The burst of 1,500 calls has 500 for each of three, so up to 100 earlier requests do
/// not change its result.
const EARLIER_MAX: usize = 60;

/// Token requests in a minute after which a 503 without `Retry-After` is taken for the limit of the token endpoint.
/// Otherwise a gateway is the likelier sender.
const SEVERAL_TOKEN_REQUESTS: usize = 5;

/// The window in which the service counts requests (§8).
const WINDOW: Duration = Duration::from_secs(RATE_WINDOW_SECONDS.unsigned_abs());

/// The rules of a run on a deployment.
#[derive(Debug)]
pub(crate) struct DeploymentRules {
    pub(crate) guard: ConsentGuard,
    pub(crate) ledger: Ledger,
    /// Headers for a gateway.
    pub(crate) headers: Vec<FileHeader>,
    /// A token of `main` that expired.
    pub(crate) expired_token: Option<SecretString>,
    /// A token of `main` that was revoked.
    pub(crate) revoked_token: Option<SecretString>,
    /// The operator of the target file.
    pub(crate) operator: Option<FileOperator>,
    /// The control plane of a mock in this process, which acts as the operator. Scenarios cannot use it.
    pub(crate) operator_control_plane: Option<ControlPlane>,
    pub(crate) pace: RequestPace,
    token_pace: RequestPace,
    /// Token requests of scenarios so far.
    token_requests: AtomicU32,
    /// `limits.token_requests_max` of the target file.
    token_requests_max: Option<u32>,
    back_offs: Mutex<BackOffs>,
}

/// The back-offs that the target asked for.
#[derive(Debug, Default)]
struct BackOffs {
    /// The sum of all waits so far.
    total: Duration,
    /// The end and the length of a back-off that is longer than a run waits.
    too_long: Option<(Instant, Duration)>,
}

impl DeploymentRules {
    /// The rules of a target file.
    ///
    /// # Errors
    /// The ledger cannot be written.
    pub(crate) fn new(file: &TargetFile, run_tag: &str) -> Result<Self, String> {
        let ledger = match file.consent.contains(&Consent::Write) {
            true => Ledger::open(&file.ledger, run_tag, file.base_url.as_str())?,
            false => Ledger::without_file(run_tag, file.base_url.as_str()),
        };
        Ok(Self::with_ledger(file, ledger))
    }

    /// The rules of a mock in this process. It ends with the run, so the ledger needs no file. Its control plane is the
    /// operator.
    pub(crate) fn in_process(file: &TargetFile, run_tag: &str) -> Self {
        let operator_control_plane = Some(ControlPlane::below(&file.base_url, None));
        Self { operator_control_plane, ..Self::preview(file, run_tag) }
    }

    /// The rules of a target file for a plan, without a ledger file.
    pub(crate) fn preview(file: &TargetFile, run_tag: &str) -> Self {
        Self::with_ledger(file, Ledger::without_file(run_tag, file.base_url.as_str()))
    }

    fn with_ledger(file: &TargetFile, ledger: Ledger) -> Self {
        let bindings = &file.bindings;
        let bound = bindings
            .requester_email
            .iter()
            .chain(&bindings.counterparty_email)
            .chain(&bindings.internal_signer_emails)
            .chain(&bindings.unknown_user_emails)
            .cloned();
        let limits = file.limits;
        let created_objects_max = limits.created_objects_max.unwrap_or(CREATED_OBJECTS_MAX);
        Self {
            guard: ConsentGuard::new(file.consent.clone(), bound, created_objects_max),
            ledger,
            headers: file.headers.clone(),
            expired_token: file.expired_token.clone(),
            revoked_token: file.revoked_token.clone(),
            operator: file.operator.clone(),
            operator_control_plane: None,
            pace: RequestPace::new(limits.requests_per_minute, BURST),
            token_pace: RequestPace::a_minute(limits.token_requests_per_minute.unwrap_or(0)),
            token_requests: AtomicU32::new(0),
            token_requests_max: limits.token_requests_max,
            back_offs: Mutex::default(),
        }
    }

    /// The same rules. They update `wait` while they hold requests back.
    pub(crate) fn watched_by(self, wait: &Arc<PaceWait>) -> Self {
        let (pace, token_pace) = (self.pace.watched_by(wait), self.token_pace.watched_by(wait));
        Self { pace, token_pace, ..self }
    }

    /// Whether the operator may and can do this. A person needs a terminal.
    pub(crate) fn offers(&self, action: OperatorAction) -> bool {
        self.guard.allows(Consent::Operate)
            && match &self.operator {
                Some(FileOperator::Command(command)) => command.actions.contains(&action),
                Some(FileOperator::Ask) => person::has_terminal(),
                None => self.operator_control_plane.is_some(),
            }
    }

    /// Waits until the next request may be sent.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] if the target asked for a longer back-off than a run waits.
    pub(crate) async fn turn(&self, is_token_request: bool) -> Result<(), Trouble> {
        self.check_back_offs()?;
        if is_token_request {
            self.token_pace.turn_with(&self.pace).await;
        } else {
            self.pace.turn().await;
        }
        self.check_back_offs()
    }

    /// Checks that no back-off of the target is longer than a run waits.
    ///
    /// # Errors
    /// [`Trouble::Withheld`].
    pub(crate) fn check_back_offs(&self) -> Result<(), Trouble> {
        let back_offs = self.back_offs.lock();
        let withheld = |reason| Err(Trouble::Withheld(reason));
        match back_offs.too_long {
            Some((until, wait)) if until > Instant::now() => withheld(format!(
                "the target asked for a back-off of {} s (`Retry-After`), and a run waits at most {} s",
                wait.as_secs(),
                RETRY_AFTER_MAX.as_secs()
            )),
            Some(_) | None if back_offs.total > BACK_OFFS_MAX => withheld(format!(
                "the back-offs that the target asked for (`Retry-After`) add up to more than {} minutes, \
                 and a run does not wait longer",
                BACK_OFFS_MAX.as_secs() / 60
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Backs off for the time that a response asks for. A limited token endpoint need not say how long: then it is the
    /// window of the limit. A target that asks for more than [`RETRY_AFTER_MAX`] gets no further request.
    pub(crate) fn back_off_after(&self, response: &ReceivedResponse, is_token_request: bool) {
        let now = Instant::now();
        let asked = retry_after(response.status, response.header("retry-after"), SystemTime::now());
        let is_several = || self.token_pace.recent(now) >= SEVERAL_TOKEN_REQUESTS;
        let is_limited_token = is_token_request
            && match response.status {
                429 => true,
                503 => asked.is_some() || is_several(),
                _ => false,
            };
        if is_limited_token {
            self.token_pace.refused(now);
        }
        let Some(wait) = asked.or(is_limited_token.then_some(WINDOW)) else { return };
        if wait > RETRY_AFTER_MAX {
            // `Retry-After` can be larger than an `Instant` can hold.
            let until = now.checked_add(wait).unwrap_or(now + BACK_OFFS_MAX);
            self.back_offs.lock().too_long = Some((until, wait));
            return;
        }
        let pace = if is_token_request { &self.token_pace } else { &self.pace };
        self.back_offs.lock().total += pace.back_off(now, wait);
    }

    /// Whether the token endpoint has refused a request for its limit, and is left alone for now.
    pub(crate) fn backs_off_from_tokens(&self) -> bool {
        self.token_pace.is_blocked(Instant::now())
    }

    /// The number of token requests that can be sent now within the limit.
    pub(crate) fn token_turns(&self) -> usize {
        self.token_pace.free(Instant::now())
    }

    /// Notes a token request of a scenario. Those for shared tokens do not count: if newer tokens end older ones, there
    /// are many of them.
    pub(crate) fn note_token_request(&self) {
        self.token_requests.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of token requests that scenarios may still send. `None` if there is no limit.
    pub(crate) fn token_requests_left(&self) -> Option<u32> {
        let of_minutes =
            |limit| u32::try_from(limit).unwrap_or(u32::MAX).saturating_mul(TOKEN_MINUTES_MAX);
        let max = self.token_requests_max.or(self.token_pace.limit().map(of_minutes))?;
        Some(max.saturating_sub(self.token_requests.load(Ordering::Relaxed)))
    }

    /// Waits until the end of the back-off of the token endpoint.
    pub(crate) async fn token_back_off(&self) {
        self.token_pace.wait_for_back_off().await;
    }

    /// Waits until a burst in this rhythm may begin. Earlier requests must not use up the limit (§8).
    pub(crate) async fn room_for_burst(&self, calls: u32, rhythm: Rhythm) {
        let now = Instant::now();
        let at = match rhythm {
            Rhythm::InFlight(_) => self.pace.burst_at(now, EARLIER_MAX),
            Rhythm::Over(time) => self.pace.spaced_at(now, calls, time),
        };
        self.pace.wait_until(at).await;
    }

    /// Sends nothing for a whole window of the limit (§8).
    pub(crate) fn back_off_for_a_window(&self) {
        self.pace.back_off(Instant::now(), WINDOW);
    }
}

/// Whether the service refused a request only for now: with `Retry-After`, or at the token endpoint. The request had no
/// effect, so any method is retried once. The limit may respond with 429 or 503 (`rate_limit_response`).
pub(crate) fn is_refused_for_now(
    outcome: &Result<ReceivedResponse, Trouble>,
    is_token_request: bool,
) -> bool {
    let can_wait =
        |response: &ReceivedResponse| is_token_request || response.header("retry-after").is_some();
    is_limited(outcome) && outcome.as_ref().is_ok_and(can_wait)
}

/// Whether the response can come from the limit (`rate_limit_response`).
pub(crate) fn is_limited(outcome: &Result<ReceivedResponse, Trouble>) -> bool {
    outcome.as_ref().is_ok_and(|response| matches!(response.status, 429 | 503))
}

/// Whether a GET is retried once: without a response, or after an error of a gateway.
pub(crate) fn is_worth_repeating(outcome: &Result<ReceivedResponse, Trouble>) -> bool {
    match outcome {
        // The pace waits for a back-off first.
        Ok(response) => {
            is_refused_for_now(outcome, false)
                || response.may_be_of_gateway()
                || response.status == 503
        }
        Err(
            Trouble::Unreachable(_)
            | Trouble::Timeout(_)
            | Trouble::CutShort(_)
            | Trouble::Broken(_),
        ) => true,
        Err(Trouble::Tls(_) | Trouble::Withheld(_) | Trouble::Operator(_)) => false,
    }
}

/// Whether the service did not answer itself: there is no response, or an error of a gateway that is not the limit.
pub(crate) fn is_unanswered(outcome: &Result<ReceivedResponse, Trouble>) -> bool {
    let is_of_limit = |response: &ReceivedResponse| {
        response.status == 429 || response.header("retry-after").is_some()
    };
    is_worth_repeating(outcome) && !outcome.as_ref().is_ok_and(is_of_limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::response::BodyReader;
    use crate::client::target_file;

    #[test]
    fn a_limited_token_endpoint_is_left_alone_also_if_it_does_not_say_how_long() {
        let file = target_file::from_url("http://127.0.0.1:1", &|_| None).expect("an address");
        // A 503 may come from a gateway, unless there were several token requests.
        for (status, is_token_request, earlier, is_limit) in [
            (429, true, 0, true),
            (429, false, 0, false),
            (503, true, SEVERAL_TOKEN_REQUESTS - 1, false),
            (503, true, SEVERAL_TOKEN_REQUESTS, true),
            (503, false, SEVERAL_TOKEN_REQUESTS, false),
            (500, true, SEVERAL_TOKEN_REQUESTS, false),
        ] {
            let rules = DeploymentRules::preview(&file, "moot-t");
            (0..earlier).for_each(|_| rules.token_pace.count(Instant::now()));
            assert_eq!(rules.token_turns(), 8 - earlier, "the assumed limit");
            let limited = BodyReader::default().finish(status, Vec::new());
            rules.back_off_after(&limited, is_token_request);
            assert_eq!(rules.backs_off_from_tokens(), is_limit, "{status} {is_token_request}");
            assert_eq!(rules.token_turns() == 0, is_limit, "{status} {is_token_request}");
            assert!(rules.pace.free(Instant::now()) > 0, "other calls do not wait");
            if status == 429 {
                assert_eq!(is_refused_for_now(&Ok(limited), is_token_request), is_token_request);
            }
        }
    }
}
