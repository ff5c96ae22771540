//! The kill matrix as a part of a Markdown page, between two markers.

use minijinja::{Value, context};

use super::deployment_matrix::UnprovenRow;
use super::mutants::TrialColumn;
use super::outcome::SelftestOutcome;
use super::page::values;
use super::score::{MutationScore, MutationTest};
use crate::report::markdown;

const MATRIX: &str = include_str!("markdown.jinja");

/// Marks the start of the generated part.
pub const BEGIN: &str = "<!-- moot selftest: from here on written by a command -->";
/// Marks the end of the generated part.
pub const END: &str = "<!-- moot selftest: to here -->";

/// `page` with the part between its markers replaced. Without a page or without markers, the matrix
/// between markers.
///
/// # Errors
/// The error of the template engine, as text.
pub fn page(outcome: &SelftestOutcome, page: Option<&str>) -> Result<String, String> {
    let unproven: Option<Vec<_>> = outcome.unproven_as_deployment.as_ref().map(|rows| {
        let of = |row: &UnprovenRow| (row.requirement.clone(), Into::<&str>::into(row.reason));
        rows.iter().map(of).collect()
    });
    let more = context! {
        false_fails => outcome.drawn_services().map(|drawn| drawn.false_fails.len()).sum::<usize>(),
        unproven_as_deployment => unproven.filter(|_| outcome.is_whole),
        mutation => mutation(&outcome.mutation),
    };
    let matrix = markdown::page(MATRIX, context! { ..values(outcome), ..more })?;
    let matrix = format!("{BEGIN}\n{matrix}{END}");
    let parts = page.and_then(|page| {
        let (before, rest) = page.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    Ok(match parts {
        Some((before, after)) => format!("{before}{matrix}{after}"),
        None => format!("{matrix}\n"),
    })
}

fn mutation(test: &MutationTest) -> Value {
    let of_group = |(name, score): (String, MutationScore)| {
        let [killed, deployed] = TrialColumn::ALL.map(|column| score.percent(column));
        context! { name, tried => score.tried, killed, deployed }
    };
    let groups = [
        ("operator", test.by_operator()),
        ("kind of place", test.by_kind()),
        ("§", test.by_section()),
    ];
    let groups = groups.map(|(name, all)| {
        context! { name, rows => all.into_iter().map(of_group).collect::<Vec<_>>() }
    });
    let survivors = test.survivors().map(|trial| {
        let (defect, check) = (&trial.mutant.defect, trial.mutant.check());
        let survived = trial.survived();
        context! { section => &defect.section, id => &defect.id, survived, check }
    });
    context! {
        total => of_group((String::new(), test.total())),
        groups,
        survivors => survivors.collect::<Vec<_>>(),
    }
}
