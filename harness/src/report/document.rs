//! The report of a run as one value. The JSON report is its JSON. The other formats render it.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{INTERFACE_VERSION, Level};
use moot_fixtures::register;
use serde::Serialize;

use super::answer_row::{self, AnswerRow};
use super::exchange::{ExchangeRow, exchanges};
use super::findings::{Finding, findings};
use super::notice::notices;
use super::numbering::with_stable_numbers;
use super::result_json;
use super::script;
use crate::exchange::masks::Secrets;
use crate::exchange::{Residue, TargetDescription, escape};
use crate::scenario::ScenarioName;
use crate::verdict::result::{
    CheckResult, Counts, ExpectedFailure, RunOutcome, RunResult, ScenarioResult, SnapshotCounts,
    StepResult, Subject, TextMap, seconds,
};
use crate::verdict::{Verdict, pluralize};

/// Version of the JSON format. It increases when a member is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The report of a whole run. Secrets are masked.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Version of the JSON format.
    pub schema_version: u32,
    /// Version of this program.
    pub moot_version: &'static str,
    /// Version of the interface description by which it judges.
    pub interface_version: &'static str,
    /// `conformant`, `non-conformant`, `error`, `inconclusive`, `drifted`.
    #[serde(serialize_with = "result_json::outcome")]
    pub outcome: RunOutcome,
    /// 0, 1, 2, 3, 4, 5 or 70.
    pub exit_code: u8,
    /// The meaning of the exit code, a clause.
    pub meaning: String,
    /// Why the target could not be used at all.
    pub trouble: Option<String>,
    /// Facts that explain many checks at once, with advice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The target.
    pub target: TargetDescription,
    /// The target file or address, as the command line names it; `None` for the mock in this process and a recording.
    #[serde(skip)]
    pub target_file: Option<String>,
    /// The seed that reproduces it.
    pub seed: u64,
    /// ISO 8601 UTC.
    pub started_at: String,
    /// Real time, seconds.
    pub duration_seconds: f64,
    /// Requests sent.
    pub requests_sent: u64,
    /// Checks by verdict. A scenario without checks counts as one.
    pub counts: Counts,
    /// Scenarios by verdict. Each row of a scenario counts as one.
    pub scenario_counts: Counts,
    /// The command line that reproduces it.
    pub reproduce: String,
    /// Recorded responses; absent if the run did not use them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<SnapshotCounts>,
    /// Each fault once: worst first, then in the order of the specification.
    pub findings: Vec<Finding>,
    /// The scenarios, by file.
    pub files: Vec<FileResult>,
    /// The checks that the run kept.
    #[serde(serialize_with = "result_json::checks")]
    pub checks: Vec<CheckResult>,
    /// Scenarios and checks that were not run, by reason.
    pub not_run: Vec<NotRunRow>,
    /// The result of each known failure.
    pub expected: Vec<ExpectedFailure>,
    /// Answers to open questions.
    pub answers: Vec<AnswerRow>,
    /// Recorded responses that no step used; known only after a complete, unfiltered, conformant run.
    pub unused_snapshots: Vec<String>,
    /// Objects that the run left on the target.
    pub residue: Vec<Residue>,
    /// Every row of the register and its verdict in this run.
    pub requirements: Vec<RequirementRow>,
    /// Requests and responses.
    pub exchanges: Vec<ExchangeRow>,
}

/// One scenario file.
#[derive(Debug, Clone, Serialize)]
pub struct FileResult {
    /// The name, such as `04_05_create_legal_request`.
    pub name: String,
    /// The clause.
    pub section: String,
    /// The worst of its scenarios.
    pub verdict: Verdict,
    /// As in [`Report::counts`].
    pub counts: Counts,
    /// Real time of its scenarios, seconds.
    pub duration_seconds: f64,
    /// Its scenarios, in order.
    #[serde(serialize_with = "result_json::scenarios")]
    pub scenarios: Vec<ScenarioResult>,
}

/// The scenarios and checks that were not run for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotRunRow {
    /// The reason, a clause.
    pub reason: String,
    /// The setting that would enable it.
    pub setting: Option<String>,
    /// The name for `tolerate`; null for single checks, and if each scenario has a name of its own.
    pub tolerate_as: Option<String>,
    /// Whether the target file tolerates it, or it is a known failure.
    pub is_tolerated: bool,
    /// The reason of the known failure; absent if it is not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Scenarios, or checks of scenarios that ran.
    pub names: Vec<String>,
}

/// A row of the register.
#[derive(Debug, Clone, Serialize)]
pub struct RequirementRow {
    /// The id of the requirement.
    pub id: String,
    /// The clause.
    pub section: String,
    /// `stated`, `inherited`, `example`, `open`.
    pub level: Level,
    /// The statement.
    pub sentence: String,
    /// The worst verdict of its checks; null if this run had none.
    pub verdict: Option<Verdict>,
    /// The number of its checks.
    pub checks: usize,
    /// Why it can't be verified from outside the service.
    pub unverifiable: Option<String>,
}

/// Masks the secrets of a run.
impl TextMap for Secrets {
    fn line(&self, text: &str) -> String {
        self.mask(text)
    }
}

/// Masks the secrets of a run, and escapes characters that control a terminal or reorder a line.
pub(super) struct MaskAndEscape<'a>(pub(super) &'a Secrets);

impl TextMap for MaskAndEscape<'_> {
    fn line(&self, text: &str) -> String {
        escape::line(&self.0.mask(text))
    }

    fn block(&self, text: &str) -> String {
        escape::block(&self.0.mask(text))
    }
}

impl Report {
    /// The report of a run. Every text of the result and of its exchanges passes `map`.
    pub(super) fn new(result: &RunResult, map: &impl TextMap) -> Self {
        let result = &with_stable_numbers(result);
        let mut run = result.clone();
        run.map_texts(map);
        let checks: Vec<CheckResult> = run.checks().cloned().collect();
        let not_run = not_run(&run);
        let requirements = requirements(&run);
        let meaning = run.meaning();
        let mut findings = findings(&checks);
        let sequences = findings.iter_mut().filter(|finding| finding.is_bad());
        sequences.for_each(|finding| add_sequence(finding, &run, &checks));
        let of_findings: BTreeSet<u64> =
            findings.iter().flat_map(|finding| finding.exchanges.iter().copied()).collect();
        let exchanges = exchanges(result, map, &of_findings);
        if let Some(target) = &run.repeat.target {
            let bad = findings.iter_mut().filter(|finding| finding.is_bad());
            bad.for_each(|finding| add_script(finding, target, &checks, &exchanges));
        }
        Self {
            schema_version: SCHEMA_VERSION,
            moot_version: env!("CARGO_PKG_VERSION"),
            interface_version: INTERFACE_VERSION,
            outcome: run.outcome,
            exit_code: run.exit_code(),
            meaning,
            trouble: run.trouble,
            notices: notices(result).iter().map(|text| map.line(text)).collect(),
            target: run.target,
            target_file: run.repeat.target.as_deref().map(|file| map.line(file)),
            seed: run.seed,
            started_at: run.started_at,
            duration_seconds: seconds(run.duration),
            requests_sent: run.requests_sent,
            counts: Counts::of_checks(&run.scenarios),
            scenario_counts: Counts::of_scenarios(&run.scenarios),
            reproduce: run.reproduce,
            snapshots: run.snapshots.counts,
            findings,
            checks,
            not_run,
            expected: run.expected,
            answers: answer_row::answers(result, map),
            unused_snapshots: run.snapshots.unused,
            residue: run.residue,
            requirements,
            exchanges,
            files: files(run.scenarios),
        }
    }

    /// `251 scenarios`, or `251 scenarios (378 rows)` if some have rows.
    pub fn scenarios_line(&self) -> String {
        let rows = self.files.iter().flat_map(|file| &file.scenarios);
        let scenarios: BTreeSet<ScenarioName> = rows.map(|row| row.name.without_row()).collect();
        let text = pluralize(scenarios.len(), "scenario");
        match self.scenario_counts.total {
            rows if rows == scenarios.len() => text,
            rows => format!("{text} ({})", pluralize(rows, "row")),
        }
    }

    /// The verdicts in a table of counts: `pass` always, the others only if they occur.
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

/// Adds the exchanges that led to a finding, and the command that repeats it.
fn add_sequence(finding: &mut Finding, run: &RunResult, checks: &[CheckResult]) {
    let Some(check) = finding.first(checks) else { return };
    let named = |scenario: &&ScenarioResult| scenario.name == *check.scenario;
    let Some(scenario) = run.scenarios.iter().find(named) else { return };
    let decisive = check.exchange_number();
    // Up to the end of the step: reads after a refusal show whether the refused call changed anything.
    let is_of_check = |step: &StepResult| {
        let mut numbers = step.exchanges.iter().map(|it| Some(it.number));
        decisive.is_some() && numbers.any(|number| number == decisive)
    };
    let end = scenario.steps.iter().position(is_of_check).map_or(0, |at| at + 1);
    let sent = scenario.steps[..end].iter().flat_map(|step| &step.exchanges).map(|it| it.number);
    let exchanges = sent.chain(decisive).collect::<BTreeSet<u64>>().into_iter().collect();
    let (title, repeat) = (scenario.title.clone(), run.repeat.of(&scenario.name));
    (finding.title, finding.exchanges, finding.repeat) = (title, exchanges, repeat);
}

fn add_script(finding: &mut Finding, target: &str, checks: &[CheckResult], rows: &[ExchangeRow]) {
    let Some(check) = finding.first(checks) else { return };
    let is_of_it = |row: &&ExchangeRow| finding.exchanges.contains(&row.number);
    let rows: Vec<&ExchangeRow> = rows.iter().filter(is_of_it).collect();
    let heading = [&*check.scenario.to_string(), &*finding.message];
    finding.script = script::render(heading, target, &rows, check.exchange_number());
}

fn files(scenarios: Vec<ScenarioResult>) -> Vec<FileResult> {
    let mut files: Vec<FileResult> = Vec::new();
    for scenario in scenarios {
        let name = &scenario.name.stem;
        if files.last().is_none_or(|file| file.name != *name) {
            files.push(FileResult {
                name: name.to_owned(),
                section: scenario.section.clone(),
                verdict: Verdict::NotApplicable,
                counts: Counts::default(),
                duration_seconds: 0.0,
                scenarios: Vec::new(),
            });
        }
        let Some(file) = files.last_mut() else { continue };
        file.verdict = file.verdict.max(scenario.verdict);
        file.duration_seconds += seconds(scenario.duration);
        file.scenarios.push(scenario);
    }
    for file in &mut files {
        file.counts = Counts::of_checks(&file.scenarios);
    }
    files
}

/// The rows of what was not run. A scenario that was not run stands for all of its checks.
fn not_run(run: &RunResult) -> Vec<NotRunRow> {
    let mut rows: Vec<NotRunRow> = Vec::new();
    let mut add = |new: NotRunRow, name: String| {
        let is_same = |row: &&mut NotRunRow| {
            (&row.reason, row.is_tolerated, &row.known)
                == (&new.reason, new.is_tolerated, &new.known)
                && (row.setting.is_none() || new.setting.is_none() || row.setting == new.setting)
        };
        match rows.iter_mut().find(is_same) {
            Some(row) => {
                row.names.push(name);
                // A single check has no setting.
                row.setting = row.setting.take().or(new.setting);
                // If the names for `tolerate` differ, none of them stands for the row.
                row.tolerate_as.take_if(|name| Some(&*name) != new.tolerate_as.as_ref());
            }
            None => rows.push(NotRunRow { names: vec![name], ..new }),
        }
    };
    for scenario in &run.scenarios {
        if let Some(why) = &scenario.not_run {
            let row = NotRunRow {
                reason: why.reason.clone(),
                setting: why.setting.clone(),
                tolerate_as: Some(why.tolerate_as.clone()).filter(|name| !name.is_empty()),
                is_tolerated: why.is_tolerated || scenario.known.is_some(),
                known: scenario.known.as_ref().map(|known| known.reason.clone()),
                names: Vec::new(),
            };
            add(row, scenario.name.to_string());
            continue;
        }
        for check in scenario.checks().filter(|check| check.verdict == Verdict::NotRun) {
            let row = NotRunRow {
                reason: check.message.clone(),
                setting: None,
                tolerate_as: None,
                is_tolerated: check.known.is_some(),
                known: check.known.as_ref().map(|known| known.reason.clone()),
                names: Vec::new(),
            };
            add(row, check.id());
        }
    }
    rows
}

fn requirements(run: &RunResult) -> Vec<RequirementRow> {
    let mut judged: BTreeMap<&str, (Verdict, usize)> = BTreeMap::new();
    for check in run.checks() {
        if let Subject::Requirement(id) = &check.subject {
            let (worst, checks) = judged.entry(id).or_insert((Verdict::NotApplicable, 0));
            *worst = (*worst).max(check.verdict);
            *checks += 1;
        }
    }
    let own = run.own_rows.values().map(|row| &**row);
    register::all()
        .iter()
        .chain(own)
        .map(|row| {
            let seen = judged.get(row.id.as_str()).copied();
            RequirementRow {
                id: row.id.clone(),
                section: row.section.clone(),
                level: row.level,
                sentence: row.sentence.clone(),
                verdict: seen.map(|(worst, _)| worst),
                checks: seen.map_or(0, |(_, checks)| checks),
                unverifiable: row.unverifiable.clone(),
            }
        })
        .collect()
}
