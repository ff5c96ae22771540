//! The page in a real browser, where one is installed: it counts, filters, complains of nothing and
//! loads nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use moot_harness::report::text::Options;
use moot_harness::report::{Format, render};
use moot_harness::terminal::Detail;

use crate::report_sample::result;

/// Browsers that can run without a screen.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn browser() -> Option<&'static str> {
    let starts = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    BROWSERS.into_iter().find(|name| starts(name))
}

/// The document as the browser has it once scripts have run, and what it said on stderr.
fn opened(browser: &str, dir: &Path, query: &str) -> (String, String) {
    let page = format!("file://{}/page.html{query}", dir.display());
    let profile = format!("--user-data-dir={}", dir.join("profile").display());
    let mut command = Command::new(browser);
    // Ends after ten virtual seconds, which take none; nothing is resolved.
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]);
    command.args(["--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", &profile]);
    let output = command.args(["--dump-dom", &page]).output().expect("the browser runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

/// Rows that the filter knows, and those of them that it hides.
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
    let Some(browser) = browser() else {
        eprintln!("no headless browser is installed: the page was not opened in one");
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let options = Options { color: false, detail: Detail::Normal };
    let page = render(Format::Html, &result(), &[], options).expect("no secret in it");
    fs::write(dir.path().join("page.html"), &page).expect("writable");
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
