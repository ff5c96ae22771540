//! An opened target: its description, the needs that it meets, and the sessions of scenarios.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use parking_lot::Mutex;

use crate::client::cleanup;
use crate::client::deployment_rules::DeploymentRules;
use crate::client::recording::mode::RecordingMode;
use crate::client::recording::{IndexTarget, Recorder, Replay};
use crate::client::sender::RequestSender;
use crate::client::service_client::{ServiceClient, first_scope};
use crate::client::target_file::model::SETTLE_SECONDS;
use crate::client::target_file::{self, Consent, FileLimits};
use crate::exchange::{Exchange, Residue, TargetDescription, Trouble};
use crate::run::environment::choice::OpenError;
use crate::run::environment::first_contact::refused_application;
use crate::run::environment::mock::MockSandboxes;
use crate::run::environment::needs;
use crate::run::environment::replay_destination;
use crate::run::environment::session::{Receivers, Session};
use crate::run::environment::target_fit;
use crate::scenario::model::{NEEDS, OperatorAction, Sandbox};
use crate::verdict::NotRun;

/// An opened target.
pub struct Environment {
    /// The description of the target in recordings. It has no secret.
    pub(crate) index: IndexTarget,
    /// The time after a change in which a list is read again until it shows the change.
    pub(crate) settle: Duration,
    /// The longest wait for deliveries in real time; `None` if each step decides.
    pub(crate) delivery_wait_max: Option<Duration>,
    pub(crate) sender: Arc<RequestSender>,
    /// The requests that opened a mock. They do not count, because each shard opens the mock again.
    pub(crate) sent_before: u64,
    pub(crate) receivers: Arc<Receivers>,
    pub(crate) kind: EnvironmentKind,
    /// Records the responses of all sessions.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// The default of `limits.settle_seconds`.
pub(crate) const SETTLE_DEFAULT: Duration = Duration::from_secs(SETTLE_SECONDS as u64);

/// The kind of a target.
pub(crate) enum EnvironmentKind {
    /// A moot mock: each scenario has its own sandbox.
    Mock(Arc<MockSandboxes>),
    /// A deployment, which all scenarios share.
    Deployment(ServiceClient),
    /// A recording.
    Replay(Replay),
}

impl Environment {
    /// The name, address and class of the target.
    pub fn description(&self) -> TargetDescription {
        self.index.description.clone()
    }

    /// Whether the target is a moot mock, which has sandboxes.
    pub fn is_mock(&self) -> bool {
        self.index.is_mock
    }

    /// Waits for the data of the target. A replay has nothing to wait for.
    pub(crate) async fn pause(&self, duration: Duration) {
        if !matches!(self.kind, EnvironmentKind::Replay(_)) {
            tokio::time::sleep(duration).await;
        }
    }

    /// Whether the failed first pass of a scenario is repeated: if lists may still show earlier changes, or in a replay
    /// if it was repeated.
    pub(crate) fn repeats_first_pass(&self, scenario: &str, may_lag: bool) -> bool {
        if let EnvironmentKind::Replay(replay) = &self.kind {
            return replay.repeated.contains(scenario);
        }
        if let Some(recorder) = self.recorder.as_ref().filter(|_| may_lag) {
            recorder.keep_repeated(scenario);
        }
        may_lag
    }

    /// Whether requests to a deployment are sent without a pace: at rate 0.
    pub fn is_unpaced(&self) -> bool {
        self.rules().is_some_and(|rules| rules.pace.is_unpaced())
    }

    /// The number of token requests that can be sent now without meeting a limit; `None` without a limit.
    pub fn token_turns(&self) -> Option<usize> {
        let rules = self.rules()?;
        (!rules.pace.is_unpaced()).then(|| rules.token_turns())
    }

    /// Whether there is a valid shared token of this application for calls that these scopes allow.
    pub fn has_token(&self, application: &str, scopes: Scopes) -> bool {
        let tokens = self.deployment().map(|client| client.destination.tokens.try_lock());
        // The lock is held while a token is requested.
        !matches!(tokens, Some(Ok(tokens)) if tokens.fresh_for(application, scopes).is_none())
    }

    /// The number of token requests that a run may still send; `None` without a limit.
    pub fn token_requests_left(&self) -> Option<u32> {
        self.rules()?.token_requests_left()
    }

    /// Whether this need or scenario (`FILE/ID`) may stay not run.
    pub fn tolerates(&self, what: &str) -> bool {
        target_file::tolerates(&self.index.tolerate, what)
    }

    /// Whether an expired token requires that the operator of a deployment moves its clock.
    pub fn lets_tokens_expire(&self) -> bool {
        self.rules().is_some_and(|rules| {
            rules.expired_token.is_none() && rules.offers(OperatorAction::AdvanceClock)
        })
    }

    /// Tolerates every need that is not met.
    pub fn tolerate_unmet_needs(&mut self) {
        self.index.tolerate.extend(self.index.unmet.keys().cloned());
    }

    /// Records the responses of all later sessions.
    pub fn record(&mut self, recorder: Arc<Recorder>) {
        recorder.describe(self.index.clone());
        self.recorder = Some(recorder);
    }

    /// The reason why a need of [`NEEDS`] is not met; `None` if it is met.
    pub fn missing(&self, need: &str) -> Option<NotRun> {
        if !NEEDS.contains(&need) {
            return Some(self.not_run(need, format!("there is no need `{need}`"), None));
        }
        let (reason, setting) = self.index.unmet.get(need)?.clone();
        Some(self.not_run(need, reason, Some(setting)))
    }

    /// Whether this is a deployment whose operator can move the clock of the service.
    pub fn can_move_clock(&self) -> bool {
        !self.is_mock() && self.missing(&OperatorAction::AdvanceClock.need()).is_none()
    }

    fn not_run(&self, need: &str, reason: String, setting: Option<String>) -> NotRun {
        needs::not_run(&self.index.tolerate, need, reason, setting)
    }

    /// The largest number of objects that a run may create. `None` for a mock, whose sandboxes are deleted with their
    /// objects, and for a replay.
    pub fn created_objects_max(&self) -> Option<u32> {
        Some(self.rules()?.guard.created_max)
    }

    /// Objects that the run has left on a deployment so far.
    pub fn residue(&self) -> Vec<Residue> {
        self.rules().map(|rules| rules.ledger.residue()).unwrap_or_default()
    }

    /// The number of requests so far, including tokens, discovery and the control plane, without those that opened a
    /// mock.
    pub fn requests_sent(&self) -> u64 {
        self.sender.sent().saturating_sub(self.sent_before)
    }

    /// The number of requests that the service did not answer itself.
    pub fn unanswered(&self) -> u64 {
        self.sender.unanswered()
    }

    /// Whether the target has stopped responding. Then the run sends nothing more.
    pub fn has_given_up(&self) -> bool {
        self.sender.has_given_up()
    }

    /// The token request of §4.1 with its response, if the target refused it.
    pub fn refused_token_request(&self) -> Option<&Arc<Exchange>> {
        self.deployment()?.destination.refused_token_request.get()
    }

    /// A clause about applications whose credentials a deployment refused.
    pub fn refused_applications(&self) -> Option<String> {
        let client = self.deployment()?;
        let refused = client.destination.refused.lock();
        let all: Vec<String> = refused
            .iter()
            .map(|(role, refusal)| refused_application(client, role, refusal))
            .collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Mistakes of the target file that were found so far, one clause each.
    pub fn mistakes(&self) -> Vec<String> {
        // The lock is held only while the target file is checked.
        let fit = self.deployment().and_then(|client| client.destination.fit.try_lock().ok());
        let mistakes = fit.iter().flat_map(|fit| fit.values().flatten());
        let all: BTreeSet<String> = mistakes.map(ToString::to_string).collect();
        all.into_iter().collect()
    }

    /// The reason why the requester of the target file cannot be used: the target does not know this user.
    pub async fn refused_requester(&self) -> Option<NotRun> {
        self.refused(target_fit::REQUESTER).await
    }

    /// The reason why rows with this workflow do not run: the target file binds it, and the target does not have it.
    pub async fn refused_workflow(&self, id: &str) -> Option<NotRun> {
        let bindings = &self.deployment()?.destination.bindings;
        let is_bound = |need: &&str| {
            let name = needs::workflow_binding(need);
            name.and_then(|name| bindings.get(&name)).is_some_and(|bound| bound == id)
        };
        for need in NEEDS.into_iter().filter(is_bound) {
            let refused = self.refused(need).await;
            if refused.is_some() {
                return refused;
            }
        }
        None
    }

    /// Checks the target file for every need that it meets.
    pub async fn try_all(&self) {
        for need in NEEDS {
            if self.missing(need).is_none() {
                self.refused(need).await;
            }
        }
        if self.missing("write").is_none() {
            self.refused_requester().await;
        }
    }

    /// The reason why scenarios with this need do not run, although the target file meets it: the target file has a
    /// mistake, or the application of the need gets no token. Both are checked once, at the first use.
    pub async fn refused(&self, need: &str) -> Option<NotRun> {
        let client = self.deployment()?;
        if let Some(mistake) = target_fit::mistake(client, need).await {
            let setting = format!("{} in the target file", mistake.key);
            return Some(self.not_run(need, mistake.to_string(), Some(setting)));
        }
        let (role, _) = needs::application_of(need)?;
        if !client.destination.refused.lock().contains_key(role) {
            self.try_application(client, role).await;
        }
        let refusal = client.destination.refused.lock().get(role).cloned()?;
        let setting = format!("applications.{role} in the target file");
        Some(self.not_run(need, refused_application(client, role, &refusal), Some(setting)))
    }

    /// Asks for a token of each application of a deployment that has none yet.
    ///
    /// # Errors
    /// [`OpenError::Unreachable`] with the applications that are refused.
    pub async fn try_applications(&self) -> Result<(), OpenError> {
        let Some(client) = self.deployment() else { return Ok(()) };
        for role in client.destination.applications.keys() {
            self.try_application(client, role).await;
        }
        self.refused_applications().map_or(Ok(()), |why| Err(OpenError::Unreachable(why)))
    }

    /// Asks for a token. The client remembers a refusal. The scenarios report other trouble.
    async fn try_application(&self, client: &ServiceClient, role: &str) {
        if let Some(application) = client.destination.applications.get(role) {
            let _ = client.token(role, first_scope(application.scopes)).await;
        }
    }

    /// The client of a deployment.
    pub(crate) fn deployment(&self) -> Option<&ServiceClient> {
        match &self.kind {
            EnvironmentKind::Deployment(client) => Some(client),
            EnvironmentKind::Mock(_) | EnvironmentKind::Replay(_) => None,
        }
    }

    fn rules(&self) -> Option<&DeploymentRules> {
        self.deployment()?.destination.deployment()
    }

    /// Deletes the webhooks that the run created, if `delete` is consented to.
    pub async fn cleanup(&self) {
        if let (Some(client), Some(rules)) = (self.deployment(), self.rules())
            && rules.guard.allows(Consent::Delete)
        {
            cleanup::delete_webhooks(client, rules.ledger.residue()).await;
        }
    }

    /// The most pages of a list that are read.
    pub(crate) fn pages_max(&self) -> u64 {
        self.index.pages_max.unwrap_or_else(|| FileLimits::default().pages_max)
    }

    /// A session for one scenario. [`Session::close`] must end it.
    ///
    /// # Errors
    /// [`Trouble`] if the sandbox cannot be created, or the recording has no such session.
    pub async fn session(&self, scenario: &str, sandbox: &Sandbox) -> Result<Session, Trouble> {
        let mut started_seconds = jiff::Timestamp::now().as_second();
        let mut recording = RecordingMode::new(self.recorder.as_ref());
        let (client, sandbox) = match &self.kind {
            EnvironmentKind::Deployment(client) => (client.clone(), None),
            EnvironmentKind::Replay(replay) => {
                let mut record = replay.session(scenario)?;
                started_seconds = record.started_seconds;
                if let Some(overlay) = &self.receivers.options.overlay {
                    overlay.rewrite(scenario, &mut record.log.exchanges);
                }
                recording = RecordingMode::Replay(Mutex::new(record.log));
                let client = replay_destination::client(&self.sender, record.destination);
                let broken = |why| Trouble::Broken(format!("the recording of `{scenario}`: {why}"));
                (client.map_err(broken)?, None)
            }
            EnvironmentKind::Mock(sandboxes) => {
                let (client, id) = sandboxes.create(scenario, sandbox).await?;
                (client, Some((sandboxes.clone(), id)))
            }
        };
        Ok(Session {
            scenario: scenario.to_owned(),
            client,
            receivers: self.receivers.clone(),
            sandbox,
            started_seconds,
            pages_max: self.pages_max(),
            recording,
        })
    }
}
