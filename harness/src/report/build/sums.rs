//! What a run comes to: how many checks of each verdict, and the worst of each row of the register.

use std::collections::BTreeMap;

use moot_fixtures::register;

use crate::report::names::level_name;
use crate::report::view::Requirement;
use crate::result::Counts;
use crate::result::{RunResult, ScenarioResult, Subject};
use crate::verdict::Verdict;

/// How many checks got which verdict, and how many scenarios; a scenario that was not run, or has no
/// checks, counts as one check.
pub(super) fn counts(result: &RunResult) -> (Counts, Counts) {
    let (mut checks, mut scenarios) = (Counts::default(), Counts::default());
    for scenario in &result.scenarios {
        count(scenario, &mut checks);
        scenarios.add(scenario.verdict);
    }
    (checks, scenarios)
}

pub(super) fn count(scenario: &ScenarioResult, counts: &mut Counts) {
    let passed: usize = scenario.steps.iter().map(|step| step.passed).sum();
    counts.add_passed(passed);
    let mut checks = scenario.steps.iter().flat_map(|step| &step.checks).peekable();
    if scenario.known.is_some() {
        counts.add_expected();
    } else if scenario.not_run.is_some() {
        counts.add(Verdict::NotRun);
    } else if checks.peek().is_none() && passed == 0 {
        counts.add(scenario.verdict);
    }
    checks.for_each(|check| match check.known {
        Some(_) => counts.add_expected(),
        None => counts.add(check.verdict),
    });
}

pub(super) fn requirements(result: &RunResult) -> Vec<Requirement> {
    let mut judged: BTreeMap<&str, (Verdict, usize)> = BTreeMap::new();
    let steps = result.scenarios.iter().flat_map(|scenario| &scenario.steps);
    for check in steps.flat_map(|step| &step.checks) {
        if let Subject::Requirement(id) = &check.subject {
            let (worst, checks) = judged.entry(id).or_insert((Verdict::NotApplicable, 0));
            *worst = (*worst).max(check.verdict);
            *checks += 1;
        }
    }
    register::all()
        .iter()
        .map(|row| {
            let seen = judged.get(row.id.as_str()).copied();
            Requirement {
                id: row.id.clone(),
                section: row.section.clone(),
                level: level_name(row.level),
                sentence: row.sentence.clone(),
                verdict: seen.map(|(worst, _)| worst),
                checks: seen.map_or(0, |(_, checks)| checks),
                unverifiable: row.unverifiable.clone(),
            }
        })
        .collect()
}
