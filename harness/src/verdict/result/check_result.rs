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
use crate::verdict::check::{AnswerPart, MismatchKind};
use crate::verdict::{NotRunKind, Verdict};

/// What a check judges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A row of the register, by id.
    Requirement(Cow<'static, str>),
    /// A question, by id.
    Question(Cow<'static, str>),
    /// A snapshot, by name.
    Snapshot(Cow<'static, str>),
}

/// One judged check. A run keeps thousands of them, so texts that many share are shared. Its JSON is that of a part
/// file, which has the exchange elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckResult {
    /// What it judges.
    pub subject: Subject,
    /// The row that the scenario file states itself; none of a row of the register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Arc<Requirement>>,
    /// The clause.
    pub section: Cow<'static, str>,
    /// How binding it is; `None` for snapshots.
    pub level: Option<Level>,
    /// The verdict.
    pub verdict: Verdict,
    /// `04_05_create_legal_request/from-schema[row]`.
    pub scenario: Arc<str>,
    /// The step's name.
    pub step: Arc<str>,
    /// What is wrong, of a check that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<MismatchKind>,
    /// The part of the answer that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<AnswerPart>,
    /// The kind of reason why it was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<NotRunKind>,
    /// One sentence for people: what is wrong, or why it was not judged.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The expected value, for people. A check that compares no value leaves it empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// The actual value, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actual: String,
    /// JSON Pointer into the body, where one place is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// In the scenario file; `None` for implicit checks.
    pub place: Option<Location>,
    /// The exchange it judged.
    #[serde(skip)]
    pub exchange: Option<Arc<Exchange>>,
    /// A command line that sends the same request. Set by [`CheckResult::map_texts`], of warnings and worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// The known failure that it is, or that stopped it.
    #[serde(skip)]
    pub known: Option<Box<KnownFailure>>,
    /// The differences from its snapshot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<SnapshotChange>,
}

impl Subject {
    /// Id or name.
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
        let subject = match &self.subject {
            Subject::Requirement(id) | Subject::Question(id) => id,
            Subject::Snapshot(_) => "snapshot",
        };
        format!("{}/{}/{kind}{subject}", self.scenario, self.step)
    }

    /// Whether no scenario names it.
    pub fn is_implicit(&self) -> bool {
        self.place.is_none()
    }

    /// Whether the status of the answer is wrong, and is not a server error.
    pub fn is_of_status(&self) -> bool {
        self.part == Some(AnswerPart::Status) && self.mismatch != Some(MismatchKind::ServerError)
    }

    /// Whether it compares a snapshot.
    pub fn is_snapshot(&self) -> bool {
        matches!(self.subject, Subject::Snapshot(_))
    }

    /// The verdict that counts for its step and for the exit code: a known failure is a warning at most.
    pub fn weight(&self) -> Verdict {
        if self.known.is_some() { self.verdict.min(Verdict::Warn) } else { self.verdict }
    }

    /// Whether it is a violation, a difference or an error that is not known.
    pub fn is_bad(&self) -> bool {
        self.known.is_none()
            && matches!(self.verdict, Verdict::Error | Verdict::Fail | Verdict::Drift)
    }

    /// Whether it is a warning that is not known.
    pub fn is_warning(&self) -> bool {
        self.known.is_none() && self.verdict == Verdict::Warn
    }

    /// Whether reports show its exchange: a warning or worse.
    pub fn is_remarkable(&self) -> bool {
        self.verdict >= Verdict::Warn
    }

    /// The statement of the register, or the question. Only of warnings and worse.
    pub fn sentence(&self) -> Option<&str> {
        match &self.subject {
            _ if !self.is_remarkable() => None,
            Subject::Requirement(id) => self.row(id).map(|row| row.sentence.as_str()),
            Subject::Question(id) => questions::get(id).map(|question| question.ask.as_str()),
            Subject::Snapshot(_) => None,
        }
    }

    /// What to do about it. Only of warnings and worse.
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

    /// The number of the exchange it judged.
    pub fn exchange_number(&self) -> Option<u64> {
        self.exchange.as_ref().map(|exchange| exchange.number)
    }

    /// Rewrites every text that may hold what the target sent.
    pub fn map_texts(&mut self, map: &impl TextMap) {
        if let Subject::Snapshot(name) = &mut self.subject {
            *name = map.line(name).into();
        }
        self.scenario = map.line(&self.scenario).into();
        self.step = map.line(&self.step).into();
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
