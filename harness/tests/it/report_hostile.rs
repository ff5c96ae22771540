//! Hostile bytes of a server are only text on a terminal, in HTML, XML and Markdown. An echoed secret is masked. A
//! report that still has a secret is not written.

use base64::Engine as _;
use moot_harness::report::terminal::Detail;
use moot_harness::report::{Format, RenderError};
use moot_harness::verdict::Verdict;
use moot_harness::verdict::result::{RunResult, Subject};
use strum::VariantArray as _;

use crate::report_sample::{SECRET, at, check as check_of, exchange, rendered, result};

const DETAIL: Detail = Detail::Verbose;

const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\u{7}\u{202e}\u{200b}\0]]><script>alert(1)</script>\
    <img src=x onerror=alert(2)>'\"&{{ 7*7 }}{% raw %}|`</summary>```\r\n\u{fffe}end";

/// The sample with `text` in all texts that a server can choose.
fn with(text: &str) -> RunResult {
    let mut result = result();
    let exchange = exchange(&result.masks, 7, Ok((500, text)));
    let mut bad = check_of(
        Subject::Requirement("sample.detail-is-text".into()),
        Verdict::Fail,
        text,
        Some(exchange),
    );
    bad.expected = text.to_owned();
    bad.actual = text.to_owned();
    bad.pointer = Some(format!("/{text}"));
    let scenario = &mut result.scenarios[0];
    scenario.not_run = None;
    scenario.steps[0].checks.push(bad);
    result.residue[0].id = Some(text.to_owned());
    result.trouble = Some(text.to_owned());
    if let Some(answer) = result.answers.values_mut().next() {
        answer.answers.push((serde_json::json!({ "k": text }), 1));
    }
    result
}

#[track_caller]
fn check(format: Format, absent: &[&str]) -> String {
    let result = with(HOSTILE);
    let artefact = rendered(format, &result, DETAIL).expect("no secret in it");
    // Our own colours.
    let colours = regex::Regex::new(r"\x1b\[[0-9;]*m").expect("a pattern");
    let artefact = colours.replace_all(&artefact, "").into_owned();
    let hostile =
        |c: &char| (c.is_control() && *c != '\n') || "\u{202e}\u{200b}\u{fffe}".contains(*c);
    let found: Vec<char> = artefact.chars().filter(hostile).filter(|c| *c != '\t').collect();
    assert!(found.is_empty(), "{found:?}");
    for part in absent {
        assert!(!artefact.contains(part), "{part}");
    }
    artefact
}

#[test]
fn a_workflow_sees_one_command_a_line() {
    let result = with("x\n::error::no\r\n::stop-commands::y");
    let lines = rendered(Format::Github, &result, DETAIL).expect("no secret in it");
    let levels = ["::error ", "::warning ", "::notice "];
    for line in lines.lines() {
        assert!(levels.iter().any(|level| line.starts_with(level)), "{line}");
    }
    check(Format::Github, &["\u{1b}", "\r"]);
}

#[test]
fn a_terminal_sees_only_text() {
    check(Format::Text, &["\u{1b}"]);
}

#[test]
fn a_page_runs_nothing() {
    let page = check(Format::Html, &["<script>alert", "<img", "49", "</summary>```"]);
    assert_eq!(page.matches("<script>").count(), 1, "its own");
    assert_eq!(page.matches("</script>").count(), 1);
}

#[test]
fn xml_stays_well_formed() {
    let xml = check(Format::Junit, &["]]>", "<script>"]);
    assert!(quick_junit::Report::deserialize_from_str(&xml).is_ok());
}

#[test]
fn markdown_stays_text() {
    let text = check(Format::Markdown, &[]);
    // Raw markup is allowed only inside a fence.
    let mut fence = None;
    for line in text.lines() {
        match &fence {
            Some(end) if line == end => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => {
                fence = Some(line.trim_end_matches("text").to_owned())
            }
            None => assert!(!line.contains("<script>") && !line.contains("<img"), "{line}"),
        }
    }
    assert_eq!(fence, None, "every fence is closed");
}

#[test]
fn json_keeps_the_true_text() {
    let json = check(Format::Json, &[]);
    let value: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(value["trouble"], HOSTILE);
    for line in check(Format::Ndjson, &[]).lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
}

#[test]
fn a_secret_that_a_server_echoes_is_masked_in_every_form() {
    let encoded = base64::engine::general_purpose::STANDARD.encode(format!("id:{SECRET}"));
    let result = with(&format!("{SECRET} {encoded} {}", SECRET.replace('-', "%2D")));
    for format in Format::VARIANTS.iter().copied() {
        let artefact = rendered(format, &result, DETAIL);
        let artefact = artefact.unwrap_or_else(|error| panic!("{error}"));
        assert!(!artefact.contains("0123456789"), "{format}");
        assert!(artefact.contains("main.client"), "{format}");
    }
}

#[test]
fn a_report_with_a_secret_in_it_is_thrown_away() {
    let mut result = result();
    // A server cannot choose this text, so it is shown unchanged.
    let mut skipped = result.scenarios[1].clone();
    skipped.title = format!("leaks {SECRET}");
    skipped.at = at("05_isolation", 9);
    result.scenarios.push(skipped);
    for format in [Format::Json, Format::Html, Format::Ndjson] {
        let error = rendered(format, &result, DETAIL).expect_err("it holds a secret");
        assert!(matches!(error, RenderError::SecretFound(found) if found == format));
    }
}
