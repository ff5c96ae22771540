//! The HTML report in a real browser. It counts and filters rows, logs nothing and loads nothing, and its filter bar
//! covers no content.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{moot, program};

/// Browsers with a headless mode.
pub(super) const BROWSERS: [&[&str]; 4] = [
    &["chromium", "--version"],
    &["chromium-browser", "--version"],
    &["google-chrome", "--version"],
    &["chrome", "--version"],
];

/// A run with a few scenarios on a mock with a defect, so that the page has failures.
const REPORT: &str =
    "moot run --target \"$MOOT_BASE_URL\" 04_02_list_workflows --report html=page.html";

/// Follows each link to an exchange, and writes into the page which of them the filter bar covers.
const PROBE: &str = "<script>
const bar = document.querySelector('.filter');
const below = [...document.querySelectorAll('[id^=x]')].filter((element) => {
  location.hash = element.id;
  reveal();
  return element.getBoundingClientRect().top < bar.getBoundingClientRect().bottom;
});
document.body.dataset.below = below.map((element) => element.id).join(' ') || 'nothing';
</script>";

/// Width and height of windows: a screen, a phone, and a phone in landscape mode.
const WINDOWS: [&str; 3] = ["1200,800", "500,900", "1200,400"];

/// A page after its scripts have run, and the stderr of the browser.
fn opened(browser: &str, dir: &Path, page: &str, window: &str) -> (String, String) {
    let page = format!("file://{}/{page}", dir.display());
    let profile = format!("--user-data-dir={}", dir.join("profile").display());
    let mut command = Command::new(browser);
    // Chromium has no sandbox for root. Timers run without waiting. Host names are not resolved.
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]);
    command.args(["--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", &profile]);
    command.arg(format!("--window-size={window}"));
    let output = command.args(["--dump-dom", &page]).output().expect("the browser runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

/// The number of rows with a filter, and the number of hidden ones.
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
    let (dom, said) = opened(browser, dir.path(), "page.html", WINDOWS[0]);
    assert!(dom.contains("Conformance to the Legal Request Service API"), "{said}");
    let (all, hidden) = rows(&dom);
    assert_eq!((all, hidden), (page.matches("data-text=").count(), 0));
    // Messages of the JavaScript console have this word.
    assert!(!said.contains("CONSOLE"), "{said}");

    let (filtered, said) = opened(browser, dir.path(), "page.html?verdict=fail", WINDOWS[0]);
    let (same, hidden) = rows(&filtered);
    assert_eq!(same, all);
    let failed = page.matches("data-verdict=\"fail\"").count();
    assert!(failed > 0);
    assert_eq!(all - hidden, failed, "only what failed is shown");
    assert!(filtered.contains(&format!("{failed} of {all} rows")), "it says so");
    assert!(!said.contains("CONSOLE"), "{said}");

    let (nothing, _) =
        opened(browser, dir.path(), "page.html?words=no-such-word-anywhere", WINDOWS[0]);
    assert_eq!(rows(&nothing), (all, all));

    // The filter bar stays at the top and covers no target of a link. The page itself runs no other script.
    let probe = format!("{}{PROBE}", page.replace("Content-Security-Policy", "X-None"));
    fs::write(dir.path().join("probe.html"), probe).expect("writable");
    for window in WINDOWS {
        let (dom, said) = opened(browser, dir.path(), "probe.html", window);
        assert!(dom.contains("data-below=\"nothing\""), "{window}: {said}");
    }
}
