//! The result of one check.

use std::borrow::Cow;
use std::sync::Arc;

use moot_fixtures::contract::{Level, Requirement};
use moot_fixtures::{questions, register};
use moot_snapshots::SnapshotChange;
use serde::{Deserialize, Serialize};

use super::{KnownFailure, TextMap};
use crate::exchange::Exchange;
use crate::scenario::model::Location;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::check::{MismatchKind, ResponsePart};
use crate::verdict::{NotRunKind, Verdict};

/// The requirement, question or snapshot that a check judges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The id of a requirement.
    Requirement(Cow<'static, str>),
    /// The id of a question.
    Question(Cow<'static, str>),
    /// The name of a snapshot.
    Snapshot(Cow<'static, str>),
}

/// The result of one check. A run keeps thousands of them, so equal texts are shared.
///
/// Its JSON is used in part files, which have the exchange elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckResult {
    pub subject: Subject,
    /// The requirement, if the scenario file states it itself. `None` if it is in the register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Arc<Requirement>>,
    /// The clause of the specification.
    pub section: Cow<'static, str>,
    /// The level of the requirement. `None` for snapshots.
    pub level: Option<Level>,
    pub verdict: Verdict,
    pub scenario: Arc<ScenarioName>,
    pub step: Arc<StepName>,
    /// The kind of mismatch, if the check failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<MismatchKind>,
    /// The part of the response that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<ResponsePart>,
    /// The kind of reason, if the check was not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<NotRunKind>,
    /// One sentence for people: the mismatch, or the reason why the check was not made.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The expected value, for people. Empty if the check compares no values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// The actual value, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actual: String,
    /// JSON Pointer into the body, if the mismatch is at one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The place in the scenario file. `None` for implicit checks.
    pub place: Option<Location>,
    /// The exchange that was judged.
    #[serde(skip)]
    pub exchange: Option<Arc<Exchange>>,
    /// A command line that sends the same request. [`CheckResult::map_texts`] sets it for warnings and
    /// worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// The known failure that explains the verdict.
    #[serde(skip)]
    pub known: Option<Box<KnownFailure>>,
    /// The differences from its snapshot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<SnapshotChange>,
}

impl Subject {
    /// The id or the name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Requirement(id) | Self::Question(id) | Self::Snapshot(id) => id,
        }
    }
}

impl CheckResult {
    /// `scenario[row]/step[row]/requirement`, with the file stem in front of the scenario.
    pub fn id(&self) -> String {
        let kind = if self.is_implicit() { "implicit/" } else { "" };
        let subject = if self.is_snapshot() { "snapshot" } else { self.subject.as_str() };
        format!("{}/{}/{kind}{subject}", self.scenario, self.step)
    }

    /// Whether no scenario names it.
    pub fn is_implicit(&self) -> bool {
        self.place.is_none()
    }

    /// Whether the status of the response is wrong, and is not a server error.
    pub fn is_of_status(&self) -> bool {
        self.part == Some(ResponsePart::Status) && self.mismatch != Some(MismatchKind::ServerError)
    }

    /// Whether the check compares a snapshot.
    pub fn is_snapshot(&self) -> bool {
        matches!(self.subject, Subject::Snapshot(_))
    }

    /// The verdict that counts for the step and for the exit code. A known failure counts as a warning
    /// at most.
    pub fn weight(&self) -> Verdict {
        if self.known.is_some() { self.verdict.min(Verdict::Warn) } else { self.verdict }
    }

    /// Whether it is a failure, a drift or an error that is not a known failure.
    pub fn is_bad(&self) -> bool {
        self.known.is_none()
            && matches!(self.verdict, Verdict::Error | Verdict::Fail | Verdict::Drift)
    }

    /// Whether it is a warning that is not a known failure.
    pub fn is_warning(&self) -> bool {
        self.known.is_none() && self.verdict == Verdict::Warn
    }

    /// Whether it is a warning or worse, so that reports show its exchange.
    pub fn is_remarkable(&self) -> bool {
        self.verdict >= Verdict::Warn
    }

    /// The sentence of the requirement or the question. Only for warnings and worse.
    pub fn sentence(&self) -> Option<&str> {
        match &self.subject {
            _ if !self.is_remarkable() => None,
            Subject::Requirement(id) => self.row(id).map(|row| row.sentence.as_str()),
            Subject::Question(id) => questions::get(id).map(|question| question.ask.as_str()),
            Subject::Snapshot(_) => None,
        }
    }

    /// The remedy of the requirement. Only for warnings and worse.
    pub fn remedy(&self) -> Option<&str> {
        match &self.subject {
            Subject::Requirement(id) if self.is_remarkable() => {
                self.row(id).and_then(|row| row.remedy.as_deref())
            }
            Subject::Requirement(_) | Subject::Question(_) | Subject::Snapshot(_) => None,
        }
    }

    fn row(&self, id: &str) -> Option<&Requirement> {
        self.own.as_deref().or_else(|| register::get(id))
    }

    /// The number of the exchange that was judged.
    pub fn exchange_number(&self) -> Option<u64> {
        self.exchange.as_ref().map(|exchange| exchange.number)
    }

    /// Rewrites every text that may have text of the target in it.
    pub fn map_texts(&mut self, map: &impl TextMap) {
        if let Subject::Snapshot(name) = &mut self.subject {
            *name = map.line(name).into();
        }
        self.scenario = self.scenario.map(|text| map.line(text)).into();
        self.step = self.step.map(|text| map.line(text)).into();
        self.message = map.line(&self.message);
        self.expected = map.block(&self.expected);
        self.actual = map.block(&self.actual);
        self.pointer = self.pointer.take().map(|pointer| map.line(&pointer));
        let own = self.exchange.as_ref().filter(|_| self.is_remarkable());
        let curl = self.curl.as_ref().or_else(|| own.map(|exchange| &exchange.request.curl));
        self.curl = curl.map(|curl| map.block(curl));
        if let Some(known) = &mut self.known {
            known.map_texts(map);
        }
        for change in &mut self.changes {
            change.text = map.line(&change.text);
            change.value = change.value.take().map(|value| map.block(&value));
        }
    }
}
