//! All that a self-test found, as inert data.

use serde::Serialize;

use super::defects::{Tried, median_unrelated};
use super::degenerate::Degenerate;
use super::latitude::Drawn;
use super::matrix::{Row, unproven};

/// Unrelated rows that a defect may make fail, in the median.
pub const UNRELATED_MAX: usize = 1;

/// All that a self-test found.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The version of moot.
    pub version: &'static str,
    /// Whether each defect was tried on every scenario, or on a sample beside its own.
    pub is_thorough: bool,
    /// Services that err.
    pub defects: Vec<Tried>,
    /// Rows and the defects that they noticed.
    pub matrix: Vec<Row>,
    /// Services that answer the open questions differently.
    pub latitude: Vec<Drawn>,
    /// What is no service.
    pub degenerate: Vec<Degenerate>,
}

impl Outcome {
    /// Defects that nobody noticed who had to.
    pub fn survivors(&self) -> Vec<&Tried> {
        self.defects.iter().filter(|tried| !tried.is_caught()).collect()
    }

    /// Gating rows that no defect made fail.
    pub fn unproven(&self) -> Vec<&Row> {
        unproven(&self.matrix)
    }

    /// Rows that fail beside what a defect breaks, in the median.
    pub fn median_unrelated(&self) -> usize {
        median_unrelated(&self.defects)
    }

    /// Whether the suite is proven: no survivor, no false fail, nothing blessed that is no service.
    pub fn is_proven(&self) -> bool {
        self.survivors().is_empty()
            && self.median_unrelated() <= UNRELATED_MAX
            && self.latitude.iter().all(Drawn::is_borne)
            && self.degenerate.iter().all(Degenerate::is_refused)
    }
}
