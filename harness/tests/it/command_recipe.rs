//! The recipe for one credential as a new user follows it, and the messages for wrong target files.

use std::fs;
use std::path::Path;

use moot_fixtures::answers;
use serde_json::{Value, json};

use crate::command_support::{message, run};
use crate::deployment::{base_url, demo, deployed, edit, start, start_as, target};

/// The target file of the guide.
fn of_the_guide() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/one-credential.md");
    let guide = fs::read_to_string(guide).expect("it is there");
    let begin = guide.find("# staging.yaml\n").expect("the guide has a target file");
    guide[begin..].split("```").next().expect("its block ends").to_owned()
}

/// The target file that `moot init` writes.
fn of_init() -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let words = ["init", "--base-url", "https://legal.example.com/api", "--consent", "write"];
    let email = ["--requester-email", "someone@your-company.example"];
    run(&[&words[..], &email].concat(), dir.path()).ended(0);
    fs::read_to_string(dir.path().join("target.yaml")).expect("it was written")
}

#[test]
fn init_says_as_json_what_it_wrote() {
    let dir = tempfile::tempdir().expect("a folder");
    let words = ["init", "--base-url", "https://legal.example.com/api", "--format", "json"];
    let written = run(&words, dir.path()).ended(0).json();
    assert_eq!(written["written"], json!(["target.yaml", ".github/workflows/moot.yml"]));
    assert_eq!(written["next"], "moot doctor --target target.yaml");
}

/// A target file for this address and the applications of `demo`.
fn recipe(text: &str, base_url: &str) -> String {
    for part in ["$MOOT_CLIENT_ID", "$MOOT_CLIENT_SECRET", "someone@your-company.example"] {
        assert!(text.contains(part), "{part}");
    }
    text.replace("https://legal.example.com/api", base_url)
        .replace("$MOOT_CLIENT_ID", "demo-main")
        .replace("$MOOT_CLIENT_SECRET", "demo-main-secret-Vr8Kq3Zt6Wm1Xc5B")
        .replace("someone@your-company.example", "requester@northwind.example")
}

/// A recipe without a pace, so that the test is short.
fn unpaced(text: &str, base_url: &str) -> String {
    format!("{}admin: none\nlimits: {{ requests_per_minute: 0 }}\n", recipe(text, base_url))
}

#[tokio::test]
async fn the_recipe_of_the_guide_ends_with_0() {
    let commands = [&["doctor"][..], &["plan"], &["run", "--smoke"], &["run"]];
    ends_with_0(&of_the_guide(), &commands).await;
}

#[tokio::test]
async fn the_recipe_of_init_ends_with_0() {
    ends_with_0(&of_init(), &[&["doctor"], &["run"]]).await;
}

async fn ends_with_0(text: &str, commands: &[&[&str]]) {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    let text = unpaced(text, &base_url(&server));
    fs::write(dir.path().join("staging.yaml"), &text).expect("writable");
    for words in commands {
        run(&[words, &["--target", "staging.yaml"][..]].concat(), dir.path()).ended(0);
    }
}

#[tokio::test]
async fn a_smoke_run_only_reads_without_consent() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: []\n");
    run(&["run", "--smoke", "--target", "target.yaml"], dir.path()).ended(0);
    let received = server.received_requests().await.expect("it records");
    let is_reading = |path: &str, method: &str| method == "GET" || path.ends_with("/oauth/token");
    assert!(received.iter().all(|it| is_reading(it.url.path(), it.method.as_str())));
    assert!(received.len() > 50, "{} requests", received.len());
}

#[tokio::test]
async fn smoke_tolerates_unmet_needs_also_in_a_recording_and_a_comparison() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: []\n");
    let words = ["run", "tag:smoke", "--target", "target.yaml", "--record", "kept"];
    for (words, code) in [
        (&words[..], 3),
        (&["judge", "kept"], 3),
        (&["judge", "--smoke", "kept"], 0),
        (&["compare", "kept", "target.yaml"], 3),
        (&["compare", "--smoke", "kept", "target.yaml"], 0),
    ] {
        run(words, dir.path()).ended(code);
    }
}

#[tokio::test]
async fn a_wrong_value_for_the_target_is_4_with_key_and_line() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    // The application `main` of the file has only the scope `read`.
    let reader = "demo-reader, client_secret: demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T";
    let main = "demo-main, client_secret: demo-main-secret-Vr8Kq3Zt6Wm1Xc5B";
    let role = format!("  reader: {{ client_id: {reader}, scopes: [read] }}\n");
    let mut mistakes = Vec::new();
    for edits in [
        vec![("requester@northwind.example", "nobody@northwind.example")],
        vec![("  document_url:", "  generated_workflow_id: wfUnknown\n  document_url:")],
        vec![(&*role, ""), (main, reader)],
    ] {
        target(dir.path(), &base_url(&server), "consent: [write]\n");
        edit(dir.path(), &edits);
        let ran = run(&["doctor", "--target", "target.yaml", "--format", "json"], dir.path());
        let found = ran.ended(4).json();
        let all = found["mistakes"].as_array().expect("a list");
        assert_eq!(all.len(), 1, "{all:?}");
        let mistake = all[0].as_str().expect("a text").to_owned();
        let words = [
            "run",
            "--target=target.yaml",
            "--format=json",
            "section:4.5",
            "04_01_create_access_token",
            "02_resources/workflow-schema-members",
        ];
        let ran = run(&words, dir.path());
        let report = ran.ended(4).json();
        assert_eq!(report["trouble"], mistake);
        mistakes.push(message(&mistake));
    }
    insta::assert_snapshot!(mistakes.join("\n"), @r"
    target.yaml:9: `bindings.requester_email` does not fit the target: the service refused a legal request of this user (422 request_creation_error). It accepted the same request of a signer of the workflow; name a user of the company
    target.yaml:10: `bindings.generated_workflow_id` does not fit the target: there is no workflow `wfUnknown`: 404
    target.yaml:4: `applications.main.scopes` does not fit the target: a token with `read write` was refused: 400 (invalid_scope); state the scopes that it has, or give it `write`
    ");
}

#[tokio::test]
async fn an_application_with_only_read_breaks_nothing() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    let need = "read_write_application";
    target(dir.path(), &base_url(&server), "");
    let main = "demo-main, client_secret: demo-main-secret-Vr8Kq3Zt6Wm1Xc5B";
    let reader = "demo-reader, client_secret: demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T, scopes: [read]";
    let role = format!("  reader: {{ client_id: {reader} }}\n");
    edit(dir.path(), &[(&role, ""), (main, reader)]);
    let path = dir.path().join("target.yaml");
    let text = fs::read_to_string(&path).expect("it was written");
    let scenario = "04_01_create_access_token/scope-omitted-read-write-application";
    // Without a passed check nothing conforms.
    let other = "04_02_list_workflows/workflows-listed";
    for (tolerated, code) in [("", 3), ("tolerate: [read_write_application]\n", 0)] {
        fs::write(&path, format!("{text}{tolerated}")).expect("writable");
        let words = ["run", "--target", "target.yaml", "--format", "json", scenario, other];
        let ran = run(&words, dir.path()).ended(code);
        let not_run = &ran.json()["not_run"];
        assert_eq!(not_run.as_array().map(Vec::len), Some(1), "{not_run}");
        assert_eq!(not_run[0]["tolerate_as"], need);
        assert_eq!(not_run[0]["is_tolerated"], code == 0, "{not_run}");
    }
}

#[tokio::test]
async fn a_base_address_that_ends_in_v1_is_a_mistake_of_the_file() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api/v1", server.uri()), "");
    let [doctor, ran] = ["doctor", "run"].map(|command| {
        run(&[command, "--target", "target.yaml", "--format", "json"], dir.path()).ended(4)
    });
    let error: Value = serde_json::from_str(&doctor.stderr).expect("it is JSON");
    assert_eq!(ran.json()["trouble"], error["error"]);
    let error = error["error"].as_str().expect("a text");
    insta::assert_snapshot!(message(error), @"target.yaml:1: `base_url` does not fit the target: its token endpoint returned 404 (request_not_found); `base_url` ends in `/v1`: leave that out");
}

#[tokio::test]
async fn an_application_of_the_same_company_is_no_leak() {
    let mut world = demo();
    // The other application of the file now belongs to the company of `main`.
    let all =
        world.companies.iter_mut().flat_map(|company| std::mem::take(&mut company.applications));
    let (own, rest): (Vec<_>, Vec<_>) =
        all.partition(|one| one.client_id.starts_with("demo-") || one.client_id == "other-main");
    world.companies[0].applications = own;
    world.companies[1].applications = rest;
    let answers = answers::named("default").expect("they are bundled").clone();
    let server = start_as(world, answers).await;
    let dir = deployed(&server, "consent: []\n");
    let words = ["run", "--target", "target.yaml", "05_isolation", "--format", "json"];
    let ran = run(&words, dir.path()).ended(4);
    let report = ran.json();
    let trouble = report["trouble"].as_str().expect("a text");
    insta::assert_snapshot!(message(trouble), @"target.yaml:7: `applications.other_company` does not fit the target: both applications see the same workflows, requests, documents and webhooks, so they are of one company, or the target does not separate companies (§5)");
}

#[test]
fn one_client_id_for_two_roles_is_a_mistake_of_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), "http://127.0.0.1:9/api", "");
    edit(dir.path(), &[("other-main,", "demo-main,")]);
    let [doctor, plan, ran] = ["doctor", "plan", "run"].map(|command| {
        let ran = run(&[command, "--target", "target.yaml"], dir.path()).ended(2);
        message(&ran.stderr)
    });
    assert_eq!((&plan, &ran), (&doctor, &doctor));
    insta::assert_snapshot!(doctor, @"error: target.yaml:7:18: `applications.other_company` has the client id of `applications.main`, but must be another application");
}
