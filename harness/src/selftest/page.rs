//! A self-test as one self-contained HTML page without scripts.

use std::collections::BTreeMap;

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::defects::DefectTrial;
use super::degenerate::DegenerateTarget;
use super::drawn_services::DrawnService;
use super::outcome::{SelftestOutcome, UNRELATED_MAX};
use crate::report::{html, section_order};

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn page(outcome: &SelftestOutcome) -> Result<String, String> {
    html::page(PAGE, values(outcome))
}

/// The values for the templates of the HTML page and of the Markdown page.
pub(super) fn values(outcome: &SelftestOutcome) -> Value {
    let drawn: Vec<&DrawnService> = outcome.drawn_services().collect();
    let failing: Vec<&DrawnService> =
        outcome.drawn_services().filter(|drawn| !drawn.is_passed()).collect();
    let passed: Vec<&DegenerateTarget> =
        outcome.degenerate.iter().filter(|target| !target.is_refused()).collect();
    context! {
        outcome => Value::from(Serde(outcome)),
        drawn => Value::from(Serde(drawn)),
        failing => Value::from(Serde(failing)),
        passed => Value::from(Serde(passed)),
        survivors => Value::from(Serde(outcome.survivors())),
        unproven => Value::from(Serde(outcome.unproven())),
        gating => outcome.matrix.iter().filter(|row| row.is_gating).count(),
        sections => Value::from(Serde(sections(outcome))),
        median => outcome.median_unrelated(),
        median_max => UNRELATED_MAX,
        is_killed => outcome.is_killed(),
        is_proven => outcome.is_proven(),
    }
}

/// The proof of one section of the specification.
#[derive(Debug, Default, Serialize)]
struct SectionProof {
    section: String,
    defects: usize,
    caught: usize,
    gating: usize,
    killed: usize,
}

/// In the order of the specification. Requirements count only if every defect was tried.
fn sections(outcome: &SelftestOutcome) -> Vec<SectionProof> {
    let mut all: BTreeMap<Vec<u32>, SectionProof> = BTreeMap::new();
    for row in outcome.matrix.iter().filter(|row| row.is_gating && outcome.is_whole) {
        let section = of(&mut all, &row.section);
        section.gating += 1;
        section.killed += usize::from(!row.killed_by.is_empty());
    }
    for DefectTrial { defect, caught_by, .. } in &outcome.defects {
        let section = of(&mut all, &defect.section);
        section.defects += 1;
        section.caught += usize::from(!caught_by.is_empty());
    }
    all.into_values().collect()
}

fn of<'a>(all: &'a mut BTreeMap<Vec<u32>, SectionProof>, name: &str) -> &'a mut SectionProof {
    let new = || SectionProof { section: name.to_owned(), ..SectionProof::default() };
    all.entry(section_order(name)).or_insert_with(new)
}
