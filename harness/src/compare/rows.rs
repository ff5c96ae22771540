//! The rows of a comparison: one for each difference.

use moot_fixtures::register;

use super::checks::CheckPair;
use super::comparison::{DifferenceClass, FURTHER_READINGS_MAX, ReadingPair, SideDifference};
use super::name_pairs::unnumbered;
use crate::verdict::Verdict;
use crate::verdict::check::MismatchKind;
use crate::verdict::result::CheckResult;

/// Adds the readings at a further place, if they differ in more than the numbers of names.
pub(super) fn add_readings(row: &mut SideDifference, a: &str, b: &str) {
    let is_same = |one: &str, other: &str| unnumbered(one) == unnumbered(other);
    let is_known = is_same(&row.a, a) && is_same(&row.b, b)
        || row.further_readings.iter().any(|it| is_same(&it.a, a) && is_same(&it.b, b));
    if !is_known && row.further_readings.len() < FURTHER_READINGS_MAX {
        row.further_readings.push(ReadingPair { a: a.to_owned(), b: b.to_owned() });
    }
}

/// The row of a violation.
pub(super) fn violation(
    class: DifferenceClass,
    violating: &CheckResult,
    pair: &CheckPair<'_>,
) -> SideDifference {
    let said = |check: &CheckResult, is_guilty: bool| match (is_guilty, check.verdict) {
        (true, _) if check.actual.is_empty() => check.message.clone(),
        (true, _) => check.actual.clone(),
        (false, _) if std::ptr::eq(pair.a, pair.b) => "nothing to judge".to_owned(),
        (false, Verdict::Pass) => "holds".to_owned(),
        (false, verdict) => verdict.as_str().to_owned(),
    };
    let (is_a, is_b) = (class != DifferenceClass::BViolates, class != DifferenceClass::AViolates);
    let row = register::get(violating.subject.as_str());
    let says_expected = !violating.is_implicit()
        && violating.mismatch.as_ref().is_some_and(MismatchKind::says_expected);
    let expected = match violating.expected.as_str() {
        "" => String::new(),
        _ if says_expected => String::new(),
        expected => format!("; expected {expected}"),
    };
    SideDifference {
        class,
        subject: violating.subject.as_str().to_owned(),
        section: Some(violating.section.to_string()),
        level: violating.level,
        verdict: Some(violating.verdict),
        sentence: row.map(|row| row.sentence.clone()),
        message: format!("{}{expected}", violating.message),
        a: said(pair.a, is_a),
        b: said(pair.b, is_b),
        curl: violating.exchange.as_ref().map(|exchange| exchange.request.curl.clone()),
        known: known_failure(class, pair),
        ..SideDifference::default()
    }
}

/// The expected failure that matches a violation. If both sides violate, both must expect it.
pub(super) fn known_failure(class: DifferenceClass, pair: &CheckPair<'_>) -> Option<String> {
    let of = |check: &CheckResult| {
        check.known.as_ref().map(|known| format!("{}: {}", known.id, known.reason))
    };
    match class {
        DifferenceClass::AViolates => of(pair.a),
        DifferenceClass::BViolates => of(pair.b),
        DifferenceClass::BothViolate => of(pair.a).and(of(pair.b)),
        DifferenceClass::BothAllowed | DifferenceClass::Undecidable => None,
    }
}

/// The row of a difference that neither the register nor the open questions explain.
pub(super) fn undecided(subject: String, a: String, b: String) -> SideDifference {
    let message = "no requirement and no open question names it".to_owned();
    let class = DifferenceClass::Undecidable;
    SideDifference { class, subject, message, a, b, ..SideDifference::default() }
}

#[cfg(test)]
mod tests {
    use super::{add_readings, undecided};

    #[test]
    fn other_readings_at_further_places_are_kept() {
        let mut row = undecided("member detail".to_owned(), "no [x:1]".into(), "gone".into());
        for (a, b) in [("no [x:2]", "gone"), ("expired", "old"), ("no [x:3]", "old")] {
            add_readings(&mut row, a, b);
        }
        let kept: Vec<_> = row.further_readings.iter().map(|it| (&*it.a, &*it.b)).collect();
        assert_eq!(kept, [("expired", "old"), ("no [x:3]", "old")]);
    }
}
