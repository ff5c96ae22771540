//! Runs the commands of the first session of the README.

use super::require_curl;
use crate::support::{moot, root};

/// The line with the address of the mock. In the test the address differs.
const BASE: &str = "BASE=http://127.0.0.1:4010\n";

/// The first `sh` block of the README.
fn session() -> String {
    let text = std::fs::read_to_string(root().join("README.md")).expect("the README is there");
    let (_, after) = text.split_once("```sh\n").expect("it has a session");
    let (commands, _) = after.split_once("```").expect("the session ends");
    assert!(commands.starts_with(BASE), "the session starts with where the mock listens");
    commands.replacen(BASE, "BASE=$MOOT_BASE_URL\n", 1)
}

#[test]
fn a_new_user_comes_from_a_token_to_webhooks() {
    require_curl();
    let folder = tempfile::tempdir().expect("a folder");
    let script = session();
    let output = moot(&["exec", "--", "sh", "-c", &script], folder.path());
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let mut rest = output.stdout.as_str();
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
        assert!(found.is_some(), "{expected} does not come in turn: {rest}\n{}", output.stderr);
        rest = &rest[found.unwrap_or_default() + expected.len()..];
    }
}
