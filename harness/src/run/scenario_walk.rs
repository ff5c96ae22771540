//! The state of one row of one scenario while it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_snapshots::Placeholders;
use parking_lot::Mutex;

use crate::client::DeliveryReceiver;
use crate::exchange::{AnswerSight, Exchange};
use crate::run::environment::Session;
use crate::scenario::model::{Check, Place, Step};
use crate::scenario::names::Names;
use crate::scenario::plan::Planned;
use crate::verdict::NotRunKind;
use crate::verdict::check::{self, Document};
use crate::verdict::result::{CheckResult, StepResult};

use super::changes::SettleTime;
use super::context::RunContext;
use super::interruption::REASON;
use super::judge;
use super::stop::Stop;
use super::views::RememberedViews;

/// Steps that always run, whatever comes after them.
pub(super) struct FinalSteps<'a> {
    pub(super) suffix: String,
    pub(super) steps: &'a [Step],
    pub(super) names: Names,
}

/// What a step gathers while it goes on.
#[derive(Default)]
pub(super) struct StepRecord {
    pub(super) exchanges: Vec<Arc<Exchange>>,
    pub(super) checks: Vec<CheckResult>,
}

/// The walk of one row of one scenario.
pub(super) struct ScenarioWalk<'a> {
    pub(super) shared: &'a RunContext,
    pub(super) session: &'a Session,
    pub(super) planned: Planned<'a>,
    /// `stem/id[row]`.
    pub(super) name: Arc<str>,
    pub(super) names: Names,
    pub(super) steps: Vec<StepResult>,
    /// The label of the step that is walked now.
    pub(super) label: Arc<str>,
    /// What that step gathered so far.
    pub(super) record: StepRecord,
    /// Answers to open questions, in the order in which they were seen.
    pub(super) answers: Mutex<Vec<AnswerSight>>,
    /// Whether what always runs is being walked.
    pub(super) is_final: bool,
    /// Steps that always run, first in first, with the names they were written under.
    pub(super) finals: Vec<FinalSteps<'a>>,
    pub(super) placeholders: Placeholders,
    /// Whether this is a row of a loop over what the target holds.
    pub(super) is_row: bool,
    /// The receivers that listen, by name.
    pub(super) receivers: BTreeMap<String, DeliveryReceiver>,
    /// Deliveries already shown, by receiver.
    pub(super) seen_deliveries: BTreeMap<String, usize>,
    /// How long its lists may still settle after its latest change.
    pub(super) settle_time: SettleTime,
    /// How often each name of a snapshot was given.
    pub(super) snapshot_names: BTreeMap<String, u32>,
    /// Views of `unchanged` that were looked at, and what is remembered of them in a replay.
    pub(super) views_begun: BTreeSet<String>,
    replayed_views: RememberedViews,
    /// How often each step label was used.
    labels: BTreeMap<String, u32>,
}

impl ScenarioWalk<'_> {
    /// Begins a step. Its label is unique in this walk.
    pub(super) fn begin_step(&mut self, name: String) {
        let count = self.labels.entry(name.clone()).or_insert(0);
        *count += 1;
        self.label = if *count == 1 { name.into() } else { format!("{name} #{count}").into() };
    }

    /// Why no further step is walked, where the run was interrupted; what always runs still is.
    pub(super) fn interrupted(&self) -> Result<(), Stop> {
        match self.shared.interruption.is_told() && !self.is_final {
            true => Err(Stop::not_run(NotRunKind::Interrupted, REASON)),
            false => Ok(()),
        }
    }

    /// The data of the target changed by this scenario: its lists may lag from now on.
    pub(super) fn note_change(&self) {
        self.settle_time.renew(self.shared.target.limits.settle);
        self.shared.changes.note();
    }

    /// What is remembered of the views of `unchanged`. A replay follows what was remembered then.
    pub(super) fn views(&self) -> &RememberedViews {
        match self.session.is_recorded() {
            true => &self.replayed_views,
            false => &self.shared.views,
        }
    }

    /// Gives names to places of a document. A place that is not there is null.
    pub(super) fn capture(&mut self, places: &[(String, Place)], document: &Document) {
        for (name, place) in places {
            let value = check::place::value(place, document, &self.names);
            self.names.set(name, value.unwrap_or_default());
        }
    }

    /// The results of these checks of the step; `exchange` is shown with them.
    pub(super) fn judge(
        &self,
        expected: &[Check],
        document: &Document,
        exchange: Option<&Arc<Exchange>>,
    ) -> Vec<CheckResult> {
        let origin = self.origin();
        let judge = |check| origin.judge(check, document, &self.names, exchange.cloned());
        expected.iter().map(judge).collect()
    }

    pub(super) fn origin(&self) -> judge::CheckOrigin {
        let (scenario, step) = (Arc::clone(&self.name), Arc::clone(&self.label));
        let own_rows = Arc::clone(&self.shared.own_rows);
        judge::CheckOrigin { scenario, step, strict: self.shared.options.strict, own_rows }
    }
}

/// A walk that has not begun.
pub(super) fn walk_on<'a>(
    shared: &'a RunContext,
    session: &'a Session,
    planned: Planned<'a>,
    name: &str,
    names: Names,
) -> ScenarioWalk<'a> {
    ScenarioWalk {
        shared,
        session,
        planned,
        name: Arc::from(name),
        names,
        steps: Vec::new(),
        label: Arc::from(""),
        record: StepRecord::default(),
        answers: Mutex::default(),
        is_final: false,
        finals: Vec::new(),
        placeholders: Placeholders::new(),
        is_row: planned.scenario.for_each.as_ref().is_some_and(|rows| !rows.rows.is_written()),
        receivers: BTreeMap::new(),
        seen_deliveries: BTreeMap::new(),
        settle_time: SettleTime::default(),
        snapshot_names: BTreeMap::new(),
        views_begun: BTreeSet::new(),
        replayed_views: RememberedViews::default(),
        labels: BTreeMap::new(),
    }
}

/// The names that the environment supplies.
pub(super) fn root_names(session: &Session) -> Names {
    let mut names = Names::default();
    for (root, value) in session.roots() {
        names.set(&root, value);
    }
    names
}
