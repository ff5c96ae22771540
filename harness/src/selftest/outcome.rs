//! All results of a self-test, as data.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::defects::DefectTrial;
use super::degenerate::DegenerateTarget;
use super::deployment_matrix::UnprovenRow;
use super::drawn_services::DrawnService;
use super::finding_fit::FindingMisfit;
use super::history::HistoryDifference;
use super::matrix::MatrixRow;
use super::score::MutationTest;

/// The highest allowed median of unrelated requirements that fail for a defect.
pub const UNRELATED_MAX: usize = 1;

/// All results of a self-test, or of one shard of it. Results that follow from the trials are not read from a part.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SelftestOutcome {
    #[serde(skip_deserializing)]
    pub version: &'static str,
    /// Whether each defect was tried on all scenarios.
    pub is_thorough: bool,
    /// Whether every defect was tried. Only then is an unproven requirement a failure.
    pub is_whole: bool,
    /// Whether defects are tried as a deployment too.
    pub is_deployed: bool,
    /// Services with one defect each.
    pub defects: Vec<DefectTrial>,
    /// Generated defects.
    pub mutation: MutationTest,
    /// The kill matrix.
    #[serde(skip_deserializing)]
    pub matrix: Vec<MatrixRow>,
    /// Gating requirements that noticed no defect of a deployment; `None` unless `is_deployed`.
    #[serde(skip_deserializing)]
    pub unproven_as_deployment: Option<Vec<UnprovenRow>>,
    /// Services that answer all open questions differently.
    #[serde(rename = "latitude")]
    pub combined: Vec<DrawnService>,
    /// Services that answer one open question differently.
    pub alone: Vec<DrawnService>,
    /// Targets that are not the service.
    pub degenerate: Vec<DegenerateTarget>,
}

impl SelftestOutcome {
    /// Defects that no check of their requirements noticed.
    pub fn survivors(&self) -> Vec<&DefectTrial> {
        self.defects.iter().filter(|trial| !trial.is_caught()).collect()
    }

    /// Findings whose row, place or remedy does not fit, each with its defect.
    pub fn misfits(&self) -> impl Iterator<Item = (&str, &FindingMisfit)> {
        self.defects
            .iter()
            .flat_map(|trial| trial.misfits.iter().map(|found| (trial.defect.id.as_str(), found)))
    }

    /// Verdicts that depend on earlier calls, each with its defect.
    pub fn history(&self) -> impl Iterator<Item = (&str, &HistoryDifference)> {
        self.defects
            .iter()
            .flat_map(|trial| trial.history.iter().map(|found| (trial.defect.id.as_str(), found)))
    }

    /// Gating requirements that noticed no defect.
    pub fn unproven(&self) -> Vec<&MatrixRow> {
        self.matrix.iter().filter(|row| row.is_gating && row.killed_by.is_empty()).collect()
    }

    /// The median number of unrelated requirements that failed, over all defects.
    pub fn median_unrelated(&self) -> usize {
        let mut counts: Vec<usize> = self.defects.iter().map(|it| it.unrelated.len()).collect();
        counts.sort_unstable();
        counts.get(counts.len() / 2).copied().unwrap_or_default()
    }

    /// Every service with drawn answers.
    pub fn drawn_services(&self) -> impl Iterator<Item = &DrawnService> {
        self.combined.iter().chain(&self.alone)
    }

    /// Questions whose answer was observed at least once.
    pub fn observed_questions(&self) -> BTreeSet<&str> {
        self.drawn_services().flat_map(|drawn| &drawn.seen).map(String::as_str).collect()
    }

    /// Whether every gating requirement noticed a defect. If not every defect was tried, it is not judged.
    pub fn is_killed(&self) -> bool {
        !self.is_whole || self.unproven().is_empty()
    }

    /// Whether the suite is proven: every defect is caught, all findings fit, and every gating requirement is proven.
    /// No verdict depends on earlier calls, no conformant service fails, and no other target passes.
    pub fn is_proven(&self) -> bool {
        self.survivors().is_empty()
            && self.misfits().next().is_none()
            && self.history().next().is_none()
            && self.is_killed()
            && self.mutation.is_proven()
            && self.median_unrelated() <= UNRELATED_MAX
            && self.drawn_services().all(DrawnService::is_passed)
            && self.degenerate.iter().all(DegenerateTarget::is_refused)
    }
}
