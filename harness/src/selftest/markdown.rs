//! The kill matrix as a part of a Markdown page, between two markers.

use std::fmt::Write as _;

use super::mutants::{MutantTrial, TrialColumn};
use super::outcome::SelftestOutcome;
use super::score::{MutationScore, MutationTest};

/// The marker before the matrix.
pub const BEGIN: &str = "<!-- moot selftest: from here on written by a command -->";
/// The marker after the matrix.
pub const END: &str = "<!-- moot selftest: to here -->";

/// Names in one cell. Further ones are only counted.
const NAMED_MAX: usize = 6;

/// `page` with the part between its markers replaced. Without a page or without markers, the matrix
/// between markers.
pub fn page(outcome: &SelftestOutcome, page: Option<&str>) -> String {
    let matrix = format!("{BEGIN}\n{}{END}", matrix(outcome));
    let parts = page.and_then(|page| {
        let (before, rest) = page.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    match parts {
        Some((before, after)) => format!("{before}{matrix}{after}"),
        None => format!("{matrix}\n"),
    }
}

fn matrix(outcome: &SelftestOutcome) -> String {
    let mut out = String::new();
    write_into(&mut out, outcome).expect("a String takes all");
    out
}

fn write_into(out: &mut String, outcome: &SelftestOutcome) -> std::fmt::Result {
    let gating = outcome.matrix.iter().filter(|row| row.is_gating).count();
    let unproven = outcome.unproven().len();
    let (all, survivors) = (outcome.defects.len(), outcome.survivors().len());
    let fails: usize = outcome.drawn().map(|drawn| drawn.false_fails.len()).sum();
    let refused = outcome.degenerate.iter().filter(|it| it.is_refused()).count();
    writeln!(out, "- defects caught: {} of {all}", all - survivors)?;
    writeln!(out, "- gating requirements killed: {} of {gating}", gating - unproven)?;
    writeln!(out, "- unrelated requirements that fail: median {}", outcome.median_unrelated())?;
    writeln!(
        out,
        "- latitude: {fails} false fails over {} seeds and {} single questions",
        outcome.latitude.len(),
        outcome.alone.len()
    )?;
    writeln!(
        out,
        "- targets that are not the service: {refused} of {} refused\n",
        outcome.degenerate.len()
    )?;
    mutation(out, &outcome.mutation)?;
    writeln!(
        out,
        "### Rows\n\n| § | requirement | gating | defects that it noticed |\n|---|---|---|---|"
    )?;
    for row in &outcome.matrix {
        let gating = if row.is_gating { "yes" } else { "no" };
        let killers = names(&row.killed_by);
        writeln!(out, "| {} | `{}` | {gating} | {killers} |", row.section, row.requirement)?;
    }
    if let (true, Some(there)) = (outcome.is_whole, &outcome.unproven_as_deployment) {
        writeln!(
            out,
            "\n### Rows that no defect of a deployment kills\n\n| row | reason |\n|---|---|"
        )?;
        for row in there {
            writeln!(out, "| `{}` | {} |", row.requirement, Into::<&str>::into(row.reason))?;
        }
    }
    writeln!(
        out,
        "\n### Defects\n\n| § | defect | what the service does wrong | caught by |\n|---|---|---|---|"
    )?;
    for it in &outcome.defects {
        let (caught, what) = (names(&it.caught_by), it.defect.what.replace('|', "\\|"));
        writeln!(out, "| {} | `{}` | {what} | {caught} |", it.defect.section, it.defect.id)?;
    }
    Ok(())
}

fn mutation(out: &mut String, test: &MutationTest) -> std::fmt::Result {
    if test.trials.is_empty() {
        return Ok(());
    }
    let total = test.total();
    writeln!(
        out,
        "### Mutants\n\n{} of {} drawn with `--sample-seed {}`; killed with the control plane: {}, as a \
         deployment: {}.\n",
        total.tried,
        test.noticeable,
        test.seed,
        total.percent(TrialColumn::ControlPlane),
        total.percent(TrialColumn::Deployment)
    )?;
    for (name, groups) in [
        ("operator", test.by_operator()),
        ("kind of place", test.by_kind()),
        ("§", test.by_section()),
    ] {
        writeln!(out, "| {name} | tried | killed | as a deployment |\n|---|---|---|---|")?;
        for (group, score) in &groups {
            score_row(out, group, score)?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "### Survivors\n\n| § | mutant | survived | a check that would kill it |\n|---|---|---|---|"
    )?;
    for trial in test.survivors() {
        let (section, id) = (&trial.mutant.defect.section, &trial.mutant.defect.id);
        let check = trial.mutant.check();
        writeln!(out, "| {section} | `{id}` | {} | {check} |", survived(trial))?;
    }
    writeln!(out, "\n### Equivalent mutants\n\n| class | mutants | reason |\n|---|---|---|")?;
    for (class, it) in &test.equivalent {
        writeln!(out, "| {} | {} | {} |", class.replace('_', " "), it.mutants, it.reason)?;
    }
    writeln!(out)
}

fn score_row(out: &mut String, group: &str, score: &MutationScore) -> std::fmt::Result {
    let [killed, deployed] = TrialColumn::ALL.map(|column| score.percent(column));
    writeln!(out, "| {group} | {} | {killed} | {deployed} |", score.tried)
}

fn survived(trial: &MutantTrial) -> &'static str {
    match (trial.is_killed(TrialColumn::ControlPlane), trial.is_killed(TrialColumn::Deployment)) {
        (false, false) => "in both columns",
        (false, true) => "with the control plane",
        (true, _) => "as a deployment",
    }
}

fn names(all: &[String]) -> String {
    let shown: Vec<String> = all.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    match all.len().checked_sub(NAMED_MAX) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}
