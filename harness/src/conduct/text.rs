//! An account as text for people.

use super::account::{Account, OperationUse, ReceivedError};
use super::habit::Finding;
use crate::report::escape;
use crate::report::text::paint::{Paint, left, right, width};
use crate::verdict::Verdict;

/// Errors told in full; further ones are counted.
const ERRORS_SHOWN_MAX: usize = 20;

/// Operations with their statuses, errors with what would have worked, habits with what to do
/// instead.
pub fn render(account: &Account, paint: Paint) -> String {
    if account.calls == 0 {
        return format!(
            "{} it called nothing: does it read MOOT_BASE_URL?\n",
            paint.verdict(Verdict::Warn, "!")
        );
    }
    let mut out = format!("{}\n", paint.bold(&format!("It made {} calls", account.calls)));
    if account.first_call.is_some_and(|first| first > 1) {
        out.push_str("  what came before them is no longer in the journal, and not told here\n");
    }
    out.push_str(&operations(&account.operations, paint));
    if !account.errors.is_empty() {
        out.push_str(&format!("\n{}\n", paint.bold("Errors it received")));
    }
    for error in account.errors.iter().take(ERRORS_SHOWN_MAX) {
        out.push_str(&one_error(error, paint));
    }
    let more = account.errors.len().saturating_sub(ERRORS_SHOWN_MAX);
    if more > 0 {
        out.push_str(&format!("  and {more} more; `--format json` has all\n"));
    }
    if account.habits.is_empty() {
        out.push_str("\nNothing that a client should not do was seen\n");
        return out;
    }
    out.push_str(&format!("\n{}\n", paint.bold("What a client should not do")));
    account.habits.iter().for_each(|finding| out.push_str(&one_habit(finding, paint)));
    out
}

fn operations(used: &[OperationUse], paint: Paint) -> String {
    let names: Vec<&str> =
        used.iter().map(|one| one.operation.as_deref().unwrap_or("(no operation)")).collect();
    let names_width = width(names.iter().copied());
    let counts: Vec<String> = used.iter().map(|one| one.calls.to_string()).collect();
    let counts_width = width(counts.iter().map(String::as_str));
    let mut out = String::new();
    for ((name, count), one) in names.iter().zip(&counts).zip(used) {
        let statuses: Vec<String> =
            one.statuses.iter().map(|(status, times)| shown(*status, *times, paint)).collect();
        let (name, count) = (left(name, names_width), right(count, counts_width));
        out.push_str(&format!("  {name}  {count}  {}\n", statuses.join(", ")));
    }
    out
}

fn shown(status: u16, times: usize, paint: Paint) -> String {
    let text = if times == 1 { status.to_string() } else { format!("{status} ×{times}") };
    if status < 400 { text } else { paint.verdict(Verdict::Warn, &text) }
}

fn one_error(error: &ReceivedError, paint: Paint) -> String {
    format!(
        "  {} {}, {} (call {})\n      {}\n",
        shown(error.status, error.times, paint),
        escape::line(&error.problem),
        escape::line(&error.call),
        error.first_call,
        escape::line(&error.detail),
    )
}

fn one_habit(finding: &Finding, paint: Paint) -> String {
    format!(
        "  {} {}: {} {}\n      {}\n",
        paint.verdict(Verdict::Warn, "!"),
        finding.habit.as_str(),
        escape::line(&finding.seen),
        paint.dim(&format!("(§{}, call {})", finding.section, finding.first_call)),
        finding.instead,
    )
}
