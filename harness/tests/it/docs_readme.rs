//! The README's first session with the mock is true: its commands are run as they stand.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::command_support::run;

/// The line that says where the mock listens; in the test it listens elsewhere.
const BASE: &str = "BASE=http://127.0.0.1:4010\n";

/// The first `sh` block of the README.
fn session() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(readme).expect("the README is there");
    let (_, after) = text.split_once("```sh\n").expect("it has a session");
    let (commands, _) = after.split_once("```").expect("the session ends");
    assert!(commands.starts_with(BASE), "the session starts with where the mock listens");
    commands.replacen(BASE, "BASE=$MOOT_BASE_URL\n", 1)
}

#[test]
fn a_new_user_comes_from_a_token_to_webhooks() {
    let curl = Command::new("curl").arg("--version").stdout(Stdio::null()).status();
    if !curl.is_ok_and(|status| status.success()) {
        eprintln!("curl is not there: the commands of the README are not tested");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = session();
    let ran = run(&["exec", "--", "sh", "-c", &script], folder.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut rest = ran.stdout.as_str();
    for expected in [
        r#""type":"workflow""#,
        r#""required_fields":["workflow_id""#,
        r#""status":"draft""#,
        r#""action":"created""#,
        r#"{"success":true"#,
        r#""custom_fields":{"kind":"minutes"}"#,
        r#""auth_type":"bearer""#,
        r#""total_count""#,
        r#""status":"signed""#,
        r#""frozen":false"#,
        r#""type":"token_expired""#,
    ] {
        let found = rest.find(expected);
        assert!(found.is_some(), "{expected} does not come in turn: {rest}\n{}", ran.stderr);
        rest = &rest[found.unwrap_or_default() + expected.len()..];
    }
}
