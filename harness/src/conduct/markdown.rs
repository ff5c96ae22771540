//! An account as Markdown.

use super::account::Account;
use crate::terminal::{counted, escape};

/// Renders an account as a page with tables.
pub fn render(account: &Account) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut out = format!("<!-- moot {version} -->\n# Conduct of the client\n\n");
    out.push_str(&format!("{}\n\n", counted(account.calls, "call")));
    if account.findings.is_empty() {
        out.push_str("No rule of conduct was seen broken.\n");
    } else {
        out.push_str("| severity | rule | seen | instead | clause | first call |\n");
        out.push_str("|---|---|---|---|---|---|\n");
    }
    for it in &account.findings {
        let call = it.calls.first().map(u64::to_string).unwrap_or_default();
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {call} |\n",
            it.severity.as_str(),
            it.rule,
            escape::markdown(&it.seen),
            escape::markdown(&it.instead),
            escape::markdown(&it.clause),
        ));
    }
    if !account.relies_on.is_empty() {
        out.push_str("\n## What it relies on that the specification leaves open\n\n");
        out.push_str("| § | question | answer here | others allowed |\n|---|---|---|---|\n");
    }
    for it in &account.relies_on {
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            it.section,
            escape::markdown(&it.ask),
            escape::markdown(&it.answer.to_string()),
            escape::markdown(&it.allowed),
        ));
    }
    if account.outlived {
        out.push_str(
            "\nProcesses that it started were still running: their later calls are missing.\n",
        );
    }
    if !account.control.is_empty() {
        out.push_str("\n## What it used of the control plane\n\n");
    }
    for it in &account.control {
        out.push_str(&format!("- {}\n", it.shown()));
    }
    out
}
