//! A comparison as one self-contained HTML page. Its texts are escaped already.

use minijinja::value::Serde;
use minijinja::{Value, context};
use strum::VariantArray;

use super::comparison::{DifferenceClass, SideDifference, TargetComparison};
use crate::report::html;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn page(comparison: &TargetComparison) -> Result<String, String> {
    let of = |class: DifferenceClass| {
        let all: Vec<&SideDifference> = comparison.of(class).collect();
        context! { name => class.as_ref(), all => Value::from(Serde(all)) }
    };
    let values = context! {
        comparison => Value::from(Serde(comparison)),
        classes => DifferenceClass::VARIANTS.iter().copied().map(of).collect::<Vec<_>>(),
        violations => [DifferenceClass::AViolates, DifferenceClass::BViolates, DifferenceClass::BothViolate].map(of).to_vec(),
        answers => of(DifferenceClass::BothAllowed),
        undecidable => of(DifferenceClass::Undecidable),
    };
    html::page(PAGE, values)
}
