//! From the result of a run to what reports show: every text passes the masks, and for people also
//! the escape, in one place.

mod exchanges;
mod sums;

use std::time::Duration;

use moot_fixtures::contract::INTERFACE_VERSION;
use moot_fixtures::{questions, register};
use moot_snapshots::Change;

use crate::answers::Observed;
use crate::masks::Secrets;
use crate::report::findings::findings;
use crate::report::names::{level_name, meaning_of, outcome_name};
use crate::report::notice::notices;
use crate::report::told::Snapshots;
use crate::report::view::{
    Answer, Check, Expected, File, Known, NotRun, Place, Report, Residue, SCHEMA_VERSION, Scenario,
    SeenAnswer, Step, Target,
};
use crate::result::Counts;
use crate::result::{
    self, CheckResult, ExpectedFailure, ExpectedState, RunResult, ScenarioResult, SnapshotCounts,
    StepResult, Subject,
};
use crate::scenario::model::Location;
use crate::terminal::escape;
use crate::verdict::Verdict;
use sums::{count, counts, requirements};

/// For programs: masked texts as they are. Of the exchanges only those that a check of `warn` or worse
/// judged.
pub(crate) fn raw(result: &RunResult, secrets: &Secrets) -> Report {
    Builder { secrets, is_escaped: false, breadth: Breadth::Checks }.report(result)
}

/// For people, with all that was judged and sent: masked texts in which nothing steers a terminal or
/// reorders a line.
pub(crate) fn escaped(result: &RunResult, secrets: &Secrets) -> Report {
    Builder { secrets, is_escaped: true, breadth: Breadth::Whole }.report(result)
}

/// As [`escaped`], without the exchanges that nobody complained about.
pub(crate) fn escaped_checks(result: &RunResult, secrets: &Secrets) -> Report {
    Builder { secrets, is_escaped: true, breadth: Breadth::Checks }.report(result)
}

/// As [`escaped`], with the checks of `warn` or worse and their exchanges alone: all that a person is
/// told of the others is how many they are.
pub(crate) fn remarkable(result: &RunResult, secrets: &Secrets) -> Report {
    Builder { secrets, is_escaped: true, breadth: Breadth::Remarkable }.report(result)
}

/// As [`remarkable`], for who shows no exchange of a warning.
pub(crate) fn bad(result: &RunResult, secrets: &Secrets) -> Report {
    Builder { secrets, is_escaped: true, breadth: Breadth::Bad }.report(result)
}

/// For the last line of the event stream: what the lines before it did not tell.
pub(crate) fn raw_ending(result: &RunResult, secrets: &Secrets) -> Report {
    Builder { secrets, is_escaped: false, breadth: Breadth::Bad }.report(result)
}

/// One scenario for the event stream, with its checks.
pub(crate) fn raw_scenario(result: &ScenarioResult, secrets: &Secrets) -> (Scenario, Vec<Check>) {
    let builder = Builder { secrets, is_escaped: false, breadth: Breadth::Checks };
    let checks = result.steps.iter().flat_map(|step| &step.checks);
    (builder.scenario(result), checks.map(|check| builder.check(check)).collect())
}

/// How much of what passed is in a report: most of a run passes, and showing it costs as much as judging
/// it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breadth {
    /// All checks and all exchanges.
    Whole,
    /// All checks, the exchanges of those of `warn` or worse.
    Checks,
    /// Checks of `warn` or worse and their exchanges; of scenarios no steps, of the register no rows.
    Remarkable,
    /// As `Remarkable`, but of exchanges those of checks that are worse than a warning.
    Bad,
}

struct Builder<'a> {
    secrets: &'a Secrets,
    is_escaped: bool,
    breadth: Breadth,
}

impl Builder<'_> {
    fn text(&self, text: &str) -> String {
        let masked = self.secrets.mask(text);
        if self.is_escaped { escape::block(&masked) } else { masked }
    }

    fn line(&self, text: &str) -> String {
        let masked = self.secrets.mask(text);
        if self.is_escaped { escape::line(&masked) } else { masked }
    }

    fn report(&self, result: &RunResult) -> Report {
        let steps = result.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let counted: usize = steps.map(|step| step.passed).sum();
        let all = || result.scenarios.iter().flat_map(|s| &s.steps).flat_map(|s| &s.checks);
        let files = self.files(result);
        let (counts, scenario_counts) = counts(result);
        let checks: Vec<Check> =
            all().filter(|it| self.shows(it)).map(|check| self.check(check)).collect();
        Report {
            schema_version: SCHEMA_VERSION,
            moot_version: env!("CARGO_PKG_VERSION"),
            interface_version: INTERFACE_VERSION,
            outcome: outcome_name(result.outcome),
            exit_code: result.exit_code,
            meaning: meaning_of(result),
            trouble: result.trouble.as_deref().map(|text| self.text(text)),
            notices: notices(result).iter().map(|text| self.line(text)).collect(),
            target: Target {
                name: self.line(&result.target.name),
                base_url: self.line(&result.target.base_url),
                class: result.target.class.to_string(),
            },
            seed: result.seed,
            started_at: result.started_at.clone(),
            duration_seconds: seconds(result.duration),
            requests_sent: result.requests_sent,
            counts,
            scenario_counts,
            reproduce: self.line(&result.reproduce),
            snapshots: result.snapshots.counts.as_ref().map(|counts| self.snapshots(counts)),
            findings: findings(&checks),
            files,
            checks,
            checks_judged: all().count() + counted,
            not_run: self.not_run(result),
            expected: result.expected.iter().map(|one| self.expected(one)).collect(),
            answers: self.answers(result),
            unused_snapshots: result.snapshots.unused.iter().map(|name| self.line(name)).collect(),
            residue: self.residue(result),
            requirements: match self.breadth {
                Breadth::Whole | Breadth::Checks => requirements(result),
                Breadth::Remarkable | Breadth::Bad => Vec::new(),
            },
            exchanges: self.exchanges(result),
        }
    }

    fn shows(&self, check: &CheckResult) -> bool {
        match self.breadth {
            Breadth::Whole | Breadth::Checks => true,
            Breadth::Remarkable | Breadth::Bad => is_looked_into(check),
        }
    }

    fn files(&self, result: &RunResult) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        for scenario in &result.scenarios {
            let name = scenario.name.split('/').next().unwrap_or_default();
            if files.last().is_none_or(|file| file.name != name) {
                files.push(File {
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
            count(scenario, &mut file.counts);
            file.scenarios.push(self.scenario(scenario));
        }
        files
    }

    fn scenario(&self, scenario: &ScenarioResult) -> Scenario {
        Scenario {
            name: self.line(&scenario.name),
            title: scenario.title.clone(),
            verdict: scenario.verdict,
            not_run: scenario.not_run.as_ref().map(|why| self.line(&why.reason)),
            known: scenario.known.as_ref().map(|known| self.known(known)),
            duration_seconds: seconds(scenario.duration),
            place: place(&scenario.at),
            steps: match self.breadth {
                Breadth::Whole | Breadth::Checks => {
                    scenario.steps.iter().map(|step| self.step(step)).collect()
                }
                Breadth::Remarkable | Breadth::Bad => Vec::new(),
            },
        }
    }

    fn step(&self, step: &StepResult) -> Step {
        Step {
            name: self.line(&step.name),
            verdict: step.verdict,
            duration_seconds: seconds(step.duration),
            exchanges: step.exchanges.iter().map(|exchange| exchange.number).collect(),
        }
    }

    fn known(&self, known: &result::Known) -> Known {
        Known { id: self.line(&known.id), reason: self.line(&known.reason) }
    }

    fn expected(&self, one: &ExpectedFailure) -> Expected {
        let (state, note) = match &one.state {
            ExpectedState::Happened => ("happened", None),
            ExpectedState::Stale => ("stale", None),
            ExpectedState::Inapplicable(why) => ("inapplicable", Some(self.line(why))),
            ExpectedState::Unjudged => ("unjudged", None),
        };
        Expected {
            id: self.line(&one.id),
            outcome: one.outcome,
            reason: self.line(&one.reason),
            expires: one.expires.clone(),
            state,
            note,
            names: one.names.iter().map(|name| self.line(name)).collect(),
        }
    }

    fn check(&self, check: &CheckResult) -> Check {
        let mut shown = Check {
            id: self.line(&check.id()),
            requirement: None,
            question: None,
            snapshot: None,
            section: check.section.to_string(),
            level: check.level.map(level_name),
            sentence: None,
            remedy: None,
            verdict: check.verdict,
            scenario: self.line(&check.scenario),
            step: self.line(&check.step),
            message: self.line(&check.message),
            expected: self.text(&check.expected),
            actual: self.text(&check.actual),
            pointer: check.pointer.as_deref().map(|pointer| self.line(pointer)),
            place: check.place.as_ref().map(place),
            exchange: check.exchange.as_ref().map(|exchange| exchange.number),
            curl: None,
            known: check.known.as_ref().map(|known| self.known(known)),
            changes: check.changes.iter().map(|change| self.change(change)).collect(),
            is_of_status: check.is_of_status(),
        };
        let is_looked_into = is_looked_into(check);
        if let Some(exchange) = check.exchange.as_ref().filter(|_| is_looked_into) {
            shown.curl = Some(self.text(&exchange.request.curl));
        }
        match &check.subject {
            Subject::Requirement(id) => {
                let row = register::get(id).filter(|_| is_looked_into);
                shown.sentence = row.map(|row| row.sentence.clone());
                shown.remedy = row.and_then(|row| row.remedy.clone());
                shown.requirement = Some(id.to_string());
            }
            Subject::Question(id) => {
                let question = questions::get(id).filter(|_| is_looked_into);
                shown.sentence = question.map(|question| question.ask.clone());
                shown.question = Some(id.to_string());
            }
            Subject::Snapshot(name) => shown.snapshot = Some(self.line(name)),
        }
        shown
    }

    fn change(&self, change: &Change) -> Change {
        Change {
            place: change.place.clone(),
            text: self.line(&change.text),
            value: change.value.as_deref().map(|value| self.text(value)),
        }
    }

    fn snapshots(&self, counts: &SnapshotCounts) -> Snapshots {
        let SnapshotCounts { folder, same, differing, missing, recorded, waiting, unusable } =
            counts;
        Snapshots {
            folder: self.line(folder),
            compared: same + differing + waiting,
            same: *same,
            differing: *differing,
            missing: *missing,
            recorded: *recorded,
            waiting: *waiting,
            unusable: *unusable,
        }
    }

    /// A scenario that was not run speaks for its checks; else each check speaks for itself.
    fn not_run(&self, result: &RunResult) -> Vec<NotRun> {
        let mut all: Vec<NotRun> = Vec::new();
        let mut add = |one: NotRun| {
            let same = |known: &&mut NotRun| {
                let key = |it: &NotRun| {
                    let (reason, known) = (it.reason.clone(), it.known.clone());
                    (reason, it.setting.clone(), it.tolerate_as.clone(), it.is_tolerated, known)
                };
                key(known) == key(&one)
            };
            match all.iter_mut().find(same) {
                Some(known) => known.names.extend(one.names),
                None => all.push(one),
            }
        };
        for scenario in &result.scenarios {
            if let Some(why) = &scenario.not_run {
                add(NotRun {
                    reason: self.line(&why.reason),
                    setting: why.setting.as_deref().map(|setting| self.line(setting)),
                    tolerate_as: Some(why.tolerate_as.clone()).filter(|name| !name.is_empty()),
                    is_tolerated: why.is_tolerated || scenario.known.is_some(),
                    known: scenario.known.as_ref().map(|known| self.line(&known.reason)),
                    names: vec![self.line(&scenario.name)],
                });
                continue;
            }
            let checks = scenario.steps.iter().flat_map(|step| &step.checks);
            for check in checks.filter(|check| check.verdict == Verdict::NotRun) {
                add(NotRun {
                    reason: self.line(&check.message),
                    setting: None,
                    tolerate_as: None,
                    is_tolerated: check.known.is_some(),
                    known: check.known.as_ref().map(|known| self.line(&known.reason)),
                    names: vec![self.line(&check.id())],
                });
            }
        }
        all
    }

    fn answers(&self, result: &RunResult) -> Vec<Answer> {
        let shown = |value: &serde_json::Value| {
            // Through its text, so that a secret inside of it is masked too.
            let masked = self.secrets.mask(&value.to_string());
            serde_json::from_str(&masked).unwrap_or(serde_json::Value::String(masked))
        };
        let imitated = Observed::of_run(&result.answers).answers;
        result
            .answers
            .values()
            .map(|seen| Answer {
                imitated: imitated.get(&seen.question).map(shown),
                question: seen.question.clone(),
                section: seen.section.clone(),
                ask: questions::get(&seen.question).map(|question| question.ask.clone()),
                answers: seen
                    .answers
                    .iter()
                    .map(|(value, times)| SeenAnswer { value: shown(value), times: *times })
                    .collect(),
                seen_in: seen.seen_in.iter().map(|step| self.line(step)).collect(),
            })
            .collect()
    }

    fn residue(&self, result: &RunResult) -> Vec<Residue> {
        let shown = |left: &crate::result::Residue| Residue {
            kind: left.kind.clone(),
            id: left.id.as_deref().map(|id| self.line(id)),
            tag: self.line(&left.tag),
            scenario: self.line(&left.scenario),
        };
        result.residue.iter().map(shown).collect()
    }
}

/// Thousands of checks pass; what helps a person to look into one is for the others.
fn is_looked_into(check: &CheckResult) -> bool {
    check.verdict >= Verdict::Warn
}

fn place(at: &Location) -> Place {
    Place { file: at.file.to_string(), line: at.line, column: at.column }
}

/// To a tenth of a millisecond.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10_000.0
}
