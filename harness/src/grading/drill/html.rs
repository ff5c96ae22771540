//! A certificate as one self-contained HTML page, to read and to print.

use minijinja::value::Serde;
use minijinja::{Value, context};
use moot_fixtures::conduct::DrillEnd;

use super::certificate::Certificate;
use super::text;
use crate::report::html;

/// The whole page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn page(certificate: &Certificate) -> Result<String, String> {
    let rows: Vec<Value> = certificate
        .drills
        .iter()
        .map(|drill| {
            context! {
                class => class(drill.end),
                end => drill.end.shown(),
                drill => Value::from(Serde(drill)),
                output => certificate.recordings.get(&drill.drill).map(|it| it.output.clone()),
            }
        })
        .collect();
    let mut ends: Vec<(DrillEnd, usize)> = Vec::new();
    for drill in &certificate.drills {
        match ends.iter_mut().find(|(end, _)| *end == drill.end) {
            Some((_, count)) => *count += 1,
            None => ends.push((drill.end, 1)),
        }
    }
    let ends = ends
        .into_iter()
        .map(|(end, count)| context! { class => class(end), end => end.shown(), count });
    let values = context! {
        ends => ends.collect::<Vec<_>>(),
        certificate => Value::from(Serde(certificate)),
        grade => certificate.grade.shown(),
        exit_code => certificate.grade.exit_code(),
        rows,
    };
    html::page(include_str!("page.html"), values)
}

/// The CSS class of an end: that of its verdict.
fn class(end: DrillEnd) -> Value {
    Value::from(Serde(text::verdict(end)))
}
