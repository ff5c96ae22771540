//! Usage errors end with exit code 2 and say what to do. Requested output goes to stdout.

use crate::command_support::{message, run};

/// The requested output of a line, or its error message.
#[track_caller]
fn check(line: &str, code: i32) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let ran = run(&words, dir.path()).ended(code);
    assert!(
        !ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'),
        "no colour in a pipe"
    );
    message(if code == 0 { &ran.stdout } else { &ran.stderr })
}

#[test]
fn help_and_version_are_no_errors() {
    let help = check("--help", 0);
    let codes = help.lines().find(|line| line.starts_with("Exit codes: ")).expect("a line");
    insta::assert_snapshot!(codes, @"Exit codes: 0 conformant, 1 violation, 2 usage or a wrong file, 3 not everything checked, 4 target unreachable or credentials refused, 5 drift, 70 internal error.");
    assert!(check("run --help", 0).contains("--report <KIND=FILE>"));
    assert_eq!(check("--version", 0), concat!("moot ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_wrong_line_ends_with_2() {
    assert!(check("", 2).contains("Usage: moot"));
    let messages = [
        "explian",
        "run --report pdf=a",
        "run --report html=a --report json=a",
        "run --report html=no/such/a.html",
        "run --report html=.",
        "run no-such-scenario",
        "run --target no-such-file.yaml",
        "run --scenarios no-such-folder",
        "mock --listen 0.0.0.0:0",
        "mock --world dem",
        "mock --clock frozn",
        "mock --public-url nonsense --listen 127.0.0.1:0",
        "mock --admin-token-file none.txt",
        "snapshot accept none",
        "run --target t.yaml --receiver 127.0.0.1:0 --receiver-url foo",
        "run --target http://",
        "init --base-url foo",
        "run --seed -1",
        "mock --world .",
        "mock --state mysql://root@db/moot",
        "snapshot accept",
        "snapshot list --snapshot-dir no/such",
        "selftest --report pdf=a",
    ]
    .map(|line| check(line, 2));
    insta::assert_snapshot!(messages.concat(), @r"
    error: unrecognized subcommand 'explian'

      tip: some similar subcommands exist: 'clean', 'explore', 'explain'

    Usage: moot [OPTIONS] <COMMAND>

    For more information, try '--help'.
    error: invalid value 'pdf=a' for '--report <KIND=FILE>': `pdf` is not a kind of report; there are text, json, junit, html, markdown, github, ndjson

    For more information, try '--help'.
    error: two reports go to a
    error: there is no folder no/such
    help: create it, so that no/such/a.html can be written
    error: . is a folder, not a file
    error: no scenario matches `no-such-scenario`
    help: `moot list` shows all scenarios
    error: no-such-file.yaml: there is no such file; name a target file, or give a base address like `http://127.0.0.1:PORT`
    error: no-such-folder: there is no such file or folder
    error: 0.0.0.0:0 can be reached from other machines, and its control plane has no token
    help: set MOOT_ADMIN_TOKEN or --admin-token-file, or listen on 127.0.0.1
    error: unknown world `dem`: there are `bench`, `demo`, `empty`; did you mean `demo`? (the path of a file is accepted too, but `dem` does not exist)
    error: unknown clock `frozn`: there are `real`, `frozen`, `frozen:TIME`; did you mean `frozen`?
    error: --public-url: `nonsense` is not a base address; write it like `http://127.0.0.1:PORT`
    error: --admin-token-file: `none.txt` cannot be read: No such file or directory (os error N)
    error: no response named `none` is pending
    error: invalid value 'foo' for '--receiver-url <URL>': `foo` is not a base address; write it like `http://127.0.0.1:PORT`

    For more information, try '--help'.
    error: --target: `http://` is not a base address; write it like `http://127.0.0.1:PORT`
    error: --base-url: `foo` is not a base address; write it like `http://127.0.0.1:PORT`
    error: invalid value '-1' for '--seed <N>': give a whole number of at least 0

    For more information, try '--help'.
    error: unknown world `.`: there are `bench`, `demo`, `empty` (the path of a file is accepted too, but `.` is a folder)
    error: --state: `mysql://root@db/moot` is an address that moot cannot use; name a folder, or postgres://USER@HOST/DATABASE
    error: the following required arguments were not provided:
      <NAME|--all>

    Usage: moot snapshot accept <NAME|--all>

    For more information, try '--help'.
    error: no/such: there is no such folder
    error: invalid value 'pdf=a' for '--report <KIND=FILE>': there is no pdf report here, only json, html, markdown

    For more information, try '--help'.
    ");
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
        let ran = run(&words, dir.path()).ended(2);
        let error: serde_json::Value = serde_json::from_str(&ran.stderr).expect(line);
        assert_eq!(error["exit_code"], 2, "{line}");
        assert!(error["error"].as_str().is_some_and(|text| !text.is_empty()), "{line}");
    }
    let after = run(&["exec", "--no-such", "--", "true", "--format", "json"], dir.path());
    assert!(after.stderr.starts_with("error: "), "what follows `--` is not ours: {}", after.stderr);
}

#[test]
fn a_password_in_an_address_is_printed_nowhere() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let target = "http://user:precious@127.0.0.1:9/";
    for words in [
        &["run", "--target", target, "--report", "json=r.json", "--report", "html=r.html"][..],
        &["explore", "--target", target, "--report", "json=r.json"],
        &["plan", "--target", target],
    ] {
        let ran = run(words, dir.path()).ended(2);
        assert!(ran.stderr.contains("a base address has no user and no password"), "{words:?}");
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("precious"), "{words:?}");
        let left = std::fs::read_dir(dir.path()).expect("a folder").count();
        assert_eq!(left, 0, "{words:?}: no report names the address");
    }
}

#[test]
fn an_unreachable_target_ends_with_4() {
    // No server listens on port 9 of loopback.
    let dir = tempfile::tempdir().expect("a temporary folder");
    let target = "base_url: http://127.0.0.1:9\napplications:\n  main: { client_id: a, \
                  client_secret: sample-secret, scopes: [read, write] }\n";
    std::fs::write(dir.path().join("t.yaml"), target).expect("writable");
    let ran = run(&["run", "--target", "t.yaml"], dir.path()).ended(4);
    assert!(!ran.stdout.contains("sample-secret"));
    // A plan sends nothing, so it cannot know.
    run(&["plan", "--target", "t.yaml"], dir.path()).ended(0);
}

#[test]
fn a_tolerated_scenario_that_does_not_exist_is_2_with_its_line() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| {
        let text = format!(
            "base_url: http://127.0.0.1:9\napplications:\n  main: {{ client_id: a, client_secret: sample-secret }}\n\
             tolerate: [load, {name}]\n"
        );
        std::fs::write(dir.path().join("t.yaml"), text).expect("writable");
    };
    let message = "t.yaml:4: no scenario is called `08_limits/evenly-spaced-calls`; did you mean \
                   `08_limits/evenly-spaced`?";
    file("08_limits/evenly-spaced-calls");
    for command in ["run", "plan"] {
        let ran = run(&[command, "--target", "t.yaml"], dir.path()).ended(2);
        assert!(ran.stderr.contains(message), "{command}: {}", ran.stderr);
    }
    for known in
        ["08_limits/evenly-spaced", "08_limits/*", "\"08_limits/evenly-spaced[a]\"", "ours/nightly"]
    {
        file(known);
        run(&["plan", "--target", "t.yaml"], dir.path()).ended(0);
    }
}
