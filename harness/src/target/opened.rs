//! A target, opened once a run: what it is, what it offers, the stages on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::file::{Consent, TargetFile};
use super::line::Line;
use super::mock::Sandboxes;
use super::stage::{Receivers, Stage};
use super::transport::Carrier;
use super::{cleanup, needs};
use crate::answers::Pins;
use crate::exchange::Trouble;
use crate::run::result::{NotRun, Residue, TargetDescription};
use crate::scenario::model::{NEEDS, Sandbox};

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
}

/// The two kinds of targets.
pub(super) enum Kind {
    /// Sandboxes.
    Mock(Arc<Sandboxes>),
    /// One place, shared by all scenarios.
    Deployment(Line),
}

impl Target {
    /// What it is.
    pub fn description(&self) -> TargetDescription {
        self.description.clone()
    }

    /// Whether it has sandboxes: a moot mock.
    pub fn is_mock(&self) -> bool {
        matches!(self.kind, Kind::Mock(_))
    }

    /// Whether requests to it are not paced: a mock, or a deployment on loopback with rate 0.
    pub fn is_unpaced(&self) -> bool {
        match &self.kind {
            Kind::Mock(_) => true,
            Kind::Deployment(line) => line.venue.deployment().is_none_or(|it| it.is_unpaced()),
        }
    }

    /// Whether this need or scenario (`FILE/ID`, a row's brackets are ignored) may stay not run.
    pub fn tolerates(&self, what: &str) -> bool {
        let whole = what.split('[').next().unwrap_or(what);
        let tolerated = self.file.iter().flat_map(|file| &file.tolerate);
        tolerated.into_iter().any(|name| name == what || name == whole)
    }

    /// The target file, where there is one.
    pub fn file(&self) -> Option<&TargetFile> {
        self.file.as_ref()
    }

    /// The answers that its file pins.
    pub fn pins(&self) -> &Pins {
        &self.pins
    }

    /// Why a need of [`NEEDS`] is not met; `None` where it is.
    pub fn missing(&self, need: &str) -> Option<NotRun> {
        let not_run = |reason: String, setting: Option<String>| NotRun {
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
            Kind::Mock(_) => Vec::new(),
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
        let (line, sandbox) = match &self.kind {
            Kind::Deployment(line) => (line.clone(), None),
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
        })
    }
}
