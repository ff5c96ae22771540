//! `KIND=FILE`: which report is written, and where to.

use crate::report::Format;

pub(super) fn compare_report(text: &str) -> Result<ReportRequest, String> {
    let request = report_request(text)?;
    match request.format {
        Format::Text | Format::Json | Format::Html => Ok(request),
        Format::Junit | Format::Markdown | Format::Ndjson => Err(format!(
            "a comparison is reported as text, json or html, not as {}",
            request.format
        )),
    }
}

/// `KIND=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) struct ReportRequest {
    pub(in crate::command) format: Format,
    /// `-` is stdout.
    pub(in crate::command) file: String,
}

pub(super) fn report_request(text: &str) -> Result<ReportRequest, String> {
    let (kind, file) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is no KIND=FILE, such as `html=report.html`"))?;
    if file.is_empty() {
        return Err("the file is missing; `-` is stdout".to_owned());
    }
    Ok(ReportRequest { format: kind.parse()?, file: file.to_owned() })
}

/// `KIND=FILE` of what there is of an account: text or json.
pub(super) fn account_request(text: &str) -> Result<ReportRequest, String> {
    let request = report_request(text)?;
    match request.format {
        Format::Text | Format::Json => Ok(request),
        Format::Junit | Format::Html | Format::Markdown | Format::Ndjson => {
            Err("what a client did is told as text or json".to_owned())
        }
    }
}

/// `KIND=FILE` of a self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) struct SelftestReport {
    pub(in crate::command) kind: SelftestKind,
    pub(in crate::command) file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum SelftestKind {
    Json,
    Html,
    Markdown,
}

pub(super) fn selftest_report(text: &str) -> Result<SelftestReport, String> {
    let (kind, file) = text.split_once('=').unwrap_or((text, ""));
    let kind = match kind {
        "json" => SelftestKind::Json,
        "html" => SelftestKind::Html,
        "markdown" => SelftestKind::Markdown,
        other => {
            return Err(format!("`{other}` is no kind: json=FILE, html=FILE or markdown=FILE"));
        }
    };
    if file.is_empty() {
        return Err("the file is missing".to_owned());
    }
    Ok(SelftestReport { kind, file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::report_request;

    #[test]
    fn a_report_is_kind_and_file() {
        for (text, expected) in [
            ("html=a.html", true),
            ("json=-", true),
            ("junit=a=b.xml", true),
            ("html", false),
            ("html=", false),
            ("pdf=a.pdf", false),
        ] {
            assert_eq!(report_request(text).is_ok(), expected, "{text}");
        }
    }
}
