//! A self-test on a deployment, as text for a terminal.

use super::on_target::{CheckOnTarget, DefectFate, DefectOnTarget, TargetSelftest};
use super::text::TextPage;
use crate::report::terminal::Detail;
use crate::report::terminal::paint::{Paint, left, width};
use crate::verdict::{Verdict, counted};

/// The report. `Detail::Verbose` shows every line.
pub fn on_target_text(found: &TargetSelftest, paint: Paint, detail: Detail) -> String {
    let mut page = TextPage { out: String::new(), paint, detail };
    page.head(
        true,
        &format!(
            "{}: {}, a run without defects exits with {}",
            found.base_url,
            counted(found.requests_sent, "request"),
            found.run_exit_code
        ),
    );
    let caught = found.of_fate(DefectFate::Caught).len();
    let said =
        format!("defects in its recorded answers: {caught} of {} caught", found.defects.len());
    page.head(caught > 0, &said);
    let fates = [
        (DefectFate::Unchanged, "change no recorded answer"),
        (DefectFate::NotJudged, "break requirements that were not judged, or do not pass"),
        (DefectFate::NotShown, "do not show in edited answers alone"),
    ];
    for (fate, said) in fates {
        let laid = found.of_fate(fate);
        if !laid.is_empty() {
            page.head(true, &format!("{} {said}", laid.len()));
            let line = |it: &&DefectOnTarget| {
                format!("{} ({})", it.defect.id, it.defect.breaks.join(", "))
            };
            page.lines(laid.iter().map(line).collect());
        }
    }
    checks(&mut page, found);
    let (verdict, said) = match found.exit_code() {
        0 => (Verdict::Pass, "alive: these checks fail when an answer of this deployment is wrong"),
        _ => (Verdict::NotRun, "not proven: no check is alive on this deployment"),
    };
    page.out.push_str(&format!("\n{}\n", paint.verdict(verdict, said)));
    page.out
}

fn checks(page: &mut TextPage, found: &TargetSelftest) {
    let alive: Vec<&CheckOnTarget> = found.checks.iter().filter(|it| it.is_alive()).collect();
    let passing = found.checks.iter().filter(|it| it.verdict == Verdict::Pass).count();
    let said = format!("checks that are alive: {} of {passing} that pass", alive.len());
    page.head(!alive.is_empty(), &said);
    let wide = width(alive.iter().map(|it| it.row.requirement.as_str()));
    let line = |it: &&CheckOnTarget| {
        format!("{} {}", left(&it.row.requirement, wide), it.row.killed_by.join(", "))
    };
    page.lines(alive.iter().map(line).collect());
}
