//! A target, opened once a run: what it is, what it offers, the stages on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::choice::OpenError;
use super::deck::Deck;
use super::file::{Consent, TargetFile};
use super::line::Line;
use super::mock::Sandboxes;
use super::recording::{IndexTarget, Recorder, Recording};
use super::stage::{Receivers, Stage};
use super::transport::Carrier;
use super::{Residue, TargetDescription};
use super::{cleanup, needs};
use crate::answers::Pins;
use crate::exchange::Trouble;
use crate::scenario::model::{NEEDS, Sandbox};
use crate::verdict::{NotRun, NotRunKind};

/// What a run is pointed at, opened.
pub struct Target {
    pub(super) description: TargetDescription,
    pub(super) file: Option<TargetFile>,
    pub(super) pins: Pins,
    pub(super) carrier: Arc<Carrier>,
    pub(super) run_tag: String,
    pub(super) receivers: Arc<Receivers>,
    pub(super) unmet: BTreeMap<&'static str, needs::Unmet>,
    pub(super) kind: Kind,
    /// Keeps what the stages are told, where that is wanted.
    pub(super) recorder: Option<Arc<Recorder>>,
}

/// The kinds of targets.
pub(super) enum Kind {
    /// Sandboxes.
    Mock(Arc<Sandboxes>),
    /// One place, shared by all scenarios.
    Deployment(Line),
    /// What another run was told.
    Recording(Recording),
}

impl Target {
    /// What it is.
    pub fn description(&self) -> TargetDescription {
        self.description.clone()
    }

    /// Whether it has sandboxes: a moot mock.
    pub fn is_mock(&self) -> bool {
        match &self.kind {
            Kind::Mock(_) => true,
            Kind::Deployment(_) => false,
            Kind::Recording(recording) => recording.target.is_mock,
        }
    }

    /// Whether requests to it are not paced: a mock, or a deployment on loopback with rate 0.
    pub fn is_unpaced(&self) -> bool {
        match &self.kind {
            Kind::Mock(_) => true,
            Kind::Deployment(line) => line.venue.deployment().is_none_or(|it| it.is_unpaced()),
            // Played in the order in which it was recorded.
            Kind::Recording(_) => false,
        }
    }

    /// Whether this need or scenario (`FILE/ID`, a row's brackets are ignored) may stay not run.
    pub fn tolerates(&self, what: &str) -> bool {
        let whole = what.split('[').next().unwrap_or(what);
        self.tolerated().iter().any(|name| name == what || name == whole)
    }

    fn tolerated(&self) -> &[String] {
        match (&self.kind, &self.file) {
            (Kind::Recording(recording), _) => &recording.target.tolerate,
            (_, Some(file)) => &file.tolerate,
            (_, None) => &[],
        }
    }

    /// Pages that are walked at most, where its file says so.
    pub fn pages_max(&self) -> Option<u64> {
        match &self.kind {
            Kind::Recording(recording) => recording.target.pages_max,
            Kind::Mock(_) | Kind::Deployment(_) => {
                self.file.as_ref().map(|file| file.limits.pages_max)
            }
        }
    }

    /// Objects that a run may create on it; `None` on a mock, whose sandboxes go.
    pub fn created_objects_max(&self) -> Option<u32> {
        match (&self.kind, &self.file) {
            (Kind::Deployment(_), Some(file)) => Some(file.limits.created_objects_max),
            (Kind::Deployment(_) | Kind::Mock(_) | Kind::Recording(_), _) => None,
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
            Kind::Mock(_) | Kind::Recording(_) => Vec::new(),
            Kind::Deployment(line) => {
                line.venue.deployment().map(|it| it.ledger.residue()).unwrap_or_default()
            }
        }
    }

    /// Requests sent so far: tokens, discovery and the control plane included.
    pub fn requests_sent(&self) -> u64 {
        self.carrier.sent()
    }

    /// Whether the target stopped answering, so that the run sent nothing more.
    pub fn has_given_up(&self) -> bool {
        self.carrier.has_given_up()
    }

    /// Which applications of a deployment were refused a token for their credentials, one clause.
    pub fn refused_applications(&self) -> Option<String> {
        let Kind::Deployment(line) = &self.kind else { return None };
        let refused = line.venue.refused.lock();
        let one = |(role, why): (&String, &String)| {
            format!("the target gives no token to the application `{role}`: {why}")
        };
        let all: Vec<String> = refused.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Why what has this need does not run though the file meets it: the application that it is about is
    /// refused a token. Asked once, when it is first needed.
    pub async fn refused(&self, need: &str) -> Option<NotRun> {
        let Kind::Deployment(line) = &self.kind else { return None };
        let role = needs::application_of(need)?;
        let application = line.venue.applications.get(role)?;
        if !line.venue.refused.lock().contains_key(role) {
            // What other trouble there is, the scenario meets itself.
            let _ = line.token(role, needs::first_scope(application.scopes)).await;
        }
        let why = line.venue.refused.lock().get(role).cloned()?;
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
        let Kind::Deployment(line) = &self.kind else { return Ok(()) };
        for (role, application) in &line.venue.applications {
            // What other trouble there is, a run says where it matters.
            let _ = line.token(role, needs::first_scope(application.scopes)).await;
        }
        self.refused_applications().map_or(Ok(()), |why| Err(OpenError::Credentials(why)))
    }

    /// Deletes the webhooks the run made, where `delete` is consented to.
    pub async fn cleanup(&self) {
        if let Kind::Deployment(line) = &self.kind
            && let Some(deployment) = line.venue.deployment()
            && deployment.guard.allows(Consent::Delete)
        {
            cleanup::delete_webhooks(line, deployment.ledger.residue()).await;
        }
    }

    /// What one scenario plays on. To be ended by [`Stage::close`].
    ///
    /// # Errors
    /// [`Trouble`] where the sandbox cannot be made.
    pub async fn stage(&self, scenario: &str, sandbox: &Sandbox) -> Result<Stage, Trouble> {
        let mut started_seconds = jiff::Timestamp::now().as_second();
        let mut deck = match &self.recorder {
            Some(recorder) => Deck::recording(scenario, recorder),
            None => Deck::Empty,
        };
        let (line, sandbox) = match &self.kind {
            Kind::Deployment(line) => (line.clone(), None),
            Kind::Recording(recording) => {
                let mut playing = recording.stage(scenario)?;
                started_seconds = playing.started_seconds;
                if let Some(overlay) = &self.receivers.options.overlay {
                    overlay.lay(scenario, &mut playing.tape.exchanges);
                }
                deck = Deck::Playing(Mutex::new(playing.tape));
                (playing.line, None)
            }
            Kind::Mock(sandboxes) => {
                let (line, id) = sandboxes.make(scenario, sandbox).await?;
                (line, Some((sandboxes.clone(), id)))
            }
        };
        Ok(Stage {
            line,
            run_tag: self.run_tag.clone(),
            receivers: self.receivers.clone(),
            named_receivers: Mutex::default(),
            sandbox,
            started_seconds,
            deck,
        })
    }
}
