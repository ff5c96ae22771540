//! Usage errors end with exit code 2 and say what to do. Requested output goes to stdout.

use crate::command_support::run;

#[track_caller]
fn check(line: &str, code: i32, said: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let ran = run(&words, dir.path());
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let expected_at = if code == 0 { &ran.stdout } else { &ran.stderr };
    assert!(expected_at.contains(said), "{}{}", ran.stdout, ran.stderr);
    assert!(
        !ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'),
        "no colour in a pipe"
    );
}

#[test]
fn help_and_version_are_no_errors() {
    check("--help", 0, "Exit codes: 0 conformant, 1 violation");
    check("run --help", 0, "--report <KIND=FILE>");
    check("--version", 0, "moot ");
}

#[test]
fn a_wrong_line_ends_with_2() {
    check("", 2, "Usage: moot");
    check("explian", 2, "explain");
    check("run --report pdf=a", 2, "there are text, json, junit, html, markdown, github, ndjson");
    check("run --report html=a --report json=a", 2, "two reports go to a");
    check("run --report html=no/such/a.html", 2, "there is no folder no/such");
    check("run --report html=.", 2, ". is a folder");
    check("run no-such-scenario", 2, "`moot list` shows all scenarios");
    check("run --target no-such-file.yaml", 2, "no-such-file.yaml");
    check("run --scenarios no-such-folder", 2, "no-such-folder");
    check("mock --listen 0.0.0.0:0", 2, "MOOT_ADMIN_TOKEN or --admin-token-file");
    check("mock --world dem", 2, "did you mean `demo`?");
    check("mock --clock frozn", 2, "did you mean `frozen`?");
    check("mock --public-url nonsense --listen 127.0.0.1:0", 2, "the mock can't start");
    check("mock --admin-token-file none.txt", 2, "none.txt");
    check("snapshot accept none", 2, "no response named `none` is pending");
}

#[test]
fn a_usage_error_is_json_on_request() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for line in [
        "run --format json --no-such-option",
        "explian --format=json",
        "run --format json --report html=no/such/a.html",
        "mock --format json --listen nowhere",
        "--format json",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = run(&words, dir.path());
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        let error: serde_json::Value = serde_json::from_str(&ran.stderr).expect(line);
        assert_eq!(error["exit_code"], 2, "{line}");
        assert!(error["error"].as_str().is_some_and(|text| !text.is_empty()), "{line}");
    }
    let after = run(&["exec", "--no-such", "--", "true", "--format", "json"], dir.path());
    assert!(after.stderr.starts_with("error: "), "what follows `--` is not ours: {}", after.stderr);
}

#[test]
fn an_unreachable_target_ends_with_4() {
    // No server listens on port 9 of loopback.
    let dir = tempfile::tempdir().expect("a temporary folder");
    let target = "base_url: http://127.0.0.1:9\napplications:\n  main: { client_id: a, \
                  client_secret: sample-secret, scopes: [read, write] }\n";
    std::fs::write(dir.path().join("t.yaml"), target).expect("writable");
    let ran = run(&["run", "--target", "t.yaml"], dir.path());
    assert_eq!(ran.code, Some(4), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("sample-secret"));
    // A plan sends nothing, so it cannot know.
    assert_eq!(run(&["plan", "--target", "t.yaml"], dir.path()).code, Some(0));
}
