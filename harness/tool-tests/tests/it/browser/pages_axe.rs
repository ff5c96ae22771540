//! Every page that a command writes breaks no rule of axe-core, and fits on a phone.

use std::path::Path;

use serde_json::json;

use super::console_axe::{axe, check};
use super::driver::Browser;
use crate::support::{root, script};

/// Each page that a command writes, with the command.
const PAGES: [(&str, &str); 6] = [
    (
        "a report with failures",
        r#"moot exec --seed 1 --defect workflows.status-203 -- sh -c 'moot run --target "$MOOT_BASE_URL" 04_02_list_workflows 04_07_get_legal_request --report html=page.html'"#,
    ),
    (
        "a report without failures",
        "moot run --quiet --report html=page.html 04_05_create_legal_request 06_events",
    ),
    ("an account of a client", r#"moot exec --seed 1 --report html=page.html -- sh "$CLIENT""#),
    (
        "a certificate",
        r#"moot drill --seed 1 --only limited,broken-json,webhooks-late --report html=page.html -- sh "$CLIENT""#,
    ),
    (
        "a comparison",
        "moot compare mock mock --answers-b random:7 --seed 1 --report html=page.html",
    ),
    (
        "a kill matrix",
        "moot selftest --defect workflows.status-203 --seeds 1 --report html=page.html",
    ),
];

#[test]
fn no_page_of_a_command_breaks_a_rule_of_axe() {
    let (browser, axe) = (Browser::start(), axe());
    let client = root().join("examples/clients/honest.sh").display().to_string();
    for (what, line) in PAGES {
        let dir = tempfile::tempdir().expect("a folder");
        let output = script(&["sh", "-c", line], dir.path(), &[("CLIENT", &client)]);
        let page = dir.path().join("page.html");
        assert!(page.exists(), "{what}: {}{}", output.stdout, output.stderr);
        // Contrast does not depend on the width, so each theme and each width is tested once.
        for (theme, width) in [("light", 400), ("dark", 1280)] {
            browser.theme(theme);
            browser.size(width, 860);
            open(&browser, &page);
            check(&browser, &axe, &format!("{what}, {theme}, {width}"));
            let overflow = browser.run("return document.documentElement.scrollWidth - innerWidth");
            assert!(overflow.as_i64() <= Some(0), "{what} at {width}: {overflow}");
        }
        assert_eq!(browser.complaints(), [""; 0], "{what}");
    }
}

/// Opens a page, and opens everything that is folded.
#[track_caller]
fn open(browser: &Browser, page: &Path) {
    browser.open(&format!("file://{}", page.display()));
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    assert_ne!(browser.run("return document.title"), json!(""));
}
