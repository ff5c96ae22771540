//! The results of checks and observations. The level of a requirement decides between fail, warn and observed.

use std::borrow::Cow;
use std::sync::Arc;

use moot_fixtures::contract::{AnswerStanding, Level};
use moot_fixtures::{questions, register};
use serde_json::Value;

use crate::exchange::masks::map_texts;
use crate::exchange::{AnswerSight, Exchange, value_text, without_query};
use crate::scenario::declared::{self, OwnRows};
use crate::scenario::model::{AnswerPlace, Check, Claim, Location, Observation, Place, Step};
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::check::{
    self, Document, Judgement, Mismatch, MismatchKind, ResponsePart, implicit,
};
use crate::verdict::result::{CheckResult, Subject};
use crate::verdict::{NotRunKind, Verdict, sentence_case};

use super::context::RunContext;
use super::endpoint;
use super::scenario_run::ScenarioRun;
use super::stop::Stop;

/// The reason if a precondition does not hold; details follow.
const PRECONDITION: &str = "skipped: an earlier step failed";

/// The reason if a control is refused; details follow.
pub(super) const CONTROL: &str = "skipped: the same call without the flaw was not accepted";

/// Records an exchange of the current step, with its implicit checks.
pub(super) fn record(run: &mut ScenarioRun<'_>, exchange: &Arc<Exchange>) {
    let origin = origin(run);
    let mut judged = Arc::clone(exchange);
    if endpoint::unknown(run, exchange).is_some() {
        // The response is that of an unknown path.
        Arc::make_mut(&mut judged).request.operation = None;
    }
    let findings = implicit::judge(&judged, &run.shared.implicit);
    run.record.checks.extend(findings.into_iter().map(|(requirement, judgement)| {
        origin.result(requirement, None, judgement, Some(Arc::clone(exchange)))
    }));
    run.record.exchanges.push(Arc::clone(exchange));
}

/// Stops the scenario if an expectation without a requirement does not hold.
pub(super) fn holds(
    run: &ScenarioRun<'_>,
    expectation: &[Claim],
    document: &Document,
    kind: NotRunKind,
) -> Result<(), Stop> {
    let what = if kind == NotRunKind::Control { CONTROL } else { PRECONDITION };
    match check::expectation::judge(expectation, document, &run.names) {
        Judgement::Holds => Ok(()),
        Judgement::Fails(Mismatch { message, .. }) => Err(Stop::not_run(
            kind,
            format!("{what} ({})", run.shared.options.masks.mask(&message)),
        )),
        Judgement::NotApplicable { reason } => {
            Err(Stop::not_run(kind, format!("{what} ({reason})")))
        }
    }
}

/// Judges the checks of the current step.
pub(super) fn checks(
    run: &ScenarioRun<'_>,
    expected: &[Check],
    document: &Document,
) -> Vec<CheckResult> {
    let origin = origin(run);
    let judge = |check: &Check| {
        let judgement = check::expectation::judge(&check.expectation, document, &run.names);
        let place = Some(check.at.clone());
        origin.result(&check.requirement, place, judgement, document.exchange.clone())
    };
    expected.iter().map(judge).collect()
}

/// The origin of checks of the current step.
pub(super) fn origin(run: &ScenarioRun<'_>) -> CheckOrigin {
    CheckOrigin::new(run.shared, &run.name, &run.label)
}

/// The place of a check in the run.
#[derive(Debug, Clone)]
pub(super) struct CheckOrigin {
    pub(super) scenario: Arc<ScenarioName>,
    pub(super) step: Arc<StepName>,
    /// Whether a MUST of a standard fails.
    pub(super) strict: bool,
    /// Rows that the scenario files state themselves.
    pub(super) own_rows: Arc<OwnRows>,
}

impl CheckOrigin {
    pub(super) fn new(
        shared: &RunContext,
        scenario: &Arc<ScenarioName>,
        step: &Arc<StepName>,
    ) -> Self {
        Self {
            scenario: Arc::clone(scenario),
            step: Arc::clone(step),
            strict: shared.options.strict,
            own_rows: Arc::clone(&shared.own_rows),
        }
    }

    /// The result of a judgement on a requirement.
    pub(super) fn result(
        &self,
        requirement: &str,
        place: Option<Location>,
        judgement: Judgement,
        exchange: Option<Arc<Exchange>>,
    ) -> CheckResult {
        let mut result = self.blank(requirement, place, exchange);
        let level = result.level.unwrap_or(Level::Stated);
        let must = register::get(requirement).is_some_and(|row| row.must);
        result.verdict = check::verdict_of(level, must, self.strict, &judgement);
        match judgement {
            Judgement::Holds => {}
            Judgement::Fails(Mismatch {
                kind, part, message, expected, actual, pointer, ..
            }) => {
                result.mismatch = Some(kind);
                result.part = Some(part);
                result.message = masked(&result, sentence_case(&message));
                result.expected = masked(&result, expected);
                result.actual = masked(&result, actual);
                result.pointer = pointer;
            }
            Judgement::NotApplicable { reason } => result.message = reason,
        }
        result
    }

    /// The checks that a step declares, all with the reason of a stop.
    pub(super) fn unjudged(&self, step: &Step, stop: &Stop) -> Vec<CheckResult> {
        let (verdict, reason) = stop.verdict();
        let unjudged = |check: &Check| {
            let mut result = self.blank(&check.requirement, Some(check.at.clone()), None);
            result.verdict = verdict;
            result.not_run = stop.not_run_kind();
            result.message = reason.to_owned();
            result
        };
        declared::checks(step).into_iter().map(unjudged).collect()
    }

    /// A check without a verdict.
    pub(super) fn blank(
        &self,
        requirement: &str,
        place: Option<Location>,
        exchange: Option<Arc<Exchange>>,
    ) -> CheckResult {
        let own = self.own_rows.get(requirement).cloned();
        // Borrows from the register: a run keeps thousands of results.
        let (id, section, level) = match (register::get(requirement), &own) {
            (Some(row), _) => {
                (Cow::from(row.id.as_str()), Cow::from(row.section.as_str()), Some(row.level))
            }
            (None, Some(row)) => {
                (Cow::from(row.id.clone()), Cow::from(row.section.clone()), Some(row.level))
            }
            (None, None) => (Cow::from(requirement.to_owned()), Cow::Borrowed(""), None),
        };
        CheckResult {
            subject: Subject::Requirement(id),
            own,
            section,
            level,
            verdict: Verdict::NotApplicable,
            scenario: Arc::clone(&self.scenario),
            step: Arc::clone(&self.step),
            not_run: None,
            message: String::new(),
            expected: String::new(),
            actual: String::new(),
            pointer: None,
            place,
            exchange,
            curl: None,
            known: None,
            changes: Vec::new(),
            mismatch: None,
            part: None,
        }
    }
}

fn masked(result: &CheckResult, text: String) -> String {
    match &result.exchange {
        Some(exchange) => exchange.masks.mask(&text),
        None => text,
    }
}

/// Records the answers to open questions that a step observes. Returns a check for each.
pub(super) fn observations(
    run: &mut ScenarioRun<'_>,
    observations: &[Observation],
    document: &Document,
) -> Vec<CheckResult> {
    let mut results = Vec::with_capacity(observations.len());
    for Observation { question, place: shown, at } in observations {
        let value = check::place::observed(shown, document, &run.names);
        let mut result = answer(run, question, value.unwrap_or(Value::Null), document);
        result.place = Some(at.clone());
        if let (Verdict::Drift | Verdict::Warn, AnswerPlace::Whole(place)) = (result.verdict, shown)
        {
            result.pointer = check::place::pointer(place, "", document, &run.names);
        }
        if result.verdict == Verdict::Drift {
            result.part = Some(part(shown));
        }
        results.push(result);
    }
    results
}

fn part(place: &AnswerPlace) -> ResponsePart {
    match place {
        AnswerPlace::Whole(Place::Status) => ResponsePart::Status,
        AnswerPlace::Whole(Place::Header(name)) => ResponsePart::Header(name.to_ascii_lowercase()),
        AnswerPlace::Whole(_) | AnswerPlace::Members(_) => ResponsePart::Body,
    }
}

/// Records one answer to an open question. The check is `observed`, `warn` if the question does not allow it, or
/// `drift` where it differs from a pinned answer.
pub(super) fn answer(
    run: &mut ScenarioRun<'_>,
    id: &str,
    value: Value,
    document: &Document,
) -> CheckResult {
    let mut result = origin(run).blank(id, None, document.exchange.clone());
    result.subject = Subject::Question(id.to_owned().into());
    result.level = Some(Level::Open);
    let Some(question) = questions::get(id) else {
        result.verdict = Verdict::Error;
        "the question is not in the list of questions".clone_into(&mut result.message);
        return result;
    };
    result.section = question.section.as_str().into();
    result.actual = shown(run, &value);
    let standing = question.judge(&value);
    let is_within = standing == AnswerStanding::Within;
    if value.is_null() && !is_within {
        "it could not be observed here".clone_into(&mut result.message);
        return result;
    }
    result.verdict = if is_within { Verdict::Observed } else { Verdict::Warn };
    if !is_within {
        result.expected = question.allowed.to_string();
        let actual = &result.actual;
        result.message = match standing {
            AnswerStanding::Warn => {
                format!("the answer to the open question `{id}` is unusual: {actual}")
            }
            _ => format!("the specification does not allow this answer to `{id}`: {actual}"),
        };
    }
    if let Some(pinned) = run.shared.target.index.pins.broken_by(id, &value, is_within) {
        result.verdict = Verdict::Drift;
        result.mismatch = Some(MismatchKind::Value);
        result.expected = pinned.to_string();
        "the answer differs from the pinned one".clone_into(&mut result.message);
    }
    run.answers.push(AnswerSight {
        question: id.to_owned(),
        section: question.section.clone(),
        value: map_texts(&value, &|text| run.shared.options.masks.mask(without_query(text))),
        place: format!("{}/{}", run.name, run.label),
    });
    result
}

fn shown(run: &ScenarioRun<'_>, value: &Value) -> String {
    run.shared.options.masks.mask(&check::shortened(&value_text(value)))
}
