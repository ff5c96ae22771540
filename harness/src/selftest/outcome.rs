//! All that a self-test found, as inert data.

use std::collections::BTreeSet;

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
    /// Whether every defect was tried: then a gating row that none made fail is a failure.
    pub is_whole: bool,
    /// Services that err.
    pub defects: Vec<Tried>,
    /// Rows and the defects that they noticed.
    pub matrix: Vec<Row>,
    /// Services that answer every open question differently.
    pub latitude: Vec<Drawn>,
    /// Services that answer one open question differently.
    pub alone: Vec<Drawn>,
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

    /// Every service with drawn answers.
    pub fn drawn(&self) -> impl Iterator<Item = &Drawn> {
        self.latitude.iter().chain(&self.alone)
    }

    /// Questions whose drawn answer was seen from outside, at least once.
    pub fn seen(&self) -> BTreeSet<&str> {
        self.drawn().flat_map(|drawn| &drawn.seen).map(String::as_str).collect()
    }

    /// Whether every gating row has a defect that made it fail; said only where all were tried.
    pub fn is_killed(&self) -> bool {
        !self.is_whole || self.unproven().is_empty()
    }

    /// Whether the suite is proven: no survivor, no gating row without a killer, no false fail,
    /// nothing blessed that is no service.
    pub fn is_proven(&self) -> bool {
        self.survivors().is_empty()
            && self.is_killed()
            && self.median_unrelated() <= UNRELATED_MAX
            && self.drawn().all(Drawn::is_borne)
            && self.degenerate.iter().all(Degenerate::is_refused)
    }
}
