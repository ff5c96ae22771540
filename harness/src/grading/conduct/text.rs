//! An account as text.

use moot_fixtures::contract::Severity;

use super::account::{Account, OperationUse, ReceivedError};
use super::finding::ConductFinding;
use super::journal::ControlUse;
use super::relied_questions::ReliedQuestion;
use crate::exchange::escape;
use crate::report::terminal::{Table, paint};
use crate::verdict::{Verdict, pluralize};

/// Errors that are shown. Further errors are only counted.
const ERRORS_SHOWN_MAX: usize = 20;
/// Length limit of an excerpt, in characters.
const EXCERPT_LENGTH_MAX: usize = 200;
/// Length limit of an answer to an open question, in characters.
const ANSWER_LENGTH_MAX: usize = 120;

/// Renders the operations with their statuses, the errors and the findings with their remedies.
pub fn render(account: &Account) -> String {
    if account.calls == 0 {
        return format!(
            "{} it called nothing: does it read MOOT_BASE_URL?\n{}{}",
            paint::verdict(Verdict::Warn, "!"),
            outlived(account),
            control(&account.control)
        );
    }
    let of_which = match account.sandboxes {
        0 => String::new(),
        1 => ", some in a sandbox".to_owned(),
        many => format!(", some in {many} sandboxes"),
    };
    let head = format!("It made {}{of_which}", pluralize(account.calls, "call"));
    let mut out = format!("{}\n", paint::bold(&head));
    if account.forgotten > 0 {
        out.push_str(&format!(
            "  without {} that the journal no longer holds\n",
            pluralize(account.forgotten, "earlier call")
        ));
    }
    out.push_str(&outlived(account));
    out.push_str(&operations(&account.operations));
    if !account.errors.is_empty() {
        out.push_str(&format!("\n{}\n", paint::bold("Errors it received")));
    }
    for error in account.errors.iter().take(ERRORS_SHOWN_MAX) {
        out.push_str(&one_error(error));
    }
    let more = account.errors.len().saturating_sub(ERRORS_SHOWN_MAX);
    if more > 0 {
        out.push_str(&format!("  and {more} more; `--format json` has all\n"));
    }
    out.push('\n');
    out.push_str(&outcome(account));
    out.push_str(&relied(&account.relies_on));
    out.push_str(&control(&account.control));
    out
}

/// Only the findings, with their remedies.
pub fn outcome(account: &Account) -> String {
    if account.findings.is_empty() {
        return format!("{}\n", account.without_findings());
    }
    format!("{}\n{}", paint::bold("Broken rules of conduct"), findings(&account.findings))
}

fn outlived(account: &Account) -> String {
    if !account.outlived {
        return String::new();
    }
    let sign = paint::verdict(Verdict::Warn, "!");
    format!(
        "{sign} processes that it started are still running: their later calls are missing here\n"
    )
}

fn control(uses: &[ControlUse]) -> String {
    if uses.is_empty() {
        return String::new();
    }
    let rows = uses.iter().map(|it| format!("  {}\n", it.shown()));
    let head = "Calls of the control plane, which only the mock has";
    format!("\n{}\n{}", paint::bold(head), rows.collect::<String>())
}

fn operations(used: &[OperationUse]) -> String {
    let mut table = Table::with_numbers(2, 1..2);
    for one in used {
        let name = one.operation.as_deref().unwrap_or("(no operation)");
        let statuses: Vec<String> =
            one.statuses.iter().map(|(status, times)| shown(*status, *times)).collect();
        table.row([name.to_owned(), one.calls.to_string(), statuses.join(", ")]);
    }
    table.render()
}

fn shown(status: u16, times: usize) -> String {
    let text = if times == 1 { status.to_string() } else { format!("{status} ×{times}") };
    if status < 400 { text } else { paint::verdict(Verdict::Warn, &text) }
}

fn one_error(error: &ReceivedError) -> String {
    format!(
        "  {} {}, {} ({})\n      {}\n",
        shown(error.status, error.times),
        escape::line(&error.problem),
        escape::line(&error.call),
        place(Some(error.first_call), error.sandbox.as_deref(), 1),
        escape::line(&error.detail),
    )
}

fn relied(questions: &[ReliedQuestion]) -> String {
    if questions.is_empty() {
        return String::new();
    }
    let head = "Open questions of the specification that its calls touch";
    let mut out = format!("\n{}\n", paint::bold(head));
    for it in questions {
        out.push_str(&format!(
            "  {} {} {}\n      here {}; allowed: {}\n",
            it.question,
            paint::dim(format!("(§{}, call {})", it.section, it.call)),
            it.ask,
            escape::cut(&escape::line(&it.answer.to_string()), ANSWER_LENGTH_MAX),
            escape::cut(&it.allowed, ANSWER_LENGTH_MAX),
        ));
    }
    out
}

/// Each finding with its place, the remedy, and a command that sends the first call again.
pub fn findings(all: &[ConductFinding]) -> String {
    all.iter().map(one_finding).collect()
}

fn one_finding(finding: &ConductFinding) -> String {
    let excerpt = finding.excerpt.as_deref().map(|it| {
        let it = escape::cut(&escape::line(it), EXCERPT_LENGTH_MAX);
        format!("      {}\n", paint::dim(&it))
    });
    format!(
        "  {} {}: {} {}\n      {}\n{}",
        paint::verdict(verdict(finding.severity), finding.severity.as_str()),
        finding.rule,
        escape::line(&finding.seen),
        paint::dim(format!(
            "({}, {})",
            finding.clause,
            place(finding.calls.first().copied(), finding.sandbox.as_deref(), finding.worlds)
        )),
        finding.instead,
        excerpt.unwrap_or_default(),
    )
}

/// The colour of a severity.
const fn verdict(severity: Severity) -> Verdict {
    match severity {
        Severity::Must => Verdict::Fail,
        Severity::Should => Verdict::Warn,
        Severity::Hint => Verdict::Observed,
    }
}

/// The place of the first call, and the number of other worlds.
fn place(first_call: Option<u64>, sandbox: Option<&str>, worlds: usize) -> String {
    let mut place = match first_call {
        Some(serial) => format!("call {serial}"),
        None => "between calls".to_owned(),
    };
    if let Some(sandbox) = sandbox {
        place.push_str(&format!(" in sandbox {}", escape::line(sandbox)));
    }
    if worlds > 1 {
        place.push_str(&format!(", and in {} more", worlds - 1));
    }
    place
}
