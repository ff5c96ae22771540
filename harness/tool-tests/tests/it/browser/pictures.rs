//! Pictures for the documentation. Each is taken only after its content was checked. With MOOT_WRITE_PICTURES=1 they
//! are written to `docs/images`, and compressed by `pngquant`.

use std::fs;
use std::process::Command;

use super::driver::Browser;
use super::filled::FilledMock;
use crate::support::{moot, root};

/// The largest picture of the documentation.
const BYTES_MAX: usize = 120 << 10;
/// An empty picture is smaller.
const BYTES_MIN: usize = 8 << 10;
const COLOURS: &str = "64";

/// Takes a picture of the window, and writes it if requested. The picture in the documentation must be small.
#[track_caller]
fn take(browser: &Browser, name: &str) {
    let picture = browser.picture();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > BYTES_MIN, "{name} shows something");
    let file = root().join("docs/images").join(name);
    if std::env::var_os("MOOT_WRITE_PICTURES").is_some() {
        fs::create_dir_all(root().join("docs/images")).expect("a folder");
        fs::write(&file, picture).expect("it can be written");
        let ended = Command::new("pngquant")
            .args(["--force", "--strip", "--ext", ".png", COLOURS])
            .arg(&file)
            .status()
            .expect("writing pictures needs pngquant: apt-get install pngquant");
        assert!(ended.success(), "pngquant failed");
    }
    let length = fs::read(&file).expect("the docs have the picture").len();
    assert!(length <= BYTES_MAX, "{name} has {length} bytes, of {BYTES_MAX} at most");
}

#[test]
fn the_console_for_the_docs() {
    let (browser, filled) = (Browser::start(), FilledMock::start());
    browser.size(1180, 720);
    browser.open(&filled.mock.page("#/calls"));
    browser.wait_text("#connection", "live");
    browser.wait("document.querySelectorAll('tbody tr').length >= 9");
    for word in ["create_legal_request", "request_not_found", "armed fault", "invalid_token"] {
        browser.wait_text("tbody", word);
    }
    take(&browser, "console-calls.png");
    browser.open(&filled.mock.page(&format!("#/calls/{}", filled.refused)));
    browser.wait_text(".detail", "refused by: existence");
    browser.wait_text(".detail", "§4.7");
    take(&browser, "console-refused.png");
}

#[test]
fn a_report_for_the_docs() {
    let dir = tempfile::tempdir().expect("a folder");
    let report = "moot run --target \"$MOOT_BASE_URL\" 04_02_list_workflows 04_03_get_workflow 04_07_get_legal_request \
                  --report html=page.html";
    let options =
        ["exec", "--seed", "1", "--defect", "workflows.status-203", "--", "sh", "-c", report];
    let output = moot(&options, dir.path());
    assert_eq!(output.code, Some(1), "{}{}", output.stdout, output.stderr);
    let browser = Browser::start();
    browser.size(1180, 720);
    browser.open(&format!("file://{}/page.html", dir.path().display()));
    browser.wait_text(".outcome", "non-conformant");
    browser.wait_text(".glance", "of the register judged");
    browser.wait_text(
        "details[open]",
        "Listing workflows was answered with a status that is not documented: 203",
    );
    browser.wait("document.querySelectorAll('.sections .bar').length >= 2");
    take(&browser, "report.png");
}
