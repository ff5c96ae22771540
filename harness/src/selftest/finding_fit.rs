//! Does a finding fit its defect? Its row must be near the rows that the defect names. The scenario must have called
//! the operation of the row. The remedy must be about the part of the response that failed.

use moot_fixtures::contract::{Operation, RequirementTopic};
use moot_fixtures::register;
use moot_mock::defect::Defect;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::trial::{declares, scenario_named};
use crate::report::findings;
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;
use crate::verdict::check::ResponsePart;
use crate::verdict::result::{CheckResult, RunResult, Subject};

/// A finding that does not fit its defect, its step or its row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FindingMisfit {
    /// The row of the finding.
    pub requirement: String,
    /// `file/scenario[row]/step`.
    pub step: String,
    /// The message of the finding.
    pub message: String,
    pub kind: MisfitKind,
}

/// The part of a finding that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
pub enum MisfitKind {
    /// The row is none that the defect names, and none of the same resource, operation or section.
    #[strum(serialize = "the row is far from those that the defect breaks")]
    Row,
    /// Neither the step nor one before it calls the operation of the row.
    #[strum(serialize = "no step up to this one calls the operation of the row")]
    Place,
    /// The row is about the status, and something else failed.
    #[strum(serialize = "the row and its remedy are about the status, and something else failed")]
    Remedy,
}

/// The failed findings that do not fit. The rows of scenarios that are not about the defect may be far from it: `files`
/// shows which scenarios are about it.
pub(super) fn misfits(
    defect: &Defect,
    files: &[ScenarioFile],
    result: &RunResult,
) -> Vec<FindingMisfit> {
    let checks: Vec<CheckResult> = result.checks().cloned().collect();
    let failed = findings(&checks).into_iter().filter(|finding| finding.verdict == Verdict::Fail);
    let firsts =
        failed.filter_map(|finding| Some((finding.first(&checks)?.clone(), finding.message)));
    let misfit = |(check, message): (CheckResult, String)| {
        let Subject::Requirement(id) = &check.subject else { return None };
        let kind = if is_about(defect, files, &check) && !is_near(defect, id) {
            MisfitKind::Row
        } else if !calls_its_operation(&check, result) {
            MisfitKind::Place
        } else if is_of_status(id) && check.part != Some(ResponsePart::Status) {
            MisfitKind::Remedy
        } else {
            return None;
        };
        Some(FindingMisfit {
            requirement: id.to_string(),
            step: format!("{}/{}", check.scenario, check.step),
            message,
            kind,
        })
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
