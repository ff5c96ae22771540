//! The values of a report for the templates of the HTML page and of the Markdown summary.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{Finding, Report, result_json};
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, SnapshotCounts};

/// The values, by their names in the templates.
pub(super) fn values(report: &Report) -> Value {
    let wrong = |finding: &&Finding| finding.is_bad();
    let bad: Vec<&Finding> = report.findings.iter().filter(wrong).collect();
    let warned: Vec<&Finding> = report.findings.iter().filter(|it| !wrong(it)).collect();
    // The first finding of each subject is open on the page.
    let mut subjects = BTreeSet::new();
    let opened: Vec<bool> =
        bad.iter().map(|finding| subjects.insert(finding.subject.as_str())).collect();
    let shown = |all: &[&Finding]| -> Vec<Value> {
        all.iter().map(|finding| finding_values(report, finding)).collect()
    };
    let columns: Vec<_> = report
        .columns()
        .into_iter()
        .map(|v| context! { key => Value::from(Serde(v)), name => v.as_str() })
        .collect();
    let answers: Vec<_> = report
        .answers
        .iter()
        .map(|answer| context! { line => answer.line(), seen => answer.seen_line() })
        .collect();
    // Steps have links only to exchanges on the page.
    let shown_exchanges: BTreeMap<u64, bool> =
        report.exchanges.iter().map(|row| (row.number, true)).collect();
    let shown_exchanges = Value::from(Serde(shown_exchanges));
    context! {
        report => Value::from(Serde(report)),
        shown_exchanges,
        bad => shown(&bad),
        opened,
        warned => shown(&warned),
        columns,
        coverage => coverage(report),
        not_run => report.not_run.iter().map(|row| row.names.len()).sum::<usize>(),
        scenarios => report.scenarios_line(),
        snapshots => report.snapshots.as_ref().map(SnapshotCounts::line),
        answers,
    }
}

/// The number of requirements that the run judged, and of those that can be judged.
fn coverage(report: &Report) -> Value {
    let judged = |verdict: Verdict| !matches!(verdict, Verdict::NotRun | Verdict::NotApplicable);
    let checked = report.requirements.iter().filter(|row| row.verdict.is_some_and(judged)).count();
    let all = report.requirements.iter().filter(|row| row.unverifiable.is_none()).count();
    context! { checked, all, percent => (checked * 100).checked_div(all).unwrap_or_default() }
}

/// A finding with its first check, the other places, and the checks that it explains.
fn finding_values(report: &Report, finding: &Finding) -> Value {
    let place = |check: &&CheckResult| {
        context! {
            name => format!("{} › {}", check.scenario, check.step),
            exchange => check.exchange_number(),
        }
    };
    let checks: Vec<&CheckResult> =
        finding.at.iter().filter_map(|at| report.checks.get(*at)).collect();
    let others: Vec<Value> = checks.iter().skip(1).map(place).collect();
    let explained = finding.explained(&report.checks);
    let difference = explained.iter().find(|check| check.is_snapshot());
    let difference = difference.map(|check| &check.actual);
    let can_repeat = report.target.class.keeps_addresses();
    let first = checks.first().map(|check| {
        let mut row = result_json::check(check);
        if !can_repeat {
            row["curl"].take();
        }
        Value::from(Serde(row))
    });
    context! {
        verdict => Value::from(Serde(finding.verdict)),
        subject => finding.subject.as_str(),
        message => &finding.message,
        times => finding.times(),
        text => format!("{} {}", finding.checks.join(" "), finding.explains.join(" ")),
        section => &finding.section,
        title => &finding.title,
        sequence => sequence(report, finding, checks.first().copied()),
        repeat => &finding.repeat,
        script => finding.script.as_ref().filter(|_| can_repeat),
        first,
        others,
        places => finding.others(&report.checks),
        with_it => finding.with_it(&report.checks),
        difference,
    }
}

/// The exchanges that led to a finding, in order. The one that was judged is marked.
fn sequence(report: &Report, finding: &Finding, first: Option<&CheckResult>) -> Vec<Value> {
    let judged = first.and_then(CheckResult::exchange_number);
    let rows = report.exchanges.iter().filter(|row| finding.exchanges.contains(&row.number));
    rows.map(|row| {
        context! {
            number => row.number,
            line => format!("{} {}", row.method, row.url),
            response => row.response(),
            is_judged => Some(row.number) == judged,
        }
    })
    .collect()
}

/// The text of a serialised verdict: `not run` for `not_run`.
pub(super) fn verdict_text(key: &str) -> String {
    key.replace('_', " ")
}
