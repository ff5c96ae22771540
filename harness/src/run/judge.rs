//! From a judgement to a check's result: the level decides between fail, warn and observed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use moot_fixtures::contract::Level;
use moot_fixtures::register;

use crate::exchange::Exchange;
use crate::scenario::declared::OwnRows;
use crate::scenario::model::{Check, Location};
use crate::scenario::names::Names;
use crate::verdict::Verdict;
use crate::verdict::check::{self, Document, Judgement, Mismatch};
use crate::verdict::result::{CheckResult, Subject};

use super::stop::Stop;

/// Where a check stands in the run.
#[derive(Debug, Clone)]
pub(super) struct CheckOrigin {
    /// `stem/id[row]`.
    pub(super) scenario: Arc<str>,
    /// The step's label.
    pub(super) step: Arc<str>,
    /// Whether a MUST of a standard fails.
    pub(super) strict: bool,
    /// Rows that the scenario files state themselves.
    pub(super) own_rows: Arc<OwnRows>,
}

impl CheckOrigin {
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
                result.message = self.masked(&result, sentence_case(&message));
                result.expected = self.masked(&result, expected);
                result.actual = self.masked(&result, actual);
                result.pointer = pointer;
            }
            Judgement::Empty { reason } => result.message = reason,
        }
        result
    }

    /// A check that was declared and not judged.
    pub(super) fn unjudged(&self, check: &Check, stop: &Stop) -> CheckResult {
        let (verdict, reason) = stop.verdict();
        let mut result = self.blank(&check.requirement, Some(check.at.clone()), None);
        result.verdict = verdict;
        result.not_run = stop.not_run_kind();
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
        let own = self.own_rows.get(requirement).cloned();
        // Ids and sections of the register are shared: a run keeps thousands of results.
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

    fn masked(&self, result: &CheckResult, text: String) -> String {
        match &result.exchange {
            Some(exchange) => exchange.masks.mask(&text),
            None => text,
        }
    }
}

/// A sentence that stands by itself.
fn sentence_case(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// One result per check of a step, the worst of those given, in the order first seen.
pub(super) fn merged(results: Vec<CheckResult>) -> Vec<CheckResult> {
    let mut kept: Vec<CheckResult> = Vec::with_capacity(results.len());
    let mut places: HashMap<(bool, Subject), usize> = HashMap::new();
    for result in results {
        match places.entry((result.is_implicit(), result.subject.clone())) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(result);
            }
            Entry::Occupied(place) => {
                let known = &mut kept[*place.get()];
                if result.verdict > known.verdict {
                    *known = result;
                }
            }
        }
    }
    // It stays until the report.
    kept.shrink_to_fit();
    kept
}
