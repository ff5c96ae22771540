//! What a report says of findings and of recorded responses, as data.

use serde::Serialize;

use super::view::{Check, Report};
use crate::verdict::Verdict;

/// What is wrong, once: the checks that say the same. What is known, or was not run, is none.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// `error`, `fail`, `drift`, `warn`.
    pub verdict: Verdict,
    /// The row of the register.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// Or the question, whose answer is not the pinned one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Or the first of the snapshots that differ in the same way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The clause of the first check.
    pub section: String,
    /// Of the first check; of snapshots also what differs.
    pub message: String,
    /// JSON Pointer into the body, `*` for the index of a list.
    pub pointer: Option<String>,
    /// How many checks say so.
    pub count: usize,
    /// Their ids, in order.
    pub checks: Vec<String>,
    /// Ids of the checks that the same fault of the same answers explains, and that are told here: of
    /// other requirements, of snapshots that differ by this alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<String>,
    /// The checks, by number in [`Report::checks`]; at least one.
    #[serde(skip)]
    pub at: Vec<usize>,
    /// As well.
    #[serde(skip)]
    pub explained_at: Vec<usize>,
}

/// What became of recorded responses; rows of a loop that share one count once.
#[derive(Debug, Clone, Serialize)]
pub struct Snapshots {
    /// The folder.
    pub folder: String,
    /// Those that were there already: `same`, `differing` and `waiting` together.
    pub compared: usize,
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

impl Finding {
    /// As [`Check::subject`].
    pub fn subject(&self) -> &str {
        let subject = [&self.requirement, &self.question, &self.snapshot];
        subject.into_iter().flatten().next().map_or("", String::as_str)
    }

    /// Whether it is more than a warning.
    pub fn is_bad(&self) -> bool {
        self.verdict != Verdict::Warn
    }

    /// The check that is shown in full.
    pub fn first<'a>(&self, report: &'a Report) -> Option<&'a Check> {
        self.at.first().and_then(|at| report.checks.get(*at))
    }

    /// Where the others are: `scenario › step`, each once.
    pub fn others(&self, report: &Report) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for check in self.at.iter().filter_map(|at| report.checks.get(*at)) {
            let place = format!("{} › {}", check.scenario, check.step);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.into_iter().skip(1).collect()
    }

    /// What it explains, on a line each: the requirements that it breaks too, the snapshots that differ
    /// by it.
    pub fn with_it(&self, report: &Report) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for check in self.explained(report) {
            let said = match (&check.snapshot, &check.question) {
                (Some(name), _) => format!("{name} differs by this"),
                (None, Some(name)) => format!("the answer to {name} is another by this"),
                (None, None) => {
                    format!("{} (§{}) is broken by this", check.subject(), check.section)
                }
            };
            if !lines.contains(&said) {
                lines.push(said);
            }
        }
        lines
    }

    /// The checks that it explains.
    pub fn explained<'a>(&self, report: &'a Report) -> Vec<&'a Check> {
        self.explained_at.iter().filter_map(|at| report.checks.get(*at)).collect()
    }

    /// ` (12 times)`; nothing where it is there once.
    pub fn times(&self) -> String {
        if self.count > 1 { format!(" ({} times)", self.count) } else { String::new() }
    }
}

impl Snapshots {
    /// On one line: `31 compared, 30 as recorded, 1 differs, snapshots/t`.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        if self.compared > 0 {
            parts.push(format!("{} compared, {} as recorded", self.compared, self.same));
        }
        for (count, one, many) in [
            (self.differing, "differs", "differ"),
            (self.waiting, "waits for `moot snapshot review`", "wait for `moot snapshot review`"),
            (self.recorded, "recorded", "recorded"),
            (self.missing, "missing: `--snapshots record`", "missing: `--snapshots record`"),
            (self.unusable, "unusable", "unusable"),
        ] {
            match count {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                count => parts.push(format!("{count} {many}")),
            }
        }
        if parts.is_empty() {
            parts.push("no step that ran has one".to_owned());
        }
        format!("{}, in {}", parts.join(", "), self.folder)
    }
}
