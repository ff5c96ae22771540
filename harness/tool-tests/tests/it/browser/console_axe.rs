//! Every view of the console breaks no rule of axe-core.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::driver::Browser;
use super::filled::{FilledMock, open_view};

/// `.ci/setup` fetches it there.
const AXE: &str = "axe-core-4.14.1.js";

const JUDGED: &str = "
return axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map((one) =>
  `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`));";

/// The text of axe-core, which is neither in the repository nor in the binary.
#[track_caller]
pub(super) fn axe() -> String {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let folder = variable("MOOT_AXE_FOLDER").or_else(|| Some(cache?.join("moot-tests")));
    let file = folder.expect("a home folder").join(AXE);
    fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!(
            "this test needs axe-core: {}: {error}. Run `.ci/setup`, which fetches it",
            file.display()
        )
    })
}

/// Fails if a page of this browser breaks a rule of axe-core.
#[track_caller]
pub(super) fn check(browser: &Browser, axe: &str, what: &str) {
    if browser.run("return typeof axe") != "object" {
        browser.run(axe);
    }
    // During a change of the theme, colours have wrong values.
    browser.wait("!document.getAnimations().some((one) => one instanceof CSSTransition)");
    assert_eq!(browser.run(JUDGED), json!([]), "{what}");
}

#[test]
fn no_view_breaks_a_rule_of_axe() {
    let (browser, filled, axe) = (Browser::start(), FilledMock::start(), axe());
    // Contrast does not depend on the width, so each theme and each width is tested once.
    for (theme, width) in [("light", 400), ("dark", 1280)] {
        browser.theme(theme);
        browser.size(width, 860);
        for place in filled.addresses() {
            open_view(&browser, &filled.mock, &place);
            check(&browser, &axe, &format!("{place}, {theme}, {width}"));
        }
        browser.press("?");
        browser.wait("document.querySelector('#keys').open");
        check(&browser, &axe, &format!("keys, {theme}, {width}"));
    }
}

/// A page with mistakes has violations: the check can fail.
#[test]
fn axe_finds_mistakes() {
    let (browser, axe) = (Browser::start(), axe());
    browser.open("data:text/html,<title>x</title><img src=x><button></button><input>");
    browser.run(&axe);
    let found: Value = browser.run(JUDGED);
    let found = found.as_array().expect("violations").len();
    assert!(found >= 3, "{found}");
}
