//! The HTML report in a real browser: it counts rows, filters them, logs nothing and loads nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{moot, program};

/// Browsers that can run without a screen.
pub(super) const BROWSERS: [&[&str]; 4] = [
    &["chromium", "--version"],
    &["chromium-browser", "--version"],
    &["google-chrome", "--version"],
    &["chrome", "--version"],
];

/// A mock that breaks a requirement, judged by a few scenarios, so that the page has failures.
const REPORT: &str =
    "moot run --target \"$MOOT_BASE_URL\" 04_02_list_workflows --report html=page.html";

/// The page after its scripts have run, and what the browser wrote to stderr.
fn opened(browser: &str, dir: &Path, query: &str) -> (String, String) {
    let page = format!("file://{}/page.html{query}", dir.display());
    let profile = format!("--user-data-dir={}", dir.join("profile").display());
    let mut command = Command::new(browser);
    // A root user has no sandbox. Virtual time passes at once. No name is resolved.
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]);
    command.args(["--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", &profile]);
    let output = command.args(["--dump-dom", &page]).output().expect("the browser runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

/// The number of rows that can be filtered, and how many of them are hidden.
fn rows(dom: &str) -> (usize, usize) {
    let rows = dom.split('<').filter(|tag| {
        ["details ", "tr "].iter().any(|name| tag.starts_with(name)) && tag.contains("data-text=")
    });
    let head = |tag: &str| tag.split('>').next().unwrap_or_default().to_owned();
    let hidden = rows.clone().filter(|tag| head(tag).contains(" hidden")).count();
    (rows.count(), hidden)
}

#[test]
fn the_page_works_in_a_browser() {
    let browser = program(&BROWSERS, "chromium");
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["exec", "--seed", "1", "--defect", "workflows.status-203", "--", "sh", "-c"];
    let output = moot(&[arguments.as_slice(), &[REPORT]].concat(), dir.path());
    assert_eq!(output.code, Some(1), "{}{}", output.stdout, output.stderr);
    let page = fs::read_to_string(dir.path().join("page.html")).expect("the report was written");
    for (pattern, why) in [("src=", "loads"), ("url(", "loads"), ("href=\"http", "leads away")] {
        assert!(!page.contains(pattern), "the page {why}: {pattern}");
    }
    let (dom, said) = opened(browser, dir.path(), "");
    assert!(dom.contains("Conformance to the Legal Request Service API"), "{said}");
    let (all, hidden) = rows(&dom);
    assert_eq!((all, hidden), (page.matches("data-text=").count(), 0));
    // What the console says is logged with this word.
    assert!(!said.contains("CONSOLE"), "{said}");

    let (filtered, said) = opened(browser, dir.path(), "?verdict=fail");
    let (same, hidden) = rows(&filtered);
    assert_eq!(same, all);
    let failed = page.matches("data-verdict=\"fail\"").count();
    assert!(failed > 0);
    assert_eq!(all - hidden, failed, "only what failed is shown");
    assert!(filtered.contains(&format!("{failed} of {all} rows")), "it says so");
    assert!(!said.contains("CONSOLE"), "{said}");

    let (nothing, _) = opened(browser, dir.path(), "?words=no-such-word-anywhere");
    assert_eq!(rows(&nothing), (all, all));
}
