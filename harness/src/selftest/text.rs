//! A self-test for people.

use super::Outcome;
use super::outcome::UNRELATED_MAX;
use crate::terminal::paint::{Paint, left, width};
use crate::terminal::{Detail, escape};
use crate::verdict::Verdict;

/// Lines of one kind before the rest is only counted, unless all is asked for.
const LINES_MAX: usize = 20;

/// The report; `Detail::Verbose` shows the whole matrix and every line.
pub fn text(outcome: &Outcome, paint: Paint, detail: Detail) -> String {
    let mut page = Page { out: String::new(), paint, detail };
    defects(&mut page, outcome);
    matrix(&mut page, outcome);
    latitude(&mut page, outcome);
    degenerate(&mut page, outcome);
    let (verdict, said) = match outcome.is_proven() {
        true => (Verdict::Pass, "proven: every defect is caught, and nothing sound fails"),
        false => (Verdict::Fail, "not proven: what is wrong stands above"),
    };
    page.out.push_str(&format!("\n{}\n", paint.verdict(verdict, said)));
    page.out
}

/// A report that is being written.
pub(super) struct Page {
    pub(super) out: String,
    pub(super) paint: Paint,
    pub(super) detail: Detail,
}

impl Page {
    /// A line that is good or bad.
    pub(super) fn head(&mut self, is_good: bool, said: &str) {
        let (verdict, word) = if is_good { (Verdict::Pass, "ok ") } else { (Verdict::Fail, "BAD") };
        self.out.push_str(&format!("{} {said}\n", self.paint.verdict(verdict, word)));
    }

    /// Lines below it; the first ones, unless all are asked for.
    pub(super) fn lines(&mut self, lines: Vec<String>) {
        let shown = if self.detail == Detail::Verbose { lines.len() } else { LINES_MAX };
        for line in lines.iter().take(shown) {
            self.out.push_str(&format!("      {}\n", escape::line(line)));
        }
        if let Some(rest) = lines.len().checked_sub(shown).filter(|rest| *rest > 0) {
            self.out.push_str(&format!("      and {rest} more (-v shows them)\n"));
        }
    }
}

fn defects(page: &mut Page, outcome: &Outcome) {
    let (all, survivors) = (outcome.defects.len(), outcome.survivors());
    let caught = all - survivors.len();
    page.head(survivors.is_empty(), &format!("defects: {caught} of {all} caught"));
    page.lines(
        survivors
            .iter()
            .map(|it| {
                let said: Vec<String> =
                    it.said.iter().map(|(id, said)| format!("{id} {said}")).collect();
                format!("survived: {} ({}): {}", it.defect.id, it.defect.what, said.join("; "))
            })
            .collect(),
    );
    let median = outcome.median_unrelated();
    let how = if outcome.is_thorough { "all scenarios" } else { "their own and a sample" };
    page.head(
        median <= UNRELATED_MAX,
        &format!("unrelated rows that fail: median {median} ({how})"),
    );
    let noisy = outcome.defects.iter().filter(|it| it.unrelated.len() > UNRELATED_MAX);
    page.lines(noisy.map(|it| format!("{}: {}", it.defect.id, it.unrelated.join(", "))).collect());
}

fn matrix(page: &mut Page, outcome: &Outcome) {
    let gating = outcome.matrix.iter().filter(|row| row.is_gating).count();
    let unproven = outcome.unproven();
    let proven = gating - unproven.len();
    let said = format!("gating rows killed: {proven} of {gating}");
    if outcome.is_whole {
        page.head(unproven.is_empty(), &said);
        page.lines(unproven.iter().map(|row| format!("no killer: {}", row.requirement)).collect());
    } else {
        page.head(true, &format!("{said} (only chosen defects were tried: not judged)"));
    }
    if page.detail == Detail::Verbose {
        let wide = width(outcome.matrix.iter().map(|row| row.requirement.as_str()));
        let line = |row: &super::matrix::Row| {
            format!("{} {}", left(&row.requirement, wide), row.killed_by.join(", "))
        };
        page.lines(outcome.matrix.iter().map(line).collect());
    }
}

fn latitude(page: &mut Page, outcome: &Outcome) {
    let fails: Vec<String> = outcome
        .drawn()
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
        "latitude: {} false fails over {} seeds, and {} times one question alone",
        fails.len(),
        outcome.latitude.len(),
        outcome.alone.len()
    );
    page.head(fails.is_empty(), &said);
    page.lines(fails);
    let differing: Vec<String> = outcome
        .drawn()
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
        "observed answers that are not the drawn ones: {} (of {} questions the answer can be seen)",
        differing.len(),
        outcome.seen().len()
    );
    page.head(differing.is_empty(), &said);
    page.lines(differing);
}

fn degenerate(page: &mut Page, outcome: &Outcome) {
    let all = &outcome.degenerate;
    let refused = all.iter().filter(|it| it.is_refused()).count();
    let said = format!("targets that are no service: {refused} of {} refused", all.len());
    page.head(refused == all.len(), &said);
    let wide = width(all.iter().map(|it| it.name));
    page.lines(
        all.iter()
            .map(|it| format!("{} exit {} {}", left(it.name, wide), it.exit_code, it.said))
            .collect(),
    );
}
