//! The console of `moot drill --console`: the progress of drills, and the grade.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::console_axe::{axe, check};
use super::driver::{Browser, http};
use super::filled::FilledMock;
use super::served::Mock;
use crate::support::{binary, root};

/// Drills. The client passes two, and does not reach the third.
const DRILLS: &str = "limited,broken-json,webhooks-late";

/// A running command with a console. It ends when this is dropped.
struct ShownCommand {
    process: Child,
    url: String,
}

impl ShownCommand {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(binary())
            .args(arguments)
            .current_dir(root())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stderr = process.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let url = lines.find_map(|line| {
            let at = line.find("http://")?;
            Some(line[at..].split_whitespace().next()?.to_owned())
        });
        // Later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, url: url.expect("it prints the address of its console") }
    }
}

impl Drop for ShownCommand {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn drills_are_shown_as_they_run_with_their_calls_and_the_grade() {
    let browser = Browser::start();
    let options =
        ["drill", "--console", "--seed", "1", "--progression", "on-read:1", "--only", DRILLS];
    let shown =
        ShownCommand::start(&[&options[..], &["--", "sh", "examples/clients/honest.sh"]].concat());
    browser.open(&shown.url);
    // The page shows each drill from the start.
    browser.wait("document.querySelectorAll('tbody tr').length === 4");
    browser.wait_text("main", "The client is graded");
    browser.wait_text(".grade", "inconclusive");
    browser.wait_text("main", "not all drills were run");
    let row = |drill: &str| {
        let script = format!(
            "return [...document.querySelectorAll('tbody tr')].find((one) => one.querySelector('code').innerText === {})?.innerText",
            json!(drill)
        );
        browser.run(&script).as_str().unwrap_or_default().to_owned()
    };
    for (drill, words) in [
        ("calm", ["held", "calls that were served"]),
        ("limited", ["held", "disturbed"]),
        ("broken-json", ["held", "disturbed"]),
        ("webhooks-late", ["not applicable", "never calls create_webhook"]),
    ] {
        let row = row(drill);
        assert!(words.iter().all(|word| row.contains(word)), "{drill}: {row}");
    }
    // The link leads to the calls of that drill, and one of them was refused.
    browser.run("[...document.querySelectorAll('tbody a')].find((one) => one.hash.includes('drill=limited')).click()");
    browser.wait_text("tbody", "429");
    let all = "[...document.querySelectorAll('tbody tr')].length";
    let counted = browser.run(&format!("return {all}"));
    browser.wait_text("#count", &format!("{counted} calls"));
    check(&browser, &axe(), "calls of a drill");
    for theme in ["light", "dark"] {
        browser.theme(theme);
        browser.open("about:blank");
        browser.open(&shown.url);
        browser.wait_text(".grade", "inconclusive");
        check(&browser, &axe(), theme);
    }
    // One drill is started again. It and the calm run have new calls, the others keep theirs.
    let calls = |drill: &str| {
        let script = format!(
            "return [...document.querySelectorAll('tbody tr')].find((one) => one.querySelector('code').innerText === {})?.querySelector('.calls-of').innerText",
            json!(drill)
        );
        browser.run(&script).as_str().unwrap_or_default().to_owned()
    };
    let (limited, broken) = (calls("limited"), calls("broken-json"));
    browser.run("[...document.querySelectorAll('tbody tr')].find((one) => one.querySelector('code').innerText === 'limited').querySelector('button').click()");
    browser.wait("!document.querySelector('tbody button')");
    browser.wait_text("#strip-command", "drill_run");
    browser.wait_text(".grade", "inconclusive");
    assert!(row("limited").contains("held"), "{}", row("limited"));
    assert_ne!(calls("limited"), limited);
    assert_eq!(calls("broken-json"), broken);
    // All are started again.
    let broken = calls("broken-json");
    browser.click(".buttons button");
    browser.wait("!document.querySelector('tbody button')");
    browser.wait_text(".grade", "inconclusive");
    assert_ne!(calls("broken-json"), broken);
    browser.wait_text(".buttons button", "Run all again");
    assert_eq!(browser.complaints(), [""; 0]);
    // The requests of the page fit the OpenAPI document of the control plane.
    let port = shown.url.split(':').nth(2).and_then(|rest| rest.split('/').next()?.parse().ok());
    let run = http(port.expect("a port"), "GET /__admin/drill_run", &[], b"").json();
    let filled = FilledMock::start();
    let document = filled.mock.admin("GET", "/openapi.json", Value::Null);
    let schema = &document["components"]["schemas"];
    assert_eq!(members(&run), required(&schema["DrillRun"]));
    for drill in run["drills"].as_array().expect("drills") {
        assert_eq!(members(drill), required(&schema["DrillProgress"]));
        let states = schema["DrillProgress"]["properties"]["state"]["enum"].as_array();
        assert!(states.expect("states").contains(&drill["state"]), "{drill}");
    }
}

fn members(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        value.as_object().expect("an object").keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema["required"].as_array().expect("required members").iter();
    let mut names: Vec<&str> = names.filter_map(Value::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn the_calls_of_a_drill_are_shown_while_it_runs() {
    let (browser, dir) = (Browser::start(), tempfile::tempdir().expect("a folder"));
    let may_end = dir.path().join("may-end");
    // The client continues only after the page has shown its calls.
    let client = format!(
        "sh examples/clients/honest.sh && until [ -e {} ]; do sleep 0.05; done",
        may_end.display()
    );
    let options = ["drill", "--console", "--seed", "1", "--only", "limited", "--", "sh", "-c"];
    let shown = ShownCommand::start(&[&options[..], &[&client]].concat());
    browser.open(&shown.url);
    let calm = "[...document.querySelectorAll('tbody tr')].find((one) => one.querySelector('code').innerText === 'calm')";
    browser.wait(&format!("{calm}?.innerText.includes('running')"));
    browser.wait(&format!("{calm}.querySelector('.calls-of a')?.innerText.includes('call')"));
    for theme in ["light", "dark"] {
        browser.theme(theme);
        check(&browser, &axe(), &format!("a drill that runs, {theme}"));
    }
    browser.run(&format!("{calm}.querySelector('.calls-of a').click()"));
    browser.wait_text("tbody", "create_access_token");
    let seen = "document.querySelectorAll('tbody tr').length";
    let first = browser.run(&format!("return {seen}")).as_u64().expect("a number");
    assert!(first > 0);
    std::fs::write(&may_end, "").expect("writable");
    browser.run("location.hash = '#/drills'");
    browser.wait_text(".grade", "inconclusive");
    browser.wait(&format!("{calm}.innerText.includes('held')"));
    // The page shows each call once.
    let numbers = "[...document.querySelectorAll('tbody tr')].map((one) => one.dataset.key)";
    browser.run("location.hash = '#/calls?drill=calm'");
    browser.wait_text("tbody", "create_access_token");
    let numbers = browser.run(&format!("return {numbers}"));
    let numbers: Vec<&str> =
        numbers.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let unique: std::collections::BTreeSet<&str> = numbers.iter().copied().collect();
    assert_eq!(unique.len(), numbers.len());
    assert!(numbers.len() as u64 >= first);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_mock_that_runs_no_drills_says_how_to_start_them() {
    let (browser, filled) = (Browser::start(), FilledMock::start());
    browser.open(&filled.mock.page("#/drills"));
    browser.wait_text("main", "moot drill --console -- CMD");
}

#[test]
fn the_index_of_sandboxes_counts_findings_by_severity() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let made = mock.admin("POST", "/sandboxes", json!({ "lease_seconds": 60 }));
    let base = format!("/sandboxes/{}", made["id"].as_str().expect("an id"));
    let client_id = &made["applications"][0]["client_id"];
    let line = format!("POST {base}/__admin/tokens");
    let body = json!({ "client_id": client_id }).to_string();
    let token = http(mock.port, &line, &["content-type: application/json"], body.as_bytes());
    let token = token.json()["access_token"].as_str().expect("a token").to_owned();
    browser.open(&mock.page("#/sandboxes"));
    browser.wait_text("tbody [data-name=conduct]", "no finding");
    for number in 0..3 {
        mock.call(&format!("GET {base}/v1/requests/unknown{number}"), &token, &[], b"");
    }
    browser.wait_text("tbody [data-name=calls]", "3 calls");
    browser.wait_text("tbody [data-name=conduct]", "1 should");
    browser.wait_text("tbody [data-name=conduct]", "1 hint");
    // The link leads to them.
    browser.click("tbody [data-name=conduct] a");
    browser.wait_text("h1", "Conduct of clients 2");
    browser.wait_text("#world", "sandbox s1");
}
