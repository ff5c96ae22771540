//! The kill matrix as one self-contained page that loads and runs nothing.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use super::Outcome;
use super::defects::Tried;
use super::degenerate::Degenerate;
use super::latitude::Drawn;
use super::outcome::UNRELATED_MAX;
use crate::report::html::STYLE;
use crate::report::section_order;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The template engine's, as text.
pub fn page(outcome: &Outcome) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("page", PAGE).map_err(text_of)?;
    let template = environment.get_template("page").map_err(text_of)?;
    let drawn: Vec<&Drawn> = outcome.drawn().collect();
    let unborne: Vec<&Drawn> = outcome.drawn().filter(|drawn| !drawn.is_borne()).collect();
    let blessed: Vec<&Degenerate> =
        outcome.degenerate.iter().filter(|target| !target.is_refused()).collect();
    let rendered = template.render(context! {
        outcome => Value::from(Serde(outcome)),
        drawn => Value::from(Serde(drawn)),
        unborne => Value::from(Serde(unborne)),
        blessed => Value::from(Serde(blessed)),
        survivors => Value::from(Serde(outcome.survivors())),
        unproven => Value::from(Serde(outcome.unproven())),
        gating => outcome.matrix.iter().filter(|row| row.is_gating).count(),
        sections => Value::from(Serde(sections(outcome))),
        median => outcome.median_unrelated(),
        median_max => UNRELATED_MAX,
        is_killed => outcome.is_killed(),
        is_proven => outcome.is_proven(),
        style => Value::from_safe_string(STYLE.to_owned()),
    });
    rendered.map_err(text_of)
}

/// How much of a section of the specification is proven.
#[derive(Debug, Default, Serialize)]
struct Section {
    section: String,
    defects: usize,
    caught: usize,
    gating: usize,
    killed: usize,
}

/// In the order of the specification. Rows count only where every defect was tried.
fn sections(outcome: &Outcome) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for row in outcome.matrix.iter().filter(|row| row.is_gating && outcome.is_whole) {
        let section = of(&mut all, &row.section);
        section.gating += 1;
        section.killed += usize::from(!row.killed_by.is_empty());
    }
    for Tried { defect, caught_by, .. } in &outcome.defects {
        let section = of(&mut all, &defect.section);
        section.defects += 1;
        section.caught += usize::from(!caught_by.is_empty());
    }
    all.sort_by_cached_key(|section| section_order(&section.section));
    all
}

fn of<'a>(all: &'a mut Vec<Section>, name: &str) -> &'a mut Section {
    let at = all.iter().position(|section| section.section == name).unwrap_or_else(|| {
        all.push(Section { section: name.to_owned(), ..Section::default() });
        all.len() - 1
    });
    &mut all[at]
}

fn text_of(error: minijinja::Error) -> String {
    format!("{error:#}")
}
