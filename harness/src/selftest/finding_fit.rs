//! Does a finding fit its defect? Its row must be near the rows that the defect names. The scenario must have called
//! the operation of the row. The remedy must be about the part of the response that failed.

use moot_fixtures::contract::{Operation, RequirementTopic};
use moot_fixtures::register;
use moot_mock::defect::Defect;

use super::trial::{declares, scenario_named};
use crate::report::findings;
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;
use crate::verdict::check::ResponsePart;
use crate::verdict::result::{CheckResult, RunResult, Subject};

/// The failed findings that do not fit, each with the part that does not. The rows of scenarios that are not about the
/// defect may be far from it: `files` has all scenarios.
pub(super) fn misfits(defect: &Defect, files: &[ScenarioFile], result: &RunResult) -> Vec<String> {
    let checks: Vec<CheckResult> = result.checks().cloned().collect();
    let failed = findings(&checks).into_iter().filter(|finding| finding.verdict == Verdict::Fail);
    let firsts =
        failed.filter_map(|finding| Some((finding.first(&checks)?.clone(), finding.message)));
    let misfit = |(check, message): (CheckResult, String)| {
        let Subject::Requirement(id) = &check.subject else { return None };
        let what = if is_about(defect, files, &check) && !is_near(defect, id) {
            "the row is far from those that the defect breaks"
        } else if !calls_its_operation(&check, result) {
            "no step up to this one calls the operation of the row"
        } else if is_of_status(id) && check.part != Some(ResponsePart::Status) {
            "the row and its remedy are about the status, and something else failed"
        } else {
            return None;
        };
        Some(format!("{id} in {}/{}: {what} ({message})", check.scenario, check.step))
    };
    firsts.filter_map(misfit).collect()
}

/// Whether the scenario of a check declares a requirement that the defect breaks.
fn is_about(defect: &Defect, files: &[ScenarioFile], check: &CheckResult) -> bool {
    scenario_named(files, &check.scenario).is_some_and(|it| declares(it, &defect.breaks))
}

/// Whether a row is named by the defect, or is of the resource, operation or section of one that is.
fn is_near(defect: &Defect, id: &str) -> bool {
    let Some(row) = register::get(id) else { return false };
    let mut named = defect.breaks.iter().chain(&defect.also).filter_map(|id| register::get(id));
    named.any(|one| one.group() == row.group() || one.section == row.section)
}

/// Whether the scenario called the operation of the row before or at the exchange of this check. A row without an
/// operation fits every step.
fn calls_its_operation(check: &CheckResult, result: &RunResult) -> bool {
    let Subject::Requirement(id) = &check.subject else { return true };
    let section = register::get(id).map_or("", |row| row.section.as_str());
    let operation = Operation::ALL.into_iter().find(|it| it.section() == section);
    let Some(operation) = operation.filter(|_| section.starts_with("4.")) else { return true };
    let Some(scenario) = result.scenarios.iter().find(|it| it.name == *check.scenario) else {
        return false;
    };
    let Some(own) = check.exchange_number() else { return true };
    scenario
        .exchanges()
        .filter(|it| it.number <= own)
        .any(|it| it.request.operation == Some(operation))
}

/// Whether a row only states a status.
fn is_of_status(id: &str) -> bool {
    register::get(id).and_then(|row| row.topic) == Some(RequirementTopic::Status)
}
