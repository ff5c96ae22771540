//! The findings of the text report: a block for each. A block has the place of the first check, expected and actual
//! values, the clause, the exchange, the command that repeats it, and the other places.

use crate::exchange::escape;
use crate::report::exchange::ExchangeRow;
use crate::report::terminal::{Detail, add_field, add_section, paint};
use crate::report::{Finding, Report};
use crate::verdict::result::CheckResult;

/// The most blocks. Each further finding gets one line.
const BLOCKS_MAX: usize = 40;

/// The most characters and lines of an expected or actual value, and of a body.
const VALUE_CHARACTERS_MAX: usize = 2_000;
const VALUE_LINES_MAX: usize = 30;
const BODY_LINES_MAX: usize = 14;
const BODY_CHARACTERS_MAX: usize = 1_200;

/// The most exchanges that are shown before the one that was judged, and after it.
const SHOWN_BESIDE_MAX: usize = 10;

/// The headers of a response that are shown. Other reports show all.
const HEADERS_SHOWN: [&str; 7] = [
    "content-type",
    "content-encoding",
    "www-authenticate",
    "allow",
    "location",
    "retry-after",
    "content-length",
];

/// Adds all findings that are more than a warning.
pub(super) fn failures(out: &mut String, report: &Report, detail: Detail) {
    let bad: Vec<&Finding> = report.findings.iter().filter(|finding| finding.is_bad()).collect();
    for finding in bad.iter().take(BLOCKS_MAX) {
        block(out, report, finding, detail);
    }
    for finding in bad.iter().skip(BLOCKS_MAX) {
        one_line(out, report, finding);
    }
    if bad.len() > BLOCKS_MAX {
        out.push('\n');
    }
}

/// Adds a line for each warning; with `-v` a block.
pub(super) fn warnings(out: &mut String, report: &Report, detail: Detail) {
    let warned: Vec<&Finding> =
        report.findings.iter().filter(|finding| !finding.is_bad()).collect();
    match detail {
        Detail::Quiet => {}
        Detail::Normal => {
            let mut lines = String::new();
            warned.iter().for_each(|finding| one_line(&mut lines, report, finding));
            add_section(out, "Warnings", &lines);
        }
        Detail::Verbose => warned.iter().for_each(|finding| block(out, report, finding, detail)),
    }
}

fn one_line(out: &mut String, report: &Report, finding: &Finding) {
    let Some(check) = finding.first(&report.checks) else { return };
    let verdict = finding.verdict;
    out.push_str(&format!(
        "  {} {}: {}{}\n",
        paint::verdict(verdict, verdict.as_str()),
        paint::name(finding.subject.as_str()),
        finding.message,
        paint::bold(finding.times()),
    ));
    let more = match finding.others(&report.checks).len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let place = format!("{} › {}{more}", check.scenario, check.step);
    out.push_str(&format!("       {}\n", paint::dim(&place)));
}

fn block(out: &mut String, report: &Report, finding: &Finding, detail: Detail) {
    let Some(check) = finding.first(&report.checks) else { return };
    let verdict = check.verdict.as_str().to_uppercase();
    out.push_str(&format!(
        "{}  {} {} {}{}\n",
        paint::verdict(check.verdict, &verdict),
        paint::bold(check.scenario.to_string()),
        paint::dim("›"),
        check.step,
        paint::bold(finding.times()),
    ));
    out.push_str(&format!("  {}\n", finding.message));
    let level =
        check.level.map(|level| format!("  {}", paint::dim(level.to_string()))).unwrap_or_default();
    row(out, "case", &finding.title);
    row(out, "check", &format!("{}{level}", paint::name(check.subject.as_str())));
    row(out, "expected", &value(&check.expected));
    row(out, "actual", &actual(check));
    row(out, "pointer", check.pointer.as_deref().unwrap_or_default());
    let sentence = check.sentence().unwrap_or_default();
    row(out, "clause", format!("§{} {sentence}", check.section).trim_end());
    row(out, "remedy", check.remedy().unwrap_or_default());
    row(out, "place", &check.place.as_ref().map(ToString::to_string).unwrap_or_default());
    sequence(out, report, finding, check);
    row(out, "repeat", finding.repeat.as_deref().unwrap_or_default());
    let can_repeat = report.target.class.keeps_addresses();
    if let Some(curl) = check.curl.as_ref().filter(|_| can_repeat) {
        row(out, if finding.repeat.is_some() { "or" } else { "repeat" }, curl);
    }
    elsewhere(out, report, finding, detail);
    out.push('\n');
}

/// Adds the exchange that was judged, and a line for each exchange before and after it.
fn sequence(out: &mut String, report: &Report, finding: &Finding, check: &CheckResult) {
    let judged = check.exchange_number();
    let of_finding =
        || report.exchanges.iter().filter(|row| finding.exchanges.contains(&row.number));
    let lines = |rows: Vec<&ExchangeRow>| {
        let hidden = rows.len().saturating_sub(SHOWN_BESIDE_MAX);
        let mut lines: Vec<String> = rows[hidden..].iter().map(|row| first_line(row)).collect();
        if hidden > 0 {
            lines.insert(0, paint::dim(format!("{hidden} more, see the HTML report")));
        }
        lines.join("\n")
    };
    row(out, "before", &lines(of_finding().filter(|row| Some(row.number) < judged).collect()));
    if let Some(exchange) = report.exchanges.iter().find(|one| Some(one.number) == judged) {
        excerpt(out, exchange);
        let later = of_finding().filter(|row| Some(row.number) > judged);
        row(out, "after", &lines(later.collect()));
    }
}

fn first_line(exchange: &ExchangeRow) -> String {
    let response = exchange.response();
    let duration = paint::dim(format!("({:.1} ms)", exchange.duration_ms));
    format!("{} {} → {response} {duration}", exchange.method, exchange.url)
}

/// Adds the other places of a finding, and the checks that it explains; without `-v` only some.
fn elsewhere(out: &mut String, report: &Report, finding: &Finding, detail: Detail) {
    let some = |lines: Vec<String>| detail.some_of(&lines).join("\n");
    row(out, "also at", &some(finding.others(&report.checks)));
    row(out, "with it", &some(finding.with_it(&report.checks)));
    let snapshot = finding.explained(&report.checks).into_iter().find(|check| check.is_snapshot());
    if let Some(snapshot) = snapshot {
        row(out, " ", &actual(snapshot));
    }
}

/// Adds a name with its value, if there is one.
fn row(out: &mut String, name: &str, value: &str) {
    add_field(out, 9, name, value);
}

fn excerpt(out: &mut String, exchange: &ExchangeRow) {
    row(out, "exchange", &first_line(exchange));
    let mut more = String::new();
    for sent in lines(&exchange.request_body, BODY_LINES_MAX) {
        more.push_str(&format!("{} {sent}\n", paint::dim(">")));
    }
    for (name, value) in &exchange.response_headers {
        if HEADERS_SHOWN.contains(&name.as_str()) {
            more.push_str(&format!("{} {name}: {value}\n", paint::dim("<")));
        }
    }
    for came in lines(&exchange.response_body, BODY_LINES_MAX) {
        more.push_str(&format!("{} {came}\n", paint::dim("<")));
    }
    row(out, "", &more);
}

fn lines(text: &str, max: usize) -> Vec<String> {
    let cut = escape::cut(text, BODY_CHARACTERS_MAX);
    shortened(&cut, max)
}

fn value(text: &str) -> String {
    shortened(&escape::cut(text, VALUE_CHARACTERS_MAX), VALUE_LINES_MAX).join("\n")
}

fn shortened(text: &str, max: usize) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = all.iter().take(max).map(ToString::to_string).collect();
    if all.len() > max {
        shown.push(format!("… ({} more lines)", all.len() - max));
    }
    shown
}

/// The actual value of a check. That of a snapshot that differs is a unified diff.
fn actual(check: &CheckResult) -> String {
    let text = value(&check.actual);
    match check.is_snapshot() && check.mismatch.is_none() {
        true => text.lines().map(paint::diff_line).collect::<Vec<_>>().join("\n"),
        false => text,
    }
}
