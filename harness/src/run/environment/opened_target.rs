//! An opened target: what it is, what it offers, and the sessions of scenarios on it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use parking_lot::Mutex;

use crate::client::answers::Pins;
use crate::client::cleanup;
use crate::client::recording::mode::RecordingMode;
use crate::client::recording::{IndexTarget, Recorder, Replay};
use crate::client::sender::RequestSender;
use crate::client::service_client::{ServiceClient, first_scope};
use crate::client::target_file::model::SETTLE_SECONDS;
use crate::client::target_file::{self, Consent};
use crate::exchange::{Exchange, Residue, TargetDescription, Trouble};
use crate::run::environment::choice::{OpenError, TargetOptions};
use crate::run::environment::mock::MockSandboxes;
use crate::run::environment::needs;
use crate::run::environment::replayed;
use crate::run::environment::session::{Receivers, Session};
use crate::run::environment::target_fit;
use crate::scenario::model::{NEEDS, OperatorAction, Sandbox};
use crate::scenario::plan::without_row;
use crate::verdict::{NotRun, NotRunKind};

/// An opened target.
pub struct Environment {
    /// What it is and offers, as a recording keeps it. It has no secret.
    pub(crate) index: IndexTarget,
    pub(crate) limits: EnvironmentLimits,
    pub(crate) sender: Arc<RequestSender>,
    /// Requests of opening a mock. They do not count: each part of a run opens it again.
    pub(crate) sent_before: u64,
    pub(crate) receivers: Arc<Receivers>,
    pub(crate) kind: EnvironmentKind,
    /// Keeps what the sessions receive.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// What its target file limits for the run, which a replay does not need.
#[derive(Debug, Clone)]
pub(crate) struct EnvironmentLimits {
    /// Objects that a run may create at most; `None` where sandboxes are deleted with all they hold.
    pub(crate) created_objects_max: Option<u32>,
    /// For how long a list is read again after a change, until it shows the change.
    pub(crate) settle: Duration,
    /// The longest wait for deliveries, in real time; `None` where each step says how long.
    pub(crate) delivery_wait_max: Option<Duration>,
}

impl Default for EnvironmentLimits {
    fn default() -> Self {
        let settle = Duration::from_secs(SETTLE_SECONDS.into());
        Self { created_objects_max: None, settle, delivery_wait_max: None }
    }
}

/// Where the sessions of scenarios take place.
pub(crate) enum EnvironmentKind {
    /// In a sandbox of its own for each scenario.
    Mock(Arc<MockSandboxes>),
    /// In one place, shared by all scenarios.
    Deployment(ServiceClient),
    /// In a recording.
    Replay(Replay),
}

impl Environment {
    /// What the target is.
    pub fn description(&self) -> TargetDescription {
        self.index.description.clone()
    }

    /// Whether it has sandboxes: a moot mock.
    pub fn is_mock(&self) -> bool {
        self.index.is_mock
    }

    /// Whether requests are not paced: on a mock, or on a deployment on loopback with rate 0.
    pub fn is_unpaced(&self) -> bool {
        match &self.kind {
            EnvironmentKind::Mock(_) => true,
            EnvironmentKind::Deployment(client) => {
                client.destination.deployment().is_none_or(|it| it.is_unpaced())
            }
            // Replayed in the order in which it was recorded.
            EnvironmentKind::Replay(_) => false,
        }
    }

    /// Token requests that can be sent now without meeting a limit; `None` where nothing limits them.
    pub fn token_turns(&self) -> Option<usize> {
        let rules = self.deployment()?.destination.deployment()?;
        (!rules.is_unpaced()).then(|| rules.token_turns())
    }

    /// Whether there is a shared token of this application, so that none is asked for.
    pub fn has_token(&self, application: &str, scopes: Scopes) -> bool {
        let tokens = self.deployment().map(|client| client.destination.tokens.try_lock());
        // Locked while one is asked for.
        !matches!(tokens, Some(Ok(tokens)) if tokens.fresh(application, scopes).is_none())
    }

    /// Token requests that a run may still send; `None` if it is not limited.
    pub fn token_requests_left(&self) -> Option<u32> {
        self.deployment()?.destination.deployment()?.token_requests_left()
    }

    /// Whether this need or scenario (`FILE/ID`, a row's brackets are ignored) may stay not run.
    pub fn tolerates(&self, what: &str) -> bool {
        let tolerate = &self.index.tolerate;
        target_file::tolerates(tolerate, what)
            || target_file::tolerates(tolerate, without_row(what))
    }

    /// Whether the operator of a deployment has to move its clock for an expired token.
    pub fn lets_tokens_expire(&self) -> bool {
        let rules = self.deployment().and_then(|client| client.destination.deployment());
        rules
            .is_some_and(|it| it.expired_token.is_none() && it.offers(OperatorAction::AdvanceClock))
    }

    /// From now on every need that is not met may stay not run.
    pub fn tolerate_unmet_needs(&mut self) {
        self.index.tolerate.extend(self.index.unmet.keys().cloned());
    }

    /// From now on `recorder` keeps what the sessions receive.
    pub fn record(&mut self, recorder: Arc<Recorder>) {
        recorder.describe(self.index.clone());
        self.recorder = Some(recorder);
    }

    /// The answers that its file pins.
    pub fn pins(&self) -> &Pins {
        &self.index.pins
    }

    /// Why a need of [`NEEDS`] is not met; `None` where it is met.
    pub fn missing(&self, need: &str) -> Option<NotRun> {
        if !NEEDS.contains(&need) {
            return Some(self.not_run(need, format!("there is no need `{need}`"), None));
        }
        let (reason, setting) = self.index.unmet.get(need)?.clone();
        Some(self.not_run(need, reason, Some(setting)))
    }

    fn not_run(&self, need: &str, reason: String, setting: Option<String>) -> NotRun {
        NotRun {
            kind: NotRunKind::NeedNotMet,
            reason,
            setting,
            tolerate_as: need.to_owned(),
            is_tolerated: self.tolerates(need),
        }
    }

    /// What the run left behind so far; nothing on a mock, where sandboxes are deleted.
    pub fn residue(&self) -> Vec<Residue> {
        let deployment = self.deployment().and_then(|client| client.destination.deployment());
        deployment.map(|it| it.ledger.residue()).unwrap_or_default()
    }

    /// Requests sent so far, including tokens, discovery and the control plane; without those that open a
    /// mock.
    pub fn requests_sent(&self) -> u64 {
        self.sender.sent().saturating_sub(self.sent_before)
    }

    /// Whether the target stopped answering, so that the run sends nothing more.
    pub fn has_given_up(&self) -> bool {
        self.sender.has_given_up()
    }

    /// The token request of §4.1 with its response, where the target refuses it.
    pub fn refused_token_request(&self) -> Option<&Arc<Exchange>> {
        self.deployment()?.destination.refused_token_request.get()
    }

    /// Which applications of a deployment were refused a token for their credentials, one clause.
    pub fn refused_applications(&self) -> Option<String> {
        let client = self.deployment()?;
        let refused = client.destination.refused.lock();
        let all: Vec<String> =
            refused.iter().map(|(role, why)| no_token(client, role, why)).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// What of its target file a deployment does not confirm, as far as that was tried: a clause each.
    pub fn mistakes(&self) -> Vec<String> {
        // Held only while something is tried.
        let fit = self.deployment().and_then(|client| client.destination.fit.try_lock().ok());
        let mistakes = fit.iter().flat_map(|fit| fit.mistakes.values());
        let all: BTreeSet<String> = mistakes.map(ToString::to_string).collect();
        all.into_iter().collect()
    }

    /// Why scenarios that create a legal request do not run: the requester is not a user.
    pub async fn refused_requester(&self) -> Option<NotRun> {
        self.refused(target_fit::REQUESTER).await
    }

    /// Why rows with this workflow do not run: the target file binds it, and it is not there.
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

    /// Tries what the target file says of every need that it meets.
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

    /// Why scenarios with this need do not run though the target file meets it: its application is
    /// refused a token. The token is asked for once, when it is first needed.
    pub async fn refused(&self, need: &str) -> Option<NotRun> {
        let client = self.deployment()?;
        if let Some(mistake) = target_fit::mistake(client, need).await {
            let setting = format!("{} in the target file", mistake.key);
            return Some(self.not_run(need, mistake.to_string(), Some(setting)));
        }
        let role = needs::application_of(need)?;
        if !client.destination.refused.lock().contains_key(role) {
            self.try_application(client, role).await;
        }
        let why = client.destination.refused.lock().get(role).cloned()?;
        let setting = format!("applications.{role} in the target file");
        Some(self.not_run(need, no_token(client, role, &why), Some(setting)))
    }

    /// Asks for a token of each application of a deployment that had none yet.
    ///
    /// # Errors
    /// [`OpenError::Credentials`] naming those that are refused.
    pub async fn try_applications(&self) -> Result<(), OpenError> {
        let Some(client) = self.deployment() else { return Ok(()) };
        for role in client.destination.applications.keys() {
            self.try_application(client, role).await;
        }
        self.refused_applications().map_or(Ok(()), |why| Err(OpenError::Credentials(why)))
    }

    /// Asks for a token. A refusal is remembered; other trouble appears in the scenarios.
    async fn try_application(&self, client: &ServiceClient, role: &str) {
        if let Some(application) = client.destination.applications.get(role) {
            let _ = client.token(role, first_scope(application.scopes)).await;
        }
    }

    pub(crate) fn deployment(&self) -> Option<&ServiceClient> {
        match &self.kind {
            EnvironmentKind::Deployment(client) => Some(client),
            EnvironmentKind::Mock(_) | EnvironmentKind::Replay(_) => None,
        }
    }

    /// Deletes the webhooks that the run made, if `delete` is consented to.
    pub async fn cleanup(&self) {
        if let Some(client) = self.deployment()
            && let Some(deployment) = client.destination.deployment()
            && deployment.guard.allows(Consent::Delete)
        {
            cleanup::delete_webhooks(client, deployment.ledger.residue()).await;
        }
    }

    fn options(&self) -> &TargetOptions {
        &self.receivers.options
    }

    /// A session for one scenario. To be ended by [`Session::close`].
    ///
    /// # Errors
    /// [`Trouble`] where the sandbox cannot be made.
    pub async fn session(&self, scenario: &str, sandbox: &Sandbox) -> Result<Session, Trouble> {
        let mut started_seconds = jiff::Timestamp::now().as_second();
        let mut recording = RecordingMode::new(self.recorder.as_ref());
        let (client, sandbox) = match &self.kind {
            EnvironmentKind::Deployment(client) => (client.clone(), None),
            EnvironmentKind::Replay(replay) => {
                let mut record = replay.session(scenario)?;
                started_seconds = record.started_seconds;
                if let Some(overlay) = &self.options().overlay {
                    overlay.rewrite(scenario, &mut record.log.exchanges);
                }
                recording = RecordingMode::Replay(Mutex::new(record.log));
                let client = replayed::client(&self.sender, record.destination);
                let broken = |why| Trouble::Broken(format!("the recording of `{scenario}`: {why}"));
                (client.map_err(broken)?, None)
            }
            EnvironmentKind::Mock(sandboxes) => {
                let (client, id) = sandboxes.make(scenario, sandbox).await?;
                (client, Some((sandboxes.clone(), id)))
            }
        };
        Ok(Session {
            scenario: scenario.to_owned(),
            client,
            receivers: self.receivers.clone(),
            named_receivers: Mutex::default(),
            sandbox,
            started_seconds,
            recording,
        })
    }
}

fn no_token(client: &ServiceClient, role: &str, why: &str) -> String {
    let place = client.destination.place_of_application(role);
    format!("{place}the target gives no token to the application `{role}`: {why}")
}
