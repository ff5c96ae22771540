//! The state of one row of one scenario while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use moot_snapshots::Placeholders;
use serde_json::json;

use crate::client::DeliveryReceiver;
use crate::exchange::AnswerSight;
use crate::run::environment::Session;
use crate::scenario::model::{Place, Step};
use crate::scenario::names::Names;
use crate::scenario::plan::PlanEntry;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::check::{self, Document};
use crate::verdict::result::{CheckResult, StepResult};

use super::changes::SettleTime;
use super::context::RunContext;
use super::stop::Stop;
use super::views::RememberedViews;

/// `finally` steps that run at the end of the scenario.
pub(super) struct FinalSteps<'a> {
    /// The rows of the loops around the steps.
    pub(super) rows: Vec<String>,
    pub(super) steps: &'a [Step],
    /// The names at the place where the steps are written.
    pub(super) names: Names,
}

/// One row of one scenario while it runs.
pub(super) struct ScenarioRun<'a> {
    pub(super) shared: &'a RunContext,
    pub(super) session: &'a Session,
    pub(super) planned: PlanEntry<'a>,
    pub(super) name: Arc<ScenarioName>,
    pub(super) names: Names,
    pub(super) steps: Vec<StepResult>,
    /// The name of the current step. Its text is unique in this scenario.
    pub(super) label: Arc<StepName>,
    /// The texts of the names so far.
    pub(super) labels: BTreeSet<String>,
    /// The exchanges, deliveries and checks of the current step.
    pub(super) record: StepResult,
    /// Answers to open questions, in the order of the steps.
    pub(super) answers: Vec<AnswerSight>,
    /// Whether the `finally` steps are running.
    pub(super) is_final: bool,
    /// The last ones run first.
    pub(super) finals: Vec<FinalSteps<'a>>,
    pub(super) placeholders: Placeholders,
    /// Whether this is a row of a loop over data of the target.
    pub(super) is_row: bool,
    /// Receivers by name.
    pub(super) receivers: BTreeMap<String, DeliveryReceiver>,
    pub(super) settle_time: SettleTime,
    /// The number of uses of each snapshot name.
    pub(super) snapshot_names: BTreeMap<String, u32>,
    /// Whether it has reused the response to a token request of an earlier scenario. A newer token may have ended
    /// that token.
    pub(super) has_earlier_token: bool,
    /// Names of the views of `unchanged` that this scenario has used.
    pub(super) used_views: BTreeSet<String>,
    /// The remembered views of a replay. The recording says what each scenario started with.
    replayed_views: RememberedViews,
}

impl<'a> ScenarioRun<'a> {
    pub(super) fn new(
        shared: &'a RunContext,
        session: &'a Session,
        planned: PlanEntry<'a>,
        name: &ScenarioName,
    ) -> Self {
        Self {
            shared,
            session,
            planned,
            name: Arc::new(name.clone()),
            names: session.roots(),
            steps: Vec::new(),
            label: Arc::default(),
            labels: BTreeSet::new(),
            record: StepResult::default(),
            answers: Vec::new(),
            is_final: false,
            finals: Vec::new(),
            placeholders: Placeholders::default(),
            is_row: planned.scenario.for_each.as_ref().is_some_and(|rows| !rows.rows.is_written()),
            receivers: BTreeMap::new(),
            settle_time: SettleTime::default(),
            snapshot_names: BTreeMap::new(),
            has_earlier_token: false,
            used_views: BTreeSet::new(),
            replayed_views: RememberedViews::default(),
        }
    }

    /// Stops the scenario if the run was interrupted; `finally` steps still run.
    pub(super) fn check_interruption(&self) -> Result<(), Stop> {
        if self.is_final { Ok(()) } else { self.shared.check_interruption() }
    }

    /// Drops the explicit checks of the current step from the position `mark` on.
    pub(super) fn drop_explicit_checks(&mut self, mark: usize) {
        let later = self.record.checks.split_off(mark);
        self.record.checks.extend(later.into_iter().filter(CheckResult::is_implicit));
    }

    /// Notes that this scenario changed data of the target: lists may lag from now on.
    pub(super) fn note_change(&mut self) {
        self.settle_time.renew(self.shared.target.settle);
        self.shared.changes.note();
    }

    /// The remembered views of `unchanged`.
    pub(super) fn views(&self) -> &RememberedViews {
        match self.session.is_recorded() {
            true => &self.replayed_views,
            false => &self.shared.views,
        }
    }

    /// Gives names to places of a document. The value of a missing place is null.
    pub(super) fn capture(&mut self, places: &[(String, Place)], document: &Document) {
        for (name, place) in places {
            let value = check::place::value(place, document, &self.names);
            self.names.set(name, value.unwrap_or_default());
        }
    }

    /// Lets time pass. On a sandbox its clock is moved, and deliveries that became due are awaited. Elsewhere this
    /// waits in real time.
    pub(super) async fn wait(&self, duration: Duration) -> Result<(), Stop> {
        if self.session.has_admin() {
            let moved = json!({ "advance_seconds": duration.as_secs().max(1) });
            let settled = self.session.admin("POST", "/clock", Some(moved)).await?;
            // The mock gave up waiting for attempts in flight. Our receiver answers at once, so the machine is busy.
            if settled["in_flight"].as_u64().unwrap_or(0) > 0 {
                self.session.admin("POST", "/deliveries/settle", Some(json!({}))).await?;
            }
        } else if !self.session.is_recorded() {
            tokio::select! {
                () = tokio::time::sleep(duration) => {}
                () = self.shared.interruption.interrupted(), if !self.is_final => {}
            }
        }
        self.check_interruption()
    }
}
