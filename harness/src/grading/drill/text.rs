//! A certificate as text.

use moot_fixtures::conduct::DrillEnd;

use super::certificate::{Certificate, Grade};
use crate::exchange::escape;
use crate::grading::conduct::text::findings;
use crate::report::terminal::{Table, paint};
use crate::verdict::Verdict;

/// Renders the drills, the waivers and the grade.
pub fn render(certificate: &Certificate) -> String {
    let mut table = Table::new(2);
    for drill in &certificate.drills {
        table.row([
            paint::verdict(verdict(drill.end), drill.end.shown()),
            paint::name(drill.drill.as_str()),
            escape::line(&drill.why),
        ]);
    }
    let mut out = table.render();
    for drill in certificate.drills.iter().filter(|it| !it.findings.is_empty()) {
        out.push_str(&format!("\n{}\n", paint::bold(&drill.drill)));
        out.push_str(&findings(&drill.findings));
    }
    for used in &certificate.waivers {
        let line = used.fault.clone().unwrap_or_else(|| {
            let waiver = &used.waiver;
            format!("waived: {} ({}, {})", waiver.drill, waiver.reason, waiver.owner)
        });
        out.push_str(&format!("  {}\n", escape::line(&line)));
    }
    let verdict = match certificate.grade {
        Grade::Ready => Verdict::Pass,
        Grade::ReadyWithRemarks | Grade::Inconclusive => Verdict::Warn,
        Grade::NotReady => Verdict::Fail,
    };
    out.push_str(&format!("\n{}\n", paint::verdict(verdict, certificate.grade.shown())));
    for reason in &certificate.reasons {
        out.push_str(&format!("  {}\n", escape::line(reason)));
    }
    if !certificate.client.control.is_empty() {
        let control: Vec<&str> = certificate.client.control.iter().map(String::as_str).collect();
        out.push_str(&format!("  calls of the control plane: {}\n", control.join(", ")));
    }
    if !certificate.defects.is_empty() {
        out.push_str(&format!("  defects of the mock: {}\n", certificate.defects.join(", ")));
    }
    out.push_str(&format!("  seed {}\n", certificate.seed));
    out
}

/// The colour of an end.
pub fn verdict(end: DrillEnd) -> Verdict {
    match end {
        DrillEnd::Held => Verdict::Pass,
        DrillEnd::Failed => Verdict::Fail,
        DrillEnd::NotReached | DrillEnd::Disturbed => Verdict::Warn,
        DrillEnd::NotObservable | DrillEnd::NotApplicable => Verdict::NotApplicable,
    }
}
