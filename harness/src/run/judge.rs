//! From a judgement to a check's result: the level decides between fail, warn and observed.

use std::sync::Arc;

use moot_fixtures::contract::Level;
use moot_fixtures::register;

use crate::check::{self, Document, Judgement};
use crate::exchange::Exchange;
use crate::run::result::{CheckResult, Subject};
use crate::scenario::model::{Check, Location};
use crate::scenario::names::Names;
use crate::verdict::Verdict;

/// Where a check stands in the run.
#[derive(Debug, Clone)]
pub(super) struct Standing<'a> {
    /// `stem/id[row]`.
    pub(super) scenario: &'a str,
    /// The step's label.
    pub(super) step: &'a str,
    /// Whether a MUST of a standard fails.
    pub(super) strict: bool,
}

impl Standing<'_> {
    /// Judges an explicit check.
    pub(super) fn judge(
        &self,
        check: &Check,
        document: &Document,
        names: &Names,
        exchange: Option<Arc<Exchange>>,
    ) -> CheckResult {
        let judgement = check::expectation::judge(&check.expectation, document, names);
        self.result(&check.requirement, Some(check.at.clone()), judgement, exchange)
    }

    /// The result of a judgement on a requirement.
    pub(super) fn result(
        &self,
        requirement: &str,
        place: Option<Location>,
        judgement: Judgement,
        exchange: Option<Arc<Exchange>>,
    ) -> CheckResult {
        let row = register::get(requirement);
        let level = row.map_or(Level::Stated, |row| row.level);
        let must = row.is_some_and(|row| row.must);
        let verdict = check::verdict_of(level, must, self.strict, &judgement);
        let mut result = self.blank(requirement, place, exchange);
        result.verdict = verdict;
        match judgement {
            Judgement::Holds => {}
            Judgement::Fails { message, expected, actual, pointer, .. } => {
                result.message = message;
                result.expected = self.masked(&result, expected);
                result.actual = self.masked(&result, actual);
                result.pointer = pointer;
            }
            Judgement::Empty { reason } => result.message = reason,
        }
        result
    }

    /// A check that was declared and not judged.
    pub(super) fn unjudged(&self, check: &Check, verdict: Verdict, reason: &str) -> CheckResult {
        let mut result = self.blank(&check.requirement, Some(check.at.clone()), None);
        result.verdict = verdict;
        result.message = reason.to_owned();
        result
    }

    /// A check without a verdict yet.
    pub(super) fn blank(
        &self,
        requirement: &str,
        place: Option<Location>,
        exchange: Option<Arc<Exchange>>,
    ) -> CheckResult {
        let row = register::get(requirement);
        let kind = if place.is_none() { "implicit/" } else { "" };
        CheckResult {
            id: format!("{}/{}/{kind}{requirement}", self.scenario, self.step),
            subject: Subject::Requirement(requirement.to_owned()),
            section: row.map_or_else(String::new, |row| row.section.clone()),
            level: row.map(|row| row.level),
            verdict: Verdict::NotApplicable,
            scenario: self.scenario.to_owned(),
            step: self.step.to_owned(),
            message: String::new(),
            expected: String::new(),
            actual: String::new(),
            pointer: None,
            place,
            exchange,
            known: None,
        }
    }

    fn masked(&self, result: &CheckResult, text: String) -> String {
        match &result.exchange {
            Some(exchange) => exchange.masks.mask(&text),
            None => text,
        }
    }
}

/// One result per check id, the worst of those given, in the order first seen.
pub(super) fn merged(results: Vec<CheckResult>) -> Vec<CheckResult> {
    let mut kept: Vec<CheckResult> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for result in results {
        match places.get(&result.id) {
            None => {
                places.insert(result.id.clone(), kept.len());
                kept.push(result);
            }
            Some(&at) => {
                if result.verdict > kept[at].verdict {
                    kept[at] = result;
                }
            }
        }
    }
    kept
}
