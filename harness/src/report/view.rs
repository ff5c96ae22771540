//! What every format shows, as data: masked, in the order of the run. Its JSON is the JSON report.

use moot_snapshots::Change;
use serde::Serialize;

use super::told::{Finding, Snapshots};
use crate::result::Counts;
use crate::terminal::escape;
use crate::verdict::Verdict;

/// Version of the JSON shape; grows when a member changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// Characters of one answer on a line for people.
const ANSWER_CHARACTERS_MAX: usize = 60;

/// Characters of each where there are several.
const EACH_ANSWER_CHARACTERS_MAX: usize = 24;

/// Distinct answers on a line for people.
const ANSWERS_SHOWN_MAX: usize = 3;

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of this program.
    pub moot_version: &'static str,
    /// Version of the interface description that it judges by.
    pub interface_version: &'static str,
    /// `conformant`, `non-conformant`, `error`, `inconclusive`, `drifted`.
    pub outcome: &'static str,
    /// 0, 1, 2, 3, 4, 5 or 70.
    pub exit_code: u8,
    /// What that means, a clause.
    pub meaning: &'static str,
    /// Why the target could not be used at all.
    pub trouble: Option<String>,
    /// What explains many checks at once, with what to do; left out where there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Where the run went.
    pub target: Target,
    /// The seed that reproduces it.
    pub seed: u64,
    /// ISO 8601 UTC.
    pub started_at: String,
    /// Real time, seconds.
    pub duration_seconds: f64,
    /// Requests sent.
    pub requests_sent: u64,
    /// Checks by verdict; a scenario that was not run, or has no checks, counts as one.
    pub counts: Counts,
    /// Scenarios by verdict; a row of one counts as one.
    pub scenario_counts: Counts,
    /// The command line that reproduces it.
    pub reproduce: String,
    /// What became of recorded responses; left out where they were left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Snapshots>,
    /// What is wrong, each thing once: worst first, then in the order of the specification.
    pub findings: Vec<Finding>,
    /// By file.
    pub files: Vec<File>,
    /// All that was judged.
    pub checks: Vec<Check>,
    /// How many they are, shown or not.
    #[serde(skip)]
    pub checks_judged: usize,
    /// What was not run, by reason.
    pub not_run: Vec<NotRun>,
    /// What became of each known failure.
    pub expected: Vec<Expected>,
    /// Answers seen of open questions.
    pub answers: Vec<Answer>,
    /// Recorded responses that no step asked for; known of complete, unfiltered, conformant runs.
    pub unused_snapshots: Vec<String>,
    /// What was left behind.
    pub residue: Vec<Residue>,
    /// Every row of the register and what this run says of it.
    pub requirements: Vec<Requirement>,
    /// What was sent and what came.
    pub exchanges: Vec<Exchange>,
}

/// What the run was pointed at.
#[derive(Debug, Clone, Serialize)]
pub struct Target {
    /// Name of the target file, or `mock`.
    pub name: String,
    /// Base address.
    pub base_url: String,
    /// `mock in process`, `moot mock`, `deployment`.
    pub class: String,
}

/// One scenario file.
#[derive(Debug, Clone, Serialize)]
pub struct File {
    /// `04_05_create_legal_request`.
    pub name: String,
    /// The clause.
    pub section: String,
    /// The worst of its scenarios.
    pub verdict: Verdict,
    /// As in [`Report::counts`].
    pub counts: Counts,
    /// Real time of its scenarios, seconds.
    pub duration_seconds: f64,
    /// In order.
    pub scenarios: Vec<Scenario>,
}

/// One scenario, or one row of it.
#[derive(Debug, Clone, Serialize)]
pub struct Scenario {
    /// `04_05_create_legal_request/from-schema[row]`.
    pub name: String,
    /// The rule as a sentence.
    pub title: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why it was not run, or not to its end.
    pub not_run: Option<String>,
    /// The known failure by which it was not run; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// Real time, seconds.
    pub duration_seconds: f64,
    /// Where it stands.
    pub place: Place,
    /// In order.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// The worst of its checks.
    pub verdict: Verdict,
    /// Real time, seconds.
    pub duration_seconds: f64,
    /// Numbers of what was sent.
    pub exchanges: Vec<u64>,
}

/// A place in a scenario file; counts from 1.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// One judged check.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// `scenario[row]/step[row]/requirement`.
    pub id: String,
    /// The row of the register that it judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// Or the question that it observes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Or the snapshot that it compares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The clause.
    pub section: String,
    /// `stated`, `inherited`, `example`, `open`; null for snapshots.
    pub level: Option<&'static str>,
    /// The statement, or the question; this and the next only for `warn` and worse.
    pub sentence: Option<String>,
    /// What to do when it fails.
    pub remedy: Option<String>,
    /// What is said.
    pub verdict: Verdict,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the step.
    pub step: String,
    /// What is wrong, or why it was not judged.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub actual: String,
    /// JSON Pointer into the body.
    pub pointer: Option<String>,
    /// In the scenario file; null for implicit checks.
    pub place: Option<Place>,
    /// Number of the exchange it judged.
    pub exchange: Option<u64>,
    /// A command line that sends the same; secrets are shell variables. For `warn` and worse.
    pub curl: Option<String>,
    /// The known failure that it is, or that stopped it; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// What differs from its snapshot.
    #[serde(skip)]
    pub changes: Vec<Change>,
    /// Whether the status of the answer is wrong.
    #[serde(skip)]
    pub is_of_status: bool,
}

/// Which known failure something is.
#[derive(Debug, Clone, Serialize)]
pub struct Known {
    pub id: String,
    pub reason: String,
}

/// What became of an entry of the file of known failures.
#[derive(Debug, Clone, Serialize)]
pub struct Expected {
    /// As written: a scenario, a requirement, or both.
    pub id: String,
    /// `fail`, `warn`, `not_run`.
    pub outcome: Verdict,
    /// Why it is known.
    pub reason: String,
    /// The last day.
    pub expires: Option<String>,
    /// `happened`, `stale`, `inapplicable`, `unjudged`.
    pub state: &'static str,
    /// Why its condition does not hold.
    pub note: Option<String>,
    /// The checks, or scenarios, that did what was expected.
    pub names: Vec<String>,
}

/// What was not run for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotRun {
    /// A clause.
    pub reason: String,
    /// The setting that would enable it.
    pub setting: Option<String>,
    /// What `tolerate` names; null for single checks.
    pub tolerate_as: Option<String>,
    /// Whether the target file tolerates it, or it is a known failure.
    pub is_tolerated: bool,
    /// Why it is known; absent where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Scenarios, or checks of a scenario that ran.
    pub names: Vec<String>,
}

/// Answers seen of one question.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// Its id.
    pub question: String,
    /// The clause.
    pub section: String,
    /// What is asked.
    pub ask: Option<String>,
    /// Distinct answers, in the order first seen.
    pub answers: Vec<SeenAnswer>,
    /// Steps, at most 10.
    pub seen_in: Vec<String>,
    /// The answer of an answers file that imitates it, where one does; for people only: programs
    /// take the file.
    #[serde(skip)]
    pub imitated: Option<serde_json::Value>,
}

/// One answer.
#[derive(Debug, Clone, Serialize)]
pub struct SeenAnswer {
    /// As JSON.
    pub value: serde_json::Value,
    /// How often.
    pub times: u32,
}

/// Something left behind.
#[derive(Debug, Clone, Serialize)]
pub struct Residue {
    pub kind: String,
    pub id: Option<String>,
    pub tag: String,
    pub scenario: String,
}

/// A row of the register.
#[derive(Debug, Clone, Serialize)]
pub struct Requirement {
    /// Its id.
    pub id: String,
    /// The clause.
    pub section: String,
    /// `stated`, `inherited`, `example`, `open`.
    pub level: &'static str,
    /// The statement.
    pub sentence: String,
    /// The worst verdict of its checks; null where this run had none.
    pub verdict: Option<Verdict>,
    /// How many checks judged it.
    pub checks: usize,
    /// Why nothing outside can verify it.
    pub unverifiable: Option<String>,
}

/// One exchange, masked and cut.
#[derive(Debug, Clone, Serialize)]
pub struct Exchange {
    /// Number within the run.
    pub number: u64,
    /// Upper case.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Name and value.
    pub request_headers: Vec<(String, String)>,
    /// What is shown of the body.
    pub request_body: String,
    /// HTTP status; null where there is no answer.
    pub status: Option<u16>,
    /// Why there is no answer.
    pub trouble: Option<String>,
    /// Name and value.
    pub response_headers: Vec<(String, String)>,
    /// The body; JSON is laid out.
    pub response_body: String,
    /// Milliseconds from sending to the last byte.
    pub duration_ms: f64,
    /// A command line that sends the same; secrets are shell variables.
    pub curl: String,
}

impl Report {
    /// Which verdicts a table of counts shows: `pass` always, the others where there are any.
    pub fn columns(&self) -> Vec<Verdict> {
        let order = [
            Verdict::Pass,
            Verdict::Observed,
            Verdict::Warn,
            Verdict::NotApplicable,
            Verdict::NotRun,
            Verdict::Drift,
            Verdict::Fail,
            Verdict::Error,
        ];
        order.into_iter().filter(|v| *v == Verdict::Pass || self.counts.of(*v) > 0).collect()
    }
}

impl Answer {
    /// What it comes to, on one line: the answer that imitates it, else the only thing that was seen,
    /// else how many were.
    pub fn line(&self) -> String {
        let short = |value: &serde_json::Value| {
            let text = match value {
                serde_json::Value::String(text) => escape::line(text),
                other => escape::line(&other.to_string()),
            };
            escape::cut(&text, ANSWER_CHARACTERS_MAX)
        };
        match (&self.imitated, self.answers.as_slice()) {
            (Some(imitated), _) => short(imitated),
            (None, [only]) if !only.value.is_array() && !only.value.is_object() => {
                short(&only.value)
            }
            (None, seen) if seen.iter().all(|one| one.value.is_number()) => self.seen_line(),
            (None, seen) => format!("free: {} seen", seen.len()),
        }
    }

    /// What was seen, on one line: the first values, with how often each was where there are several.
    pub fn seen_line(&self) -> String {
        let several = self.answers.len() > 1;
        let shown = |seen: &SeenAnswer| {
            let value = escape::line(&seen.value.to_string());
            if several {
                let value = escape::cut(&value, EACH_ANSWER_CHARACTERS_MAX);
                format!("{value} ×{}", seen.times)
            } else {
                escape::cut(&value, ANSWER_CHARACTERS_MAX)
            }
        };
        let mut shown: Vec<String> =
            self.answers.iter().take(ANSWERS_SHOWN_MAX).map(shown).collect();
        let more = self.answers.len().saturating_sub(ANSWERS_SHOWN_MAX);
        if more > 0 {
            shown.push(format!("and {more} more"));
        }
        shown.join(", ")
    }
}

impl Check {
    /// Whether it is a warning that nobody expected.
    pub fn is_warning(&self) -> bool {
        self.known.is_none() && self.verdict == Verdict::Warn
    }

    /// Id of what it judges, whichever kind it is of.
    pub fn subject(&self) -> &str {
        let subject = [&self.requirement, &self.question, &self.snapshot];
        subject.into_iter().flatten().next().map_or("", String::as_str)
    }

    /// Whether a person has to look at it: a violation that is not known, a difference, or a fault of
    /// ours.
    pub fn is_bad(&self) -> bool {
        self.known.is_none()
            && matches!(self.verdict, Verdict::Error | Verdict::Fail | Verdict::Drift)
    }
}

impl Expected {
    /// Whether it did not happen, though it was judged.
    pub fn is_stale(&self) -> bool {
        self.state == "stale"
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
