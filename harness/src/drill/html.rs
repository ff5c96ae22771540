//! A certificate as one self-contained HTML page, to read and to print.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::certificate::Certificate;
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
            let class: &str = text::verdict(drill.end).as_str();
            context! {
                class => class,
                end => drill.end.shown(),
                drill => Value::from(Serde(drill)),
                output => certificate.recordings.get(&drill.drill).map(|it| it.output.clone()),
            }
        })
        .collect();
    let values = context! {
        certificate => context! {
            moot_version => certificate.moot_version.clone(),
            drills_digest => certificate.drills_digest.clone(),
            seed => certificate.seed,
            reasons => certificate.reasons.clone(),
            client => Value::from(Serde(&certificate.client)),
            waivers => Value::from(Serde(&certificate.waivers)),
        },
        grade => certificate.grade.shown(),
        exit_code => certificate.grade.exit_code(),
        rows => rows,
    };
    html::page(PAGE, values)
}
