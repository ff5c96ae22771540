//! The recipe for one credential as a new user follows it, and the messages for wrong target files.

use std::fs;
use std::path::Path;

use moot_fixtures::answers;
use serde_json::Value;

use crate::command_support::run;
use crate::deployment::{demo, start, start_as, target};

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
    let ran = run(&[&words[..], &email].concat(), dir.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    fs::read_to_string(dir.path().join("target.yaml")).expect("it was written")
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
    let text = unpaced(text, &format!("{}/api", server.uri()));
    fs::write(dir.path().join("staging.yaml"), &text).expect("writable");
    for words in commands {
        let ran = run(&[words, &["--target", "staging.yaml"][..]].concat(), dir.path());
        assert_eq!(ran.code, Some(0), "{words:?}\n{}{}", ran.stdout, ran.stderr);
    }
}

#[tokio::test]
async fn a_smoke_run_only_reads_without_consent() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: []\n");
    let ran = run(&["run", "--smoke", "--target", "target.yaml"], dir.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let received = server.received_requests().await.expect("it records");
    let is_reading = |path: &str, method: &str| method == "GET" || path.ends_with("/oauth/token");
    assert!(received.iter().all(|it| is_reading(it.url.path(), it.method.as_str())));
    assert!(received.len() > 50, "{} requests", received.len());
}

#[tokio::test]
async fn a_wrong_value_for_the_target_is_4_with_key_and_line() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("target.yaml");
    // The application `main` of the file has only the scope `read`.
    let reader = "demo-reader, client_secret: demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T";
    let main = "demo-main, client_secret: demo-main-secret-Vr8Kq3Zt6Wm1Xc5B";
    let role = format!("  reader: {{ client_id: {reader}, scopes: [read] }}\n");
    for (edits, key, line) in [
        (
            vec![("requester@northwind.example", "nobody@northwind.example")],
            "bindings.requester_email",
            9,
        ),
        (
            vec![("  document_url:", "  generated_workflow_id: wfUnknown\n  document_url:")],
            "bindings.generated_workflow_id",
            10,
        ),
        (vec![(&*role, ""), (main, reader)], "applications.main.scopes", 4),
    ] {
        target(dir.path(), &format!("{}/api", server.uri()), "consent: [write]\n");
        let mut text = fs::read_to_string(&path).expect("it was written");
        for (from, to) in edits {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        fs::write(&path, text).expect("writable");
        let place = format!("target.yaml:{line}: `{key}`");
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(4), "{key}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(&place), "{place}\n{}", ran.stdout);
        let words = [
            "run",
            "--target=target.yaml",
            "--format=json",
            "section:4.5",
            "04_01_create_access_token",
            "02_resources/workflow-schema-members",
        ];
        let ran = run(&words, dir.path());
        let report: Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
        assert_eq!(ran.code, Some(4), "{key}: {}", report["findings"]);
        assert!(ran.stdout.contains(&place.replace('"', "\\\"")), "{place}");
    }
}

#[tokio::test]
async fn an_application_with_only_read_breaks_nothing() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    let need = "read_write_application";
    target(dir.path(), &format!("{}/api", server.uri()), "");
    let path = dir.path().join("target.yaml");
    let text = fs::read_to_string(&path).expect("it was written");
    let main = "demo-main, client_secret: demo-main-secret-Vr8Kq3Zt6Wm1Xc5B";
    let reader = "demo-reader, client_secret: demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T, scopes: [read]";
    let role = format!("  reader: {{ client_id: {reader} }}\n");
    assert!(text.contains(&role) && text.contains(main));
    let text = text.replace(&role, "").replace(main, reader);
    let scenario = "04_01_create_access_token/scope-omitted-read-write-application";
    // Without a passed check nothing conforms.
    let other = "04_02_list_workflows/workflows-listed";
    for (tolerated, code) in [("", 3), ("tolerate: [read_write_application]\n", 0)] {
        fs::write(&path, format!("{text}{tolerated}")).expect("writable");
        let ran = run(&["run", "--target", "target.yaml", scenario, other], dir.path());
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        let is_offered = ran.stdout.contains(&format!("tolerate with `{need}`"));
        assert_eq!(is_offered, code == 3, "{}", ran.stdout);
    }
}

#[tokio::test]
async fn a_base_address_that_ends_in_v1_is_a_mistake_of_the_file() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api/v1", server.uri()), "");
    for command in ["doctor", "run"] {
        let ran = run(&[command, "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(4), "{command}: {}{}", ran.stdout, ran.stderr);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("target.yaml:1: `base_url` does not fit the target"), "{said}");
        assert!(said.contains("ends in `/v1`: leave that out"), "{said}");
    }
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
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: []\n");
    let ran = run(&["run", "--target", "target.yaml", "05_isolation"], dir.path());
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    let place = "target.yaml:7: `applications.other_company`";
    assert!(ran.stdout.contains(place), "{}", ran.stdout);
}

#[test]
fn one_client_id_for_two_roles_is_a_mistake_of_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), "http://127.0.0.1:9/api", "");
    let path = dir.path().join("target.yaml");
    let text = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, text.replace("other-main,", "demo-main,")).expect("writable");
    for command in ["doctor", "plan", "run"] {
        let ran = run(&[command, "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(2), "{command}: {}", ran.stderr);
        let said = "`applications.other_company` has the client id of `applications.main`";
        assert!(ran.stderr.contains(said), "{command}: {}", ran.stderr);
    }
}
