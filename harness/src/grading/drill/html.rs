//! A certificate as one self-contained HTML page, to read and to print.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::certificate::Certificate;
use super::judge::DrillEnd;
use super::text;
use crate::report::html;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The template engine's, as text.
pub fn page(certificate: &Certificate) -> Result<String, String> {
    let rows: Vec<Value> = certificate
        .drills
        .iter()
        .map(|drill| {
            let class = text::verdict(drill.end).as_str().replace(' ', "_");
            context! {
                class => class,
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
    let ends = ends.into_iter().map(|(end, count)| {
        let class = text::verdict(end).as_str().replace(' ', "_");
        context! { class, end => end.shown(), count }
    });
    let values = context! {
        ends => ends.collect::<Vec<_>>(),
        certificate => Value::from(Serde(certificate)),
        grade => certificate.grade.shown(),
        exit_code => certificate.grade.exit_code(),
        rows => rows,
    };
    html::page(PAGE, values)
}
