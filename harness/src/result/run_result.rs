//! The result of a run as inert data: what every report renders.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Level;
use moot_snapshots::Change;

use crate::answers::ObservedAnswer;
use crate::check::{AnswerPart, MismatchKind};
use crate::client::Residue;
use crate::exchange::Exchange;
use crate::masks::Masks;
use crate::recording::RecordingEnd;
use crate::scenario::model::Location;
use crate::target_file::TargetDescription;
use crate::verdict::{Failure, NotRun, NotRunKind, Verdict};

/// What a check judges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A row of the register, by id.
    Requirement(Cow<'static, str>),
    /// A question, by id.
    Question(Cow<'static, str>),
    /// A snapshot, by name.
    Snapshot(Cow<'static, str>),
}

/// One judged check. A run keeps all of them, and nearly all have passed: what is the same in many is
/// shared, and what can be told from the rest is not stored.
#[derive(Debug, Clone)]
pub struct CheckResult {
    /// What it judges.
    pub subject: Subject,
    /// The clause.
    pub section: Cow<'static, str>,
    /// How binding it is; `None` for snapshots.
    pub level: Option<Level>,
    /// What is said.
    pub verdict: Verdict,
    /// `04_05_create_legal_request/from-schema[row]`.
    pub scenario: Arc<str>,
    /// The step's name.
    pub step: Arc<str>,
    /// The kind of mismatch, of a check that failed.
    pub failure: Option<Failure>,
    /// The kind of reason why it was not judged.
    pub not_run: Option<NotRunKind>,
    /// One sentence: what is wrong, or why it was not judged.
    pub message: String,
    /// What was expected, for people; empty where there is nothing to compare.
    pub expected: String,
    /// What came, for people, masked.
    pub actual: String,
    /// JSON Pointer into the body, where one place is meant.
    pub pointer: Option<String>,
    /// In the scenario file; `None` for implicit checks.
    pub place: Option<Location>,
    /// The exchange it judged.
    pub exchange: Option<Arc<Exchange>>,
    /// The known failure that it is, or that stopped it.
    pub known: Option<Box<Known>>,
    /// What differs from its snapshot, place by place; of a snapshot that differs alone.
    pub changes: Vec<Change>,
    /// What is wrong, as data; `None` where the check did not fail.
    pub mismatch: Option<MismatchKind>,
    /// The part of the answer that is wrong.
    pub part: Option<AnswerPart>,
}

/// The known failure that something is (see [`crate::expected`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Id of the entry.
    pub id: String,
    /// Why it is known.
    pub reason: String,
}

/// What became of an entry of the file of known failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedFailure {
    /// Its id, as written.
    pub id: String,
    /// `fail`, `warn` or `not run`.
    pub outcome: Verdict,
    /// Why.
    pub reason: String,
    /// `2027-01-31`.
    pub expires: Option<String>,
    /// Whether it happened.
    pub state: ExpectedState,
    /// The checks, or scenarios, that did what was expected.
    pub names: Vec<String>,
}

/// Whether an expected failure happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedState {
    /// It did.
    Happened,
    /// It was judged, and did not: drift.
    Stale,
    /// Its condition does not hold: why.
    Inapplicable(String),
    /// Nothing of it was selected or judged.
    Unjudged,
}

impl Subject {
    /// Id or name, whichever kind it is of.
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

    /// Whether the status of the answer is wrong, and is no server error.
    pub fn is_of_status(&self) -> bool {
        self.part == Some(AnswerPart::Status) && self.mismatch != Some(MismatchKind::ServerError)
    }

    /// Whether no scenario names it.
    pub fn is_implicit(&self) -> bool {
        self.place.is_none()
    }

    /// What it weighs in its parents and in the exit code: a known failure no more than a warning.
    pub fn weight(&self) -> Verdict {
        if self.known.is_some() { self.verdict.min(Verdict::Warn) } else { self.verdict }
    }
}

/// One step that was run.
#[derive(Debug, Clone)]
pub struct StepResult {
    /// Its name.
    pub name: String,
    /// The worst of its checks.
    pub verdict: Verdict,
    /// All that was sent, in order.
    pub exchanges: Vec<Arc<Exchange>>,
    /// All that was judged, but for those of `passed`.
    pub checks: Vec<CheckResult>,
    /// Checks that passed and were not kept one by one: no report of the run lists them.
    pub passed: usize,
    /// Real time.
    pub duration: Duration,
}

/// One scenario (one row of it).
#[derive(Debug, Clone)]
pub struct ScenarioResult {
    /// `04_05_create_legal_request/from-schema[row]`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The clause.
    pub section: String,
    /// The worst of its steps, or `not run`.
    pub verdict: Verdict,
    /// In order.
    pub steps: Vec<StepResult>,
    /// Where it was not run, or not to its end.
    pub not_run: Option<NotRun>,
    /// The known failure by which it was not run.
    pub known: Option<Known>,
    /// Real time.
    pub duration: Duration,
    /// Where it stands.
    pub at: Location,
}

/// What a run found about recorded responses beside its checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotFindings {
    /// What had no snapshot, or another one, by name: for a bundle.
    pub new: Vec<moot_snapshots::Recorded>,
    /// Names that no step asked for; known only of a complete, unfiltered, conformant run.
    pub unused: Vec<String>,
    /// How many were compared or recorded; `None` where snapshots were left alone.
    pub counts: Option<SnapshotCounts>,
}

/// How many snapshots came to what; the rows of a loop that share one count once, by the worst of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotCounts {
    /// The folder.
    pub folder: String,
    /// As they were recorded.
    pub same: usize,
    /// Another text came.
    pub differing: usize,
    /// There is none.
    pub missing: usize,
    /// There was none, and this run recorded one.
    pub recorded: usize,
    /// Another text was recorded beside the accepted one, for a decision.
    pub waiting: usize,
    /// A file could not be read or written.
    pub unusable: usize,
}

/// The outcome of a run (DESIGN §8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit 0.
    Conformant,
    /// Exit 1.
    NonConformant,
    /// Exit 2 or 70.
    Error,
    /// Exit 3 or 4.
    Inconclusive,
    /// Exit 5.
    Drifted,
}

/// All that a run found.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// The outcome.
    pub outcome: Outcome,
    /// 0, 1, 2, 3, 4, 5 or 70.
    pub exit_code: u8,
    /// Where it went: name, base address, class (`mock in process`, `moot mock`, `deployment`).
    pub target: TargetDescription,
    /// The seed that reproduces it.
    pub seed: u64,
    /// Scenarios in the order of the files.
    pub scenarios: Vec<ScenarioResult>,
    /// Observed answers by question.
    pub answers: BTreeMap<String, ObservedAnswer>,
    /// About recorded responses.
    pub snapshots: SnapshotFindings,
    /// What became of each known failure.
    pub expected: Vec<ExpectedFailure>,
    /// What was left behind.
    pub residue: Vec<Residue>,
    /// Why the target could not be used at all, where it could not.
    pub trouble: Option<String>,
    /// The command line that reproduces it.
    pub reproduce: String,
    /// ISO 8601 UTC.
    pub started_at: String,
    /// Real time.
    pub duration: Duration,
    /// Requests sent.
    pub requests_sent: u64,
    /// The secrets, for masking and for scanning artefacts.
    pub masks: Arc<Masks>,
}

impl RunResult {
    /// What a recording keeps of the run.
    pub fn recording_end(&self) -> RecordingEnd<'_> {
        RecordingEnd {
            masks: &self.masks,
            started_at: &self.started_at,
            seed: self.seed,
            exit_code: self.exit_code,
        }
    }
}
