//! A target, opened once a run: what it is, what it offers, the stages on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::answers::Pins;
use crate::client::service_client::ServiceClient;
use crate::client::transport::Sender;
use crate::client::{Residue, TargetDescription, cleanup};
use crate::environment::choice::OpenError;
use crate::environment::mock::MockSandboxes;
use crate::environment::needs;
use crate::environment::session::{Receivers, Session};
use crate::exchange::Trouble;
use crate::recording::mode::RecordingMode;
use crate::recording::{IndexTarget, Recorder, Replay};
use crate::scenario::model::{NEEDS, Sandbox};
use crate::target_file::model::{Consent, TargetFile};
use crate::verdict::{NotRun, NotRunKind};

/// What a run is pointed at, opened.
pub struct Environment {
    pub(crate) description: TargetDescription,
    pub(crate) file: Option<TargetFile>,
    pub(crate) pins: Pins,
    pub(crate) sender: Arc<Sender>,
    pub(crate) run_tag: String,
    pub(crate) receivers: Arc<Receivers>,
    pub(crate) unmet: BTreeMap<&'static str, needs::UnmetNeed>,
    pub(crate) kind: EnvironmentKind,
    /// Keeps what the stages are told, where that is wanted.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

/// The kinds of targets.
pub(crate) enum EnvironmentKind {
    /// MockSandboxes.
    Mock(Arc<MockSandboxes>),
    /// One place, shared by all scenarios.
    Deployment(ServiceClient),
    /// What another run was told.
    Recording(Replay),
}

impl Environment {
    /// What it is.
    pub fn description(&self) -> TargetDescription {
        self.description.clone()
    }

    /// Whether it has sandboxes: a moot mock.
    pub fn is_mock(&self) -> bool {
        match &self.kind {
            EnvironmentKind::Mock(_) => true,
            EnvironmentKind::Deployment(_) => false,
            EnvironmentKind::Recording(recording) => recording.target.is_mock,
        }
    }

    /// Whether requests to it are not paced: a mock, or a deployment on loopback with rate 0.
    pub fn is_unpaced(&self) -> bool {
        match &self.kind {
            EnvironmentKind::Mock(_) => true,
            EnvironmentKind::Deployment(client) => {
                client.destination.deployment().is_none_or(|it| it.is_unpaced())
            }
            // Played in the order in which it was recorded.
            EnvironmentKind::Recording(_) => false,
        }
    }

    /// Whether this need or scenario (`FILE/ID`, a row's brackets are ignored) may stay not run.
    pub fn tolerates(&self, what: &str) -> bool {
        let whole = what.split('[').next().unwrap_or(what);
        self.tolerated().iter().any(|name| name == what || name == whole)
    }

    fn tolerated(&self) -> &[String] {
        match (&self.kind, &self.file) {
            (EnvironmentKind::Recording(recording), _) => &recording.target.tolerate,
            (_, Some(file)) => &file.tolerate,
            (_, None) => &[],
        }
    }

    /// Pages that are walked at most, where its file says so.
    pub fn pages_max(&self) -> Option<u64> {
        match &self.kind {
            EnvironmentKind::Recording(recording) => recording.target.pages_max,
            EnvironmentKind::Mock(_) | EnvironmentKind::Deployment(_) => {
                self.file.as_ref().map(|file| file.limits.pages_max)
            }
        }
    }

    /// Objects that a run may create on it; `None` on a mock, whose sandboxes go.
    pub fn created_objects_max(&self) -> Option<u32> {
        match (&self.kind, &self.file) {
            (EnvironmentKind::Deployment(_), Some(file)) => Some(file.limits.created_objects_max),
            (
                EnvironmentKind::Deployment(_)
                | EnvironmentKind::Mock(_)
                | EnvironmentKind::Recording(_),
                _,
            ) => None,
        }
    }

    /// From now on `recorder` keeps what the stages are told.
    pub fn record(&mut self, recorder: Arc<Recorder>) {
        let unmet = self.unmet.iter().map(|(need, unmet)| {
            ((*need).to_owned(), (unmet.reason.clone(), unmet.setting.clone()))
        });
        recorder.describe(IndexTarget {
            name: self.description.name.clone(),
            base_url: self.description.base_url.clone(),
            class: self.description.class.clone(),
            is_mock: self.is_mock(),
            pages_max: self.pages_max(),
            tolerate: self.tolerated().to_vec(),
            unmet: unmet.collect(),
            pins: self.pins.clone(),
        });
        self.recorder = Some(recorder);
    }

    /// The answers that its file pins.
    pub fn pins(&self) -> &Pins {
        &self.pins
    }

    /// Why a need of [`NEEDS`] is not met; `None` where it is.
    pub fn missing(&self, need: &str) -> Option<NotRun> {
        let not_run = |reason: String, setting: Option<String>| NotRun {
            kind: NotRunKind::NeedNotMet,
            reason,
            setting,
            tolerate_as: need.to_owned(),
            is_tolerated: self.tolerates(need),
        };
        if !NEEDS.contains(&need) {
            return Some(not_run(format!("there is no need `{need}`"), None));
        }
        let unmet = self.unmet.get(need)?;
        Some(not_run(unmet.reason.clone(), Some(unmet.setting.clone())))
    }

    /// What the run left behind so far; nothing on a mock, whose sandboxes go.
    pub fn residue(&self) -> Vec<Residue> {
        match &self.kind {
            EnvironmentKind::Mock(_) | EnvironmentKind::Recording(_) => Vec::new(),
            EnvironmentKind::Deployment(client) => {
                client.destination.deployment().map(|it| it.ledger.residue()).unwrap_or_default()
            }
        }
    }

    /// Requests sent so far: tokens, discovery and the control plane included.
    pub fn requests_sent(&self) -> u64 {
        self.sender.sent()
    }

    /// Whether the target stopped answering, so that the run sent nothing more.
    pub fn has_given_up(&self) -> bool {
        self.sender.has_given_up()
    }

    /// Which applications of a deployment were refused a token for their credentials, one clause.
    pub fn refused_applications(&self) -> Option<String> {
        let EnvironmentKind::Deployment(client) = &self.kind else { return None };
        let refused = client.destination.refused.lock();
        let one = |(role, why): (&String, &String)| {
            format!("the target gives no token to the application `{role}`: {why}")
        };
        let all: Vec<String> = refused.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Why what has this need does not run though the file meets it: the application that it is about is
    /// refused a token. Asked once, when it is first needed.
    pub async fn refused(&self, need: &str) -> Option<NotRun> {
        let EnvironmentKind::Deployment(client) = &self.kind else { return None };
        let role = needs::application_of(need)?;
        let application = client.destination.applications.get(role)?;
        if !client.destination.refused.lock().contains_key(role) {
            // What other trouble there is, the scenario meets itself.
            let _ = client.token(role, needs::first_scope(application.scopes)).await;
        }
        let why = client.destination.refused.lock().get(role).cloned()?;
        Some(NotRun {
            kind: NotRunKind::NeedNotMet,
            reason: format!("the target gives no token to the application `{role}`: {why}"),
            setting: Some(format!("applications.{role} in the target file")),
            tolerate_as: need.to_owned(),
            is_tolerated: self.tolerates(need),
        })
    }

    /// Asks for a token of each application of a deployment that had none yet.
    ///
    /// # Errors
    /// [`OpenError::Credentials`] naming those that are refused.
    pub async fn try_applications(&self) -> Result<(), OpenError> {
        let EnvironmentKind::Deployment(client) = &self.kind else { return Ok(()) };
        for (role, application) in &client.destination.applications {
            // What other trouble there is, a run says where it matters.
            let _ = client.token(role, needs::first_scope(application.scopes)).await;
        }
        self.refused_applications().map_or(Ok(()), |why| Err(OpenError::Credentials(why)))
    }

    /// Deletes the webhooks the run made, where `delete` is consented to.
    pub async fn cleanup(&self) {
        if let EnvironmentKind::Deployment(client) = &self.kind
            && let Some(deployment) = client.destination.deployment()
            && deployment.guard.allows(Consent::Delete)
        {
            cleanup::delete_webhooks(client, deployment.ledger.residue()).await;
        }
    }

    /// What one scenario plays on. To be ended by [`Session::close`].
    ///
    /// # Errors
    /// [`Trouble`] where the sandbox cannot be made.
    pub async fn session(&self, scenario: &str, sandbox: &Sandbox) -> Result<Session, Trouble> {
        let mut started_seconds = jiff::Timestamp::now().as_second();
        let mut recording = match &self.recorder {
            Some(recorder) => RecordingMode::recording(scenario, recorder),
            None => RecordingMode::Empty,
        };
        let (client, sandbox) = match &self.kind {
            EnvironmentKind::Deployment(client) => (client.clone(), None),
            EnvironmentKind::Recording(replay) => {
                let mut playing = replay.session(scenario)?;
                started_seconds = playing.started_seconds;
                if let Some(overlay) = &self.receivers.options.overlay {
                    overlay.lay(scenario, &mut playing.record.exchanges);
                }
                recording = RecordingMode::Replaying(Mutex::new(playing.record));
                (playing.client, None)
            }
            EnvironmentKind::Mock(sandboxes) => {
                let (client, id) = sandboxes.make(scenario, sandbox).await?;
                (client, Some((sandboxes.clone(), id)))
            }
        };
        Ok(Session {
            client,
            run_tag: self.run_tag.clone(),
            receivers: self.receivers.clone(),
            named_receivers: Mutex::default(),
            sandbox,
            started_seconds,
            recording,
        })
    }
}
