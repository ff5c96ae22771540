//! `moot exec` starts a mock for a command, returns the exit code of the command, and reports its calls.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command_support::{Ran, certify, message, moot, read_json, run};

/// The result of a command under `moot exec`.
fn exec(options: &[&str], command: &[&str]) -> Ran {
    let dir = tempfile::tempdir().expect("a temporary folder");
    run(&[&["exec"], options, &["--"], command].concat(), dir.path())
}

/// The account of a command that sends no call.
const CALLED_NOTHING: &str = "\n! it called nothing: does it read MOOT_BASE_URL?\n";

#[test]
fn the_exit_code_of_the_command_is_passed_on() {
    for (command, code) in [
        ("exit 0", 0),
        ("exit 5", 5),
        ("exit 255", 255),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
    ] {
        let ran = exec(&[], &["sh", "-c", command]).ended(code);
        assert_eq!(ran.stderr, CALLED_NOTHING, "{command}");
    }
}

#[test]
fn quietly_only_the_findings_are_shown() {
    let call = ["sh", "-c", "curl -s $MOOT_BASE_URL/v1/requests > /dev/null"];
    let ran = exec(&["-q"], &call).ended(0);
    assert!(ran.stderr.starts_with("\nBroken rules of conduct\n  must no-token"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("It made"), "{}", ran.stderr);
    let ran =
        exec(&["-q"], &["sh", "-c", "curl -s $MOOT_BASE_URL/favicon.ico > /dev/null"]).ended(0);
    assert_eq!(ran.stderr, "\nNo rule of conduct is broken, but no call was served\n");
}

#[test]
fn a_command_that_cannot_be_started_has_the_exit_code_of_a_shell() {
    let ran = exec(&[], &["no-such-command-of-anyone"]).ended(127);
    insta::assert_snapshot!(message(&ran.stderr), @"error: cannot run `no-such-command-of-anyone`: No such file or directory (os error N)");
    exec(&[], &["/"]).ended(126);
    exec(&["--world", "dem"], &["true"]).ended(2);
}

#[test]
fn the_command_finds_addresses_and_credentials_in_its_environment() {
    let ran = exec(&["--seed", "42"], &["env"]);
    let value = |name: &str| {
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("{name} is not set: {}", ran.stdout)).to_owned()
    };
    let base_url = value("MOOT_BASE_URL");
    assert!(base_url.starts_with("http://127.0.0.1:"), "{base_url}");
    assert_eq!(value("MOOT_TOKEN_URL"), format!("{base_url}/oauth/token"));
    assert_eq!(value("MOOT_ADMIN_URL"), format!("{base_url}/__admin"));
    for (name, expected) in [
        ("MOOT_SEED", "42"),
        ("MOOT_CLIENT_ID", "demo-main"),
        ("MOOT_READER_CLIENT_ID", "demo-reader"),
        ("MOOT_WRITER_CLIENT_ID", "demo-writer"),
        ("MOOT_OTHER_CLIENT_ID", "other-main"),
        ("MOOT_REQUESTER_EMAIL", "requester@northwind.example"),
        ("MOOT_GENERATED_WORKFLOW_ID", "wfMutualNda1"),
        ("MOOT_THIRD_PARTY_WORKFLOW_ID", "wfThirdParty3"),
    ] {
        assert_eq!(value(name), expected, "{name}");
    }
    for role in ["", "READER_", "WRITER_", "OTHER_"] {
        let secret = value(&format!("MOOT_{role}CLIENT_SECRET"));
        assert!(secret.contains("-secret-"), "{role}");
    }
    assert!(value("NO_PROXY").ends_with("127.0.0.1"));
}

#[test]
fn variables_of_another_service_are_removed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = ["exec", "--world", "empty", "--", "env"];
    let output = moot(&words, dir.path())
        .env("MOOT_GENERATED_WORKFLOW_ID", "of-another-service")
        .output()
        .expect("the binary runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("MOOT_BASE_URL="), "{stdout}");
    assert!(!stdout.contains("of-another-service"), "{stdout}");
}

#[test]
fn a_report_that_cannot_be_written_does_not_hide_the_account() {
    let ran = exec(&["--report", "json=/dev/full"], &["true"]).ended(70);
    let expected = "error: `/dev/full` cannot be written";
    assert!(ran.stderr.starts_with(CALLED_NOTHING), "{}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn reports_are_written_in_addition_to_the_output() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let options = ["exec", "--report", "json=told.json", "--report", "text=told.txt", "--", "true"];
    run(&options, dir.path()).ended(0);
    let json = read_json(dir.path().join("told.json"));
    assert_eq!((&json["exit_code"], &json["conduct"]["calls"]), (&0.into(), &0.into()));
    let text = std::fs::read_to_string(dir.path().join("told.txt")).expect("a report");
    assert_eq!(text, format!("moot {}\n{CALLED_NOTHING}", env!("CARGO_PKG_VERSION")));
    for kind in ["junit", "markdown", "html"] {
        let ran =
            run(&["exec", "--report", &format!("{kind}=told.{kind}"), "--", "true"], dir.path());
        assert_eq!(ran.code, Some(0), "{kind}: {}", ran.stderr);
        let again =
            run(&["exec", "--report", &format!("{kind}=told.{kind}"), "--", "true"], dir.path());
        assert_eq!(again.code, Some(0), "{kind} is known as ours: {}", again.stderr);
    }
    for wrong in ["github=told.xml", "json=nowhere/told.json"] {
        run(&["exec", "--report", wrong, "--", "true"], dir.path()).ended(2);
    }
}

/// A shell command that calls the service without a token.
const WITHOUT_TOKEN: &str = "host=${MOOT_BASE_URL#http://}; exec 3<>/dev/tcp/${host%:*}/${host#*:}; \
    printf 'GET /v1/requests?state=x HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' $host >&3; \
    cat <&3 >/dev/null";

#[test]
fn a_broken_rule_ends_with_1_on_request() {
    for (options, end, code) in [
        (&[][..], "", 0),
        (&["--fail-on", "must"], "", 1),
        (&["--fail-on", "should"], "", 1),
        (&["--fail-on", "no-token"], "", 1),
        (&["--fail-on", "two-token-ways"], "", 0),
        (&["--fail-on", "two-token-ways", "--fail-on", "unknown-parameter"], "", 1),
        (&["--fail-on", "must"], "; exit 5", 5),
    ] {
        exec(options, &["bash", "-c", &format!("{WITHOUT_TOKEN}{end}")]).ended(code);
    }
    let ran = exec(&["--fail-on", "no-tokn"], &["true"]).ended(2);
    insta::assert_snapshot!(ran.stderr, @r"
    error: invalid value 'no-tokn' for '--fail-on <SEVERITY|RULE>': `no-tokn` is neither a severity (must, should, hint) nor a rule of conduct; did you mean `no-token`?

    For more information, try '--help'.
    ");
}

#[test]
fn the_json_report_fits_its_schema_and_names_the_nearest_parameter() {
    let report = exec(&["--format", "json"], &["bash", "-c", WITHOUT_TOKEN]).json();
    let schema = moot_harness::grading::conduct::json::schema();
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{report}");
    let findings = report["conduct"]["findings"].as_array().expect("a list");
    let rules: Vec<&Value> = findings.iter().map(|it| &it["rule"]).collect();
    assert_eq!(rules, ["no-token", "unknown-parameter"]);
    let seen = findings[1]["seen"].as_str().expect("a text");
    insta::assert_snapshot!(seen, @"`state` is not a parameter of list_legal_requests; did you mean `status`?");
}

/// The table of docs/tutorials/sandbox.md has exactly the variables of `moot exec`.
#[test]
fn the_variables_are_those_that_are_documented() {
    let document =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tutorials/sandbox.md");
    let document = std::fs::read_to_string(document).expect("the document is there");
    let documented: std::collections::BTreeSet<String> = document
        .lines()
        .filter(|line| line.starts_with("| `MOOT_"))
        .flat_map(|line| line.split('|').nth(1).unwrap_or_default().split(','))
        .map(|name| name.trim_matches([' ', '`']).to_owned())
        .collect();
    let dir = tempfile::tempdir().expect("a temporary folder");
    certify(dir.path(), "127.0.0.1");
    std::fs::write(dir.path().join("token"), "t0p-of-admin").expect("a written file");
    let options = ["exec", "--tls", "cert.pem,key.pem", "--admin-token-file", "token", "--", "env"];
    let ran = run(&options, dir.path());
    let exported = ran.stdout.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
    let exported: std::collections::BTreeSet<String> =
        exported.filter(|name| name.starts_with("MOOT_")).map(str::to_owned).collect();
    assert_eq!(exported, documented);
}

#[test]
fn a_line_without_its_separator_gets_a_hint() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = [&["exec"][..], &["exec", "--"], &["exec", "sh", "-c", "exit 3"]];
    let messages = words.map(|words| {
        let ran = run(words, dir.path()).ended(2);
        ran.stderr
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: the following required arguments were not provided:
      <CMD>...

    Usage: moot exec -- <CMD>...

    For more information, try '--help'.
    error: the following required arguments were not provided:
      <CMD>...

    Usage: moot exec -- <CMD>...

    For more information, try '--help'.
    error: unexpected argument 'sh' found

    Usage: moot exec [OPTIONS] -- <CMD>...

    For more information, try '--help'.
    ");
}

#[test]
fn state_is_kept_from_one_command_to_the_next() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let seed = |options: &[&str]| {
        let words = [&["exec", "--state", "kept"], options, &["--", "env"]].concat();
        let ran = run(&words, dir.path()).ended(0);
        let seed = ran.stdout.lines().find(|line| line.starts_with("MOOT_SEED="));
        (seed.map(str::to_owned), ran.stderr)
    };
    let (first, said) = seed(&["--seed", "42"]);
    assert_eq!(first.as_deref(), Some("MOOT_SEED=42"));
    assert_eq!(said, CALLED_NOTHING);
    let (second, said) = seed(&["--seed", "43"]);
    assert_eq!(second.as_deref(), Some("MOOT_SEED=42"), "what is there wins");
    insta::assert_snapshot!(said, @r"
    `kept` has the data of an earlier mock, so --seed and --world are ignored; give --state another place for new data

    ! it called nothing: does it read MOOT_BASE_URL?
    ");
}

#[test]
fn over_https_the_command_gets_the_certificate() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    certify(dir.path(), "127.0.0.1");
    let ran = run(&["exec", "--tls", "cert.pem,key.pem", "--", "env"], dir.path()).ended(0);
    assert!(ran.stdout.contains("MOOT_BASE_URL=https://127.0.0.1:"), "{}", ran.stdout);
    let line = ran.stdout.lines().find_map(|line| line.strip_prefix("MOOT_CA_FILE="));
    let file = std::path::Path::new(line.expect("it is set"));
    assert!(file.is_absolute() && file.ends_with("cert.pem"), "{}", file.display());
}

#[cfg(unix)]
#[test]
fn signals_of_other_processes_reach_the_command() {
    use std::io::{BufRead, BufReader};
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        if is_ignored(code - 128) {
            // The parent process ignores the signal, so all its children ignore it.
            println!("SIG{signal} is ignored here: that it reaches the command was not tried");
            continue;
        }
        let dir = tempfile::tempdir().expect("a temporary folder");
        let script = "echo ready; exec cat";
        let mut child = moot(&["exec", "--", "sh", "-c", script], dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        // `wait` closes the pipe, and then `cat` ends by itself.
        let _stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it prints text");
        assert_eq!(line, "ready\n");
        let mut kill = Command::new("kill");
        kill.args([format!("-{signal}"), child.id().to_string()]);
        assert!(kill.status().expect("there is a kill").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}");
    }
}

/// Whether this process ignores a signal. Children inherit that. Only Linux shows it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(unix)]
#[test]
fn after_a_sigterm_the_account_is_still_printed() {
    use std::io::{BufRead, BufReader, Read};
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = "trap 'exit 9' TERM; echo ready; while :; do read line; done";
    let mut child = moot(&["exec", "--", "sh", "-c", script], dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("it prints text");
    assert_eq!(line, "ready\n");
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(told.expect("there is a kill").success());
    let mut stderr = String::new();
    let mut from = child.stderr.take().expect("stderr is piped");
    from.read_to_string(&mut stderr).expect("it prints text");
    assert_eq!(child.wait().expect("it ends").code(), Some(9), "{stderr}");
    assert_eq!(stderr, CALLED_NOTHING);
}

/// A client that misbehaves, and then deletes all traces that the control plane allows it to delete.
const HOSTILE: &str = "host=${MOOT_BASE_URL#http://}; send() { exec 3<>/dev/tcp/${host%:*}/${host#*:}; \
    printf '%s HTTP/1.1\\r\\nHost: %s\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' \"$1\" $host >&3; \
    cat <&3; echo; exec 3<&-; }; send 'GET /v1/requests?state=x' >/dev/null; \
    for line in 'DELETE /exchanges' 'DELETE /faults' 'POST /reset' 'POST /restart' 'DELETE /exchanges'; do \
    send \"${line% *} /__admin${line#* }\" | grep -q '^HTTP/1.1 200' || exit 9; done";

#[test]
fn a_client_that_deletes_its_traces_is_still_reported() {
    let report = exec(&["--fail-on", "no-token", "--format", "json"], &["bash", "-c", HOSTILE])
        .ended(1)
        .json();
    let conduct = &report["conduct"];
    assert_eq!((&conduct["calls"], &conduct["forgotten"]), (&1.into(), &0.into()), "{conduct}");
    let used = conduct["control"].as_array().expect("a list").iter();
    let used: Vec<(&str, u64)> =
        used.filter_map(|row| Some((row["path"].as_str()?, row["calls"].as_u64()?))).collect();
    assert_eq!(used, [("/exchanges", 2), ("/faults", 1), ("/reset", 1), ("/restart", 1)]);
    let told = exec(&[], &["bash", "-c", HOSTILE]).stderr;
    insta::assert_snapshot!(message(&told).trim(), @r#"
    It made 1 call
      list_legal_requests  1  401

    Errors it received
      401 invalid_token, list_legal_requests (call 1)
          No access token was sent: add the header `Authorization: Bearer <ACCESS_TOKEN>`. (`POST http://127.0.0.1:PORT/oauth/token` gives one, for a client id and secret of this world; a token works only in the world that gave it, be it the main one or a sandbox)

    Broken rules of conduct
      must no-token: 1 call without a valid access token (§5.2, call 1)
          Send `Authorization: Bearer <ACCESS_TOKEN>` with every call but the one that asks for the token.
          curl "$MOOT_BASE_URL"'/v1/requests?state=x'
      should unknown-parameter: `state` is not a parameter of list_legal_requests; did you mean `status`? (§4, call 1)
          Use the parameters of the specification. The service ignores others, so the response is not what was asked for.
          curl "$MOOT_BASE_URL"'/v1/requests?state=x'

    Calls of the control plane, which only the mock has
      DELETE /exchanges ×2
      DELETE /faults ×1
      POST /reset ×1
      POST /restart ×1
    "#);
}

#[cfg(unix)]
#[test]
fn a_process_that_outlives_the_command_is_waited_for_or_reported() {
    let late = format!("(sleep 0.3; {WITHOUT_TOKEN}) >/dev/null 2>&1 &");
    for (script, calls, outlived) in
        [(late.as_str(), 1, false), ("sleep 30 >/dev/null 2>&1 & echo $! >&2", 0, true)]
    {
        let ran = exec(&["--format", "json"], &["bash", "-c", script]).ended(0);
        let report = ran.json();
        let conduct = &report["conduct"];
        assert_eq!((&conduct["calls"], &conduct["outlived"]), (&calls.into(), &outlived.into()));
        if let Ok(id) = ran.stderr.trim().parse::<i32>() {
            let id = rustix::process::Pid::from_raw(id).expect("an id");
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
    }
}
