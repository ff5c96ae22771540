//! A self-test as text for a terminal.

use super::degenerate::DegenerateTarget;
use super::deployment_matrix::UnprovenRow;
use super::history::HistoryDifference;
use super::mutants::TrialColumn;
use super::on_target::{DefectFate, DefectOnTarget, TargetSelftest};
use super::outcome::{SelftestOutcome, UNRELATED_MAX};
use super::score::{MutationScore, MutationTest};
use crate::exchange::escape;
use crate::report::terminal::{Detail, Table, paint};
use crate::verdict::{Verdict, pluralize};

/// The number of lines of one kind that are shown without `-v`.
const LINES_MAX: usize = 20;

/// The report. `Detail::Verbose` shows the whole matrix and every line.
pub fn text(outcome: &SelftestOutcome, detail: Detail) -> String {
    let mut page = TextPage { out: String::new(), detail };
    defects(&mut page, outcome);
    mutation(&mut page, &outcome.mutation);
    matrix(&mut page, outcome);
    drawn_services(&mut page, outcome);
    degenerate(&mut page, outcome);
    let (verdict, said) = match outcome.is_proven() {
        true => (Verdict::Pass, "proven: every defect is caught, and no conformant service fails"),
        false => (Verdict::Fail, "not proven: see the lines marked BAD"),
    };
    page.out.push_str(&format!("\n{}\n", paint::verdict(verdict, said)));
    page.out
}

struct TextPage {
    out: String,
    detail: Detail,
}

impl TextPage {
    /// Adds a line that is marked good or bad.
    fn head(&mut self, is_good: bool, said: &str) {
        let (verdict, word) = if is_good { (Verdict::Pass, "ok ") } else { (Verdict::Fail, "BAD") };
        self.out.push_str(&format!("{} {said}\n", paint::verdict(verdict, word)));
    }

    /// Adds a line that is marked good.
    fn good(&mut self, said: &str) {
        self.head(true, said);
    }

    /// Adds a head with the number of these faults, and a line for each.
    fn faults(&mut self, said: &str, faults: Vec<String>) {
        self.head(faults.is_empty(), &format!("{said}: {}", faults.len()));
        self.lines(faults);
    }

    /// Adds indented lines.
    fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        let lines: Vec<String> = lines.into_iter().collect();
        let shown = if self.detail == Detail::Verbose { lines.len() } else { LINES_MAX };
        for line in lines.iter().take(shown) {
            self.out.push_str(&format!("      {}\n", escape::line(line)));
        }
        if let Some(rest) = lines.len().checked_sub(shown).filter(|rest| *rest > 0) {
            self.out.push_str(&format!("      and {rest} more (-v shows them)\n"));
        }
    }

    /// Adds the lines of a table.
    fn rows<const N: usize>(
        &mut self,
        mut table: Table,
        rows: impl IntoIterator<Item = [String; N]>,
    ) {
        for row in rows {
            table.row(row.map(|text| escape::line(&text)));
        }
        self.lines(table.render().lines().map(str::to_owned));
    }
}

fn defects(page: &mut TextPage, outcome: &SelftestOutcome) {
    let (all, survivors) = (outcome.defects.len(), outcome.survivors());
    let caught = all - survivors.len();
    page.head(survivors.is_empty(), &format!("defects: {caught} of {all} caught"));
    page.lines(survivors.iter().map(|it| {
        let said: Vec<String> = it.said.iter().map(|(id, said)| format!("{id} {said}")).collect();
        format!("survived: {} ({}): {}", it.defect.id, it.defect.what, said.join("; "))
    }));
    let median = outcome.median_unrelated();
    let how = if outcome.is_thorough {
        "all scenarios"
    } else {
        "the scenarios of each defect and a sample"
    };
    page.head(
        median <= UNRELATED_MAX,
        &format!("unrelated requirements that fail: median {median} ({how})"),
    );
    let noisy = outcome.defects.iter().filter(|it| it.unrelated.len() > UNRELATED_MAX);
    page.lines(noisy.map(|it| format!("{}: {}", it.defect.id, it.unrelated.join(", "))));
    findings(page, outcome);
}

fn findings(page: &mut TextPage, outcome: &SelftestOutcome) {
    let misfits = outcome.misfits().map(|(defect, it)| {
        let what: &str = it.kind.into();
        format!("{defect}: {} in {}: {what} ({})", it.requirement, it.step, it.message)
    });
    page.faults("findings whose row, place or remedy does not fit", misfits.collect());
    // Without mutants, no scenario runs twice.
    if outcome.mutation.trials.is_empty() {
        return;
    }
    let differences = outcome.history().map(|(defect, it)| {
        let HistoryDifference { requirement, scenario, fresh, used } = it;
        let (fresh, used) = (fresh.as_str(), used.as_str());
        format!("{defect}: {requirement} in {scenario}: {fresh} on a fresh service, {used} on a used one")
    });
    page.faults("verdicts that depend on earlier calls", differences.collect());
}

fn mutation(page: &mut TextPage, test: &MutationTest) {
    if test.trials.is_empty() {
        return;
    }
    let total = test.total();
    let said = format!(
        "mutants: {} of {} drawn with --sample-seed {}; killed: {} with the control plane, {} as a \
         deployment",
        total.tried,
        test.noticeable,
        test.seed,
        total.percent(TrialColumn::ControlPlane),
        total.percent(TrialColumn::Deployment)
    );
    page.head(test.is_proven(), &said);
    page.lines(test.survivors().map(|trial| {
        let (survived, defect) = (trial.survived(), &trial.mutant.defect);
        format!("survived {survived}: {} ({})", defect.id, defect.what)
    }));
    for (title, groups) in [
        ("by operator", test.by_operator()),
        ("by kind of place", test.by_kind()),
        ("by section", test.by_section()),
    ] {
        page.good(&format!("mutants {title}: tried, killed, killed as a deployment"));
        if page.detail == Detail::Verbose {
            page.rows(Table::with_numbers(0, 1..4), groups.into_iter().map(score));
        }
    }
    page.good("mutants that no outside observer can notice");
    let excused = test.equivalent.iter();
    page.lines(
        excused.map(|(class, it)| {
            format!("{} {}: {}", it.mutants, class.replace('_', " "), it.reason)
        }),
    );
}

fn score((name, score): (String, MutationScore)) -> [String; 4] {
    let [killed, deployed] = TrialColumn::ALL.map(|column| score.percent(column));
    [name, score.tried.to_string(), killed, deployed]
}

fn matrix(page: &mut TextPage, outcome: &SelftestOutcome) {
    let gating = outcome.matrix.iter().filter(|row| row.is_gating).count();
    let unproven = outcome.unproven();
    let proven = gating - unproven.len();
    let said = format!("gating requirements killed: {proven} of {gating}");
    if outcome.is_whole {
        page.head(unproven.is_empty(), &said);
        page.lines(unproven.iter().map(|row| format!("noticed no defect: {}", row.requirement)));
    } else {
        page.good(&format!("{said} (only chosen defects were tried: not judged)"));
    }
    if let (true, Some(there)) = (outcome.is_whole, &outcome.unproven_as_deployment) {
        let said = format!("as a deployment: {} of {gating}", gating - there.len());
        page.good(&format!("gating requirements killed {said}"));
        let reason = |it: &UnprovenRow| <&str>::from(it.reason);
        page.lines(there.iter().map(|it| format!("{}: {}", it.requirement, reason(it))));
    }
    if page.detail == Detail::Verbose {
        let rows = outcome.matrix.iter();
        let rows = rows.map(|row| [row.requirement.clone(), row.killed_by.join(", ")]);
        page.rows(Table::new(0), rows);
    }
}

fn drawn_services(page: &mut TextPage, outcome: &SelftestOutcome) {
    let fails: Vec<String> = outcome
        .drawn_services()
        .flat_map(|drawn| {
            drawn.false_fails.iter().map(|it| {
                format!(
                    "{} {} {} / {}: {}",
                    drawn.answers, it.requirement, it.scenario, it.step, it.said
                )
            })
        })
        .collect();
    let said = format!(
        "false fails: {} over {} seeds and {} single questions",
        fails.len(),
        outcome.combined.len(),
        outcome.alone.len()
    );
    page.head(fails.is_empty(), &said);
    page.lines(fails);
    let differing: Vec<String> = outcome
        .drawn_services()
        .flat_map(|drawn| {
            drawn.disagreements.iter().map(|it| {
                format!(
                    "{} {}: drawn {}, observed {}",
                    drawn.answers, it.question, it.drawn, it.observed
                )
            })
        })
        .collect();
    let said = format!(
        "observed answers that are not the drawn ones: {} (the answers to {} questions were observed)",
        differing.len(),
        outcome.observed_questions().len()
    );
    page.head(differing.is_empty(), &said);
    page.lines(differing);
}

fn degenerate(page: &mut TextPage, outcome: &SelftestOutcome) {
    let all = &outcome.degenerate;
    let refused = all.iter().filter(|it| it.is_refused()).count();
    let said = format!("targets that are not the service: {refused} of {} refused", all.len());
    page.head(refused == all.len(), &said);
    let row = |it: &DegenerateTarget| {
        [it.name.clone(), format!("exit {}", it.exit_code), it.said.clone()]
    };
    page.rows(Table::new(0), all.iter().map(row));
}

/// The report of a self-test on a deployment. `Detail::Verbose` shows every line.
pub fn on_target_text(found: &TargetSelftest, detail: Detail) -> String {
    let mut page = TextPage { out: String::new(), detail };
    page.head(
        true,
        &format!(
            "{}: {}, a run without defects exits with {}",
            found.base_url,
            pluralize(found.requests_sent, "request"),
            found.run_exit_code
        ),
    );
    let caught = found.of_fate(DefectFate::Caught).len();
    let said =
        format!("defects in its recorded responses: {caught} of {} caught", found.defects.len());
    page.head(caught > 0, &said);
    let fates = [
        (DefectFate::Unchanged, "change no recorded response"),
        (DefectFate::NotJudged, "break requirements that were not judged, or do not pass"),
        (DefectFate::NotShown, "do not show in edited responses alone"),
    ];
    for (fate, said) in fates {
        let defects = found.of_fate(fate);
        if !defects.is_empty() {
            page.good(&format!("{} {said}", defects.len()));
            let line = |it: &&DefectOnTarget| {
                format!("{} ({})", it.defect.id, it.defect.breaks.join(", "))
            };
            page.lines(defects.iter().map(line));
        }
    }
    alive_checks(&mut page, found);
    let (verdict, said) = match found.exit_code() {
        0 => {
            (Verdict::Pass, "alive: these checks fail when a response of this deployment is wrong")
        }
        _ => (Verdict::NotRun, "not proven: no check is alive on this deployment"),
    };
    page.out.push_str(&format!("\n{}\n", paint::verdict(verdict, said)));
    page.out
}

fn alive_checks(page: &mut TextPage, found: &TargetSelftest) {
    let alive: Vec<_> = found.checks.iter().filter(|it| it.is_alive()).collect();
    let passing = found.checks.iter().filter(|it| it.verdict == Verdict::Pass).count();
    let said = format!("checks that are alive: {} of {passing} that pass", alive.len());
    page.head(!alive.is_empty(), &said);
    let rows = alive.iter().map(|it| [it.row.requirement.clone(), it.row.killed_by.join(", ")]);
    page.rows(Table::new(0), rows);
}
