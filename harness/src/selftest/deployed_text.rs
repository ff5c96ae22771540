//! A self-test on a deployment, for people.

use super::deployed::{Deployed, Fate, Judged, Laid};
use super::text::Page;
use crate::terminal::Detail;
use crate::terminal::paint::{Paint, left, width};
use crate::verdict::Verdict;

/// The report; `Detail::Verbose` shows every line.
pub fn deployed_text(found: &Deployed, paint: Paint, detail: Detail) -> String {
    let mut page = Page { out: String::new(), paint, detail };
    page.head(
        true,
        &format!(
            "{}: {} requests, a run without defects ends with {}",
            found.base_url, found.requests_sent, found.run_exit_code
        ),
    );
    let caught = found.of_fate(Fate::Caught).len();
    let said = format!("defects laid over its answers: {caught} of {} caught", found.defects.len());
    page.head(caught > 0, &said);
    let fates = [
        (Fate::Unchanged, "change nothing of what it answered"),
        (Fate::NotJudged, "break what could not be judged there, or does not pass there"),
        (Fate::NotShown, "are not shown by a rewritten answer alone"),
    ];
    for (fate, said) in fates {
        let laid = found.of_fate(fate);
        if !laid.is_empty() {
            page.head(true, &format!("{} {said}", laid.len()));
            let line = |it: &&Laid| format!("{} ({})", it.defect.id, it.defect.breaks.join(", "));
            page.lines(laid.iter().map(line).collect());
        }
    }
    checks(&mut page, found);
    let (verdict, said) = match found.exit_code() {
        0 => (Verdict::Pass, "alive: these checks fail as soon as this deployment errs"),
        _ => (Verdict::NotRun, "nothing shown: no check proved alive on this deployment"),
    };
    page.out.push_str(&format!("\n{}\n", paint.verdict(verdict, said)));
    page.out
}

fn checks(page: &mut Page, found: &Deployed) {
    let alive: Vec<&Judged> = found.checks.iter().filter(|it| it.is_alive()).collect();
    let passing = found.checks.iter().filter(|it| it.verdict == Verdict::Pass).count();
    let said = format!("checks that prove alive there: {} of {passing} that pass", alive.len());
    page.head(!alive.is_empty(), &said);
    let wide = width(alive.iter().map(|it| it.row.requirement.as_str()));
    let line = |it: &&Judged| {
        format!("{} {}", left(&it.row.requirement, wide), it.row.killed_by.join(", "))
    };
    page.lines(alive.iter().map(line).collect());
}
