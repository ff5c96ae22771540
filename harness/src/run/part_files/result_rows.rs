//! The results of scenarios as lines of a part: without secrets, and with all that reports need.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Level;
use moot_snapshots::SnapshotChange;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::portable::portable;
use crate::client::answers::AnswerSight;
use crate::client::recording::har::{self, HarEntry};
use crate::client::recording::redact::Redactor;
use crate::exchange::Exchange;
use crate::exchange::masks::Masks;
use crate::scenario::declared::OwnRows;
use crate::scenario::model::Location;
use crate::verdict::check::{AnswerPart, MismatchKind};
use crate::verdict::result::{CheckResult, ScenarioResult, StepResult, Subject};
use crate::verdict::{NotRun, NotRunKind, Verdict};

/// A scenario.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioRow {
    name: String,
    title: String,
    section: String,
    verdict: Verdict,
    not_run: Option<NotRun>,
    duration: Duration,
    at: LocationRow,
    steps: Vec<StepRow>,
    answers: Vec<AnswerSight>,
    /// Each once; steps and checks name them by their index.
    exchanges: Vec<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepRow {
    name: String,
    verdict: Verdict,
    duration: Duration,
    exchanges: Vec<usize>,
    checks: Vec<CheckRow>,
    passed: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckRow {
    subject: Subject,
    /// Whether the scenario file states the requirement itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_own: bool,
    section: String,
    level: Option<Level>,
    verdict: Verdict,
    scenario: String,
    step: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mismatch: Option<MismatchKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<AnswerPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_run: Option<NotRunKind>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    expected: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    actual: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    place: Option<LocationRow>,
    exchange: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curl: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<SnapshotChange>,
}

#[derive(Serialize, Deserialize)]
struct LocationRow(String, u32, u32);

/// The exchanges of a scenario, each once.
struct ExchangeList(Vec<Arc<Exchange>>);

impl ExchangeList {
    fn index(&mut self, exchange: &Arc<Exchange>) -> usize {
        if let Some(at) = self.0.iter().position(|known| Arc::ptr_eq(known, exchange)) {
            return at;
        }
        self.0.push(Arc::clone(exchange));
        self.0.len() - 1
    }
}

impl LocationRow {
    fn of(at: &Location) -> Self {
        Self(portable(&at.file), at.line, at.column)
    }

    fn location(self) -> Location {
        Location { file: self.0.into(), line: self.1, column: self.2 }
    }
}

impl ScenarioRow {
    /// The row of a scenario whose texts are masked. Its exchanges are masked here.
    pub(super) fn of(scenario: &ScenarioResult, redactor: &mut Redactor) -> Self {
        let mut list = ExchangeList(Vec::new());
        let steps = scenario.steps.iter().map(|step| StepRow::of(step, &mut list)).collect();
        Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            section: scenario.section.clone(),
            verdict: scenario.verdict,
            not_run: scenario.not_run.clone(),
            duration: scenario.duration,
            at: LocationRow::of(&scenario.at),
            steps,
            answers: scenario.answers.clone(),
            exchanges: list.0.iter().map(|it| har::entry(it, redactor)).collect(),
        }
    }

    /// The result.
    ///
    /// # Errors
    /// What is wrong with the row.
    pub(super) fn result(
        self,
        own: &OwnRows,
        masks: &Arc<Masks>,
    ) -> Result<ScenarioResult, String> {
        let exchange = |entry: Value| {
            let entry: HarEntry = serde_json::from_value(entry).map_err(|e| e.to_string())?;
            entry.exchange(masks).map(Arc::new)
        };
        let exchanges: Vec<Arc<Exchange>> =
            self.exchanges.into_iter().map(exchange).collect::<Result<_, _>>()?;
        let steps = self.steps.into_iter().map(|step| step.result(own, &exchanges));
        Ok(ScenarioResult {
            name: self.name,
            title: self.title,
            section: self.section,
            verdict: self.verdict,
            not_run: self.not_run,
            known: None,
            duration: self.duration,
            at: self.at.location(),
            steps: steps.collect::<Result<_, _>>()?,
            answers: self.answers,
        })
    }
}

impl StepRow {
    fn of(step: &StepResult, list: &mut ExchangeList) -> Self {
        Self {
            name: step.name.clone(),
            verdict: step.verdict,
            duration: step.duration,
            exchanges: step.exchanges.iter().map(|it| list.index(it)).collect(),
            checks: step.checks.iter().map(|check| CheckRow::of(check, list)).collect(),
            passed: step.passed,
        }
    }

    fn result(self, own: &OwnRows, all: &[Arc<Exchange>]) -> Result<StepResult, String> {
        let checks = self.checks.into_iter().map(|check| check.result(own, all));
        let exchanges = self.exchanges.into_iter().map(|at| exchange(all, at));
        Ok(StepResult {
            name: self.name,
            verdict: self.verdict,
            duration: self.duration,
            exchanges: exchanges.collect::<Result<_, _>>()?,
            checks: checks.collect::<Result<_, _>>()?,
            passed: self.passed,
        })
    }
}

impl CheckRow {
    fn of(check: &CheckResult, list: &mut ExchangeList) -> Self {
        Self {
            subject: check.subject.clone(),
            is_own: check.own.is_some(),
            section: check.section.clone().into_owned(),
            level: check.level,
            verdict: check.verdict,
            scenario: check.scenario.to_string(),
            step: check.step.to_string(),
            mismatch: check.mismatch.clone(),
            part: check.part.clone(),
            not_run: check.not_run,
            message: check.message.clone(),
            expected: check.expected.clone(),
            actual: check.actual.clone(),
            pointer: check.pointer.clone(),
            place: check.place.as_ref().map(LocationRow::of),
            exchange: check.exchange.as_ref().map(|it| list.index(it)),
            curl: check.curl.clone(),
            changes: check.changes.clone(),
        }
    }

    fn result(self, own: &OwnRows, all: &[Arc<Exchange>]) -> Result<CheckResult, String> {
        let own = match self.is_own {
            true => {
                let id = self.subject.as_str();
                Some(own.get(id).cloned().ok_or_else(|| format!("there is no row `{id}`"))?)
            }
            false => None,
        };
        Ok(CheckResult {
            subject: self.subject,
            own,
            section: self.section.into(),
            level: self.level,
            verdict: self.verdict,
            scenario: self.scenario.into(),
            step: self.step.into(),
            mismatch: self.mismatch,
            part: self.part,
            not_run: self.not_run,
            message: self.message,
            expected: self.expected,
            actual: self.actual,
            pointer: self.pointer,
            place: self.place.map(LocationRow::location),
            exchange: self.exchange.map(|at| exchange(all, at)).transpose()?,
            curl: self.curl,
            known: None,
            changes: self.changes,
        })
    }
}

fn exchange(all: &[Arc<Exchange>], at: usize) -> Result<Arc<Exchange>, String> {
    all.get(at).cloned().ok_or_else(|| format!("there is no exchange {at}"))
}
