//! `moot selftest --target` judges the checks on a deployment by one run.

use std::fs;

use serde_json::Value;

use crate::command_support::{Ran, Running, message, run};

const SUITE: &str = "\
section: \"4.2\"
title: A sample
scenarios:
  - id: workflows
    title: Workflows are listed
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect:
          list-workflows.status-200: { status: 200 }
          pagination.per-page-25: { /pagination/per_page: 25 }
  - id: deleted
    title: What is unknown is not deleted
    needs: [write, delete]
    steps:
      - request: DELETE /v1/webhooks/unknown1
        token: write
        expect:
          delete-webhook.unknown-404: { status: 404 }
";

/// Runs a self-test on a mock that is treated as a deployment without consent. Returns the report and the number of
/// calls to the mock.
#[track_caller]
fn tried(words: &[&str]) -> (Ran, Value) {
    let mock = Running::start(&["--format", "json"]);
    let ready = mock.ready();
    let base_url = mock.base_url();
    let secret = ready["applications"][0]["client_secret"].as_str().expect("a secret").to_owned();
    let client = ready["applications"][0]["client_id"].as_str().expect("an id").to_owned();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let target = format!(
        "base_url: {base_url}\nadmin: none\nconsent: []\n\
         applications: {{ main: {{ client_id: {client}, client_secret: {secret}, \
         scopes: [read, write] }} }}\n\
         limits: {{ requests_per_minute: 0, token_requests_per_minute: 0 }}\n"
    );
    fs::write(dir.path().join("target.yaml"), target).expect("writable");
    fs::write(dir.path().join("sample.yaml"), SUITE).expect("writable");
    let line = ["selftest", "--target", "target.yaml", "--scenarios", "sample.yaml"];
    let ran = run(&[&line[..], words].concat(), dir.path());
    let report = fs::read_to_string(dir.path().join("a.json")).unwrap_or_default();
    (ran, serde_json::from_str(&report).unwrap_or_default())
}

fn row<'a>(list: &'a Value, member: &str, id: &str) -> &'a Value {
    let rows = list.as_array().expect("a list");
    rows.iter().find(|it| it[member] == id).unwrap_or_else(|| panic!("no {id} in {list:#}"))
}

#[test]
fn a_self_test_on_a_target_proves_checks_alive_and_writes_nothing() {
    let (ran, report) = tried(&["--report", "json=a.json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let status = row(&report["checks"], "requirement", "list-workflows.status-200");
    assert_eq!(status["verdict"], "pass");
    let killers = status["killed_by"].as_array().expect("a list");
    assert!(killers.iter().any(|id| id == "workflows.status-203"), "{status:#}");
    let deletion = row(&report["checks"], "requirement", "delete-webhook.unknown-404");
    assert_ne!(deletion["verdict"], "pass", "there is no consent to delete");
    assert_eq!(row(&report["defects"], "id", "workflows.status-203")["fate"], "caught");
    assert_eq!(row(&report["defects"], "id", "webhook.type-hook")["fate"], "unchanged");
    assert!(report["requests_sent"].as_u64().is_some_and(|sent| sent < 12), "{report:#}");
}

#[test]
fn options_that_make_no_sense_on_a_target_are_refused() {
    let messages = [
        &["--seeds", "3"][..],
        &["--thorough"],
        &["--defect", "limits.601"],
        &["--defect", "workflows.status-204"],
        &["--report", "html=a.html"],
    ]
    .map(|words| {
        let (ran, _) = tried(words);
        assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: the argument '--target <FILE|URL>' cannot be used with '--seeds <N>'

    Usage: moot selftest --target <FILE|URL> --scenarios <DIR>

    For more information, try '--help'.
    error: the argument '--target <FILE|URL>' cannot be used with '--thorough'

    Usage: moot selftest --target <FILE|URL> --scenarios <DIR>

    For more information, try '--help'.
    error: `limits.601` does more than rewrite a response, so it cannot be applied to the responses of a deployment
    help: leave --target out, to try it on the mock
    error: there is no defect `workflows.status-204`
    help: did you mean `workflows.status-203`?
    error: a.html cannot be written: with --target there is no whole kill matrix
    help: use --report json=FILE, or leave --target out
    ");
}

#[test]
fn a_target_that_is_not_there_ends_with_4() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let target = "base_url: http://127.0.0.1:9\nadmin: none\n\
                  applications: { main: { client_id: a, client_secret: not-a-secret } }\n";
    fs::write(dir.path().join("target.yaml"), target).expect("writable");
    let ran = run(&["selftest", "--target", "target.yaml"], dir.path()).ended(4);
    insta::assert_snapshot!(message(&ran.stderr), @"error: 127.0.0.1:PORT cannot be reached: Connection refused (os error N); is it running? Compare the port of `base_url`");
}
