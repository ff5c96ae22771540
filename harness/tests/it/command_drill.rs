//! `moot drill` runs a client once per situation, and grades it.

use std::collections::BTreeSet;
use std::path::Path;

use moot_harness::grading::drill::table;
use serde_json::Value;

use crate::command_support::{Ran, message, run};

fn drill(options: &[&str], command: &[&str], dir: &Path) -> Ran {
    run(&[&["drill", "--seed", "1"], options, &["--"], command].concat(), dir)
}

#[test]
fn the_page_names_every_drill() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/drills.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let documented: BTreeSet<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter_map(|(id, rest)| Some((id, rest.split_once(" | ")?.0)))
        .filter(|(id, _)| id.contains('-') || table::get(id).is_some())
        .collect();
    let known: BTreeSet<(&str, &str)> =
        table::all().iter().map(|it| (it.id.as_str(), it.title.as_str())).collect();
    assert_eq!(documented, known);
    assert_eq!(known.len(), table::all().len(), "ids are unique");
    assert!(table::all().len() >= 20);
}

#[test]
fn a_command_that_does_not_end_is_ended_with_all_its_processes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = "sleep 600 & echo $! > child; wait";
    let options = ["--timeout", "1", "--format", "json"];
    let ran = drill(&options, &["sh", "-c", script], dir.path()).ended(3);
    let certificate = ran.json();
    assert_eq!(certificate["recordings"]["calm"]["is_timed_out"], true, "{certificate}");
    let reasons = serde_json::json!([
        "the calm run does not hold: the command did not end in time (`--timeout`)"
    ]);
    assert_eq!(certificate["reasons"], reasons);
    let child = std::fs::read_to_string(dir.path().join("child")).expect("the child was started");
    assert!(!Path::new("/proc").join(child.trim()).exists(), "{child} is still there");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_commands_and_there_is_no_certificate() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = ["drill", "--", "sh", "-c", "echo $$ > started; exec sleep 600"];
    let mut command = crate::command_support::moot(&words, dir.path());
    let moot = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let started = dir.path().join("started");
    let deadline = Instant::now() + Duration::from_secs(20);
    let client = loop {
        match std::fs::read_to_string(&started) {
            Ok(id) if id.ends_with('\n') => break id.trim().to_owned(),
            _ => assert!(Instant::now() < deadline, "the command was never started"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let id = i32::try_from(moot.id()).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(id.expect("an id"), rustix::process::Signal::INT)
        .expect("it is there");
    let output = moot.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    insta::assert_snapshot!(message(&stderr), @r"
    interrupted: the commands are ended, and nothing is graded
    error: interrupted: there is no certificate
    ");
    assert!(!Path::new("/proc").join(&client).exists(), "the command is still there");
}

#[test]
fn the_drills_refer_to_existing_rules_and_faults() {
    let rules = table::all().iter().flat_map(|drill| drill.rules.iter().chain(&drill.breaks));
    let unknown: BTreeSet<&String> =
        rules.filter(|rule| moot_fixtures::conduct::get(rule).is_none()).collect();
    assert_eq!(unknown, BTreeSet::new());
    for drill in table::all() {
        let is_situation = !drill.orders.is_empty() || drill.is_wrong_certificate;
        assert!(is_situation && !drill.reach.is_empty(), "{}", drill.id);
        // A drill that is not observable has a rule with an observable one.
        assert!(!drill.is_beyond_wire || drill.breaks.is_some(), "{}", drill.id);
    }
}

#[test]
fn a_wrong_line_says_what_to_do() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let messages = [
        &["drill"][..],
        &["drill", "--only", "limitd", "--", "true"],
        &["drill", "--jobs", "0", "--", "true"],
        &["drill", "--timeout", "0", "--", "true"],
        &["drill", "--timeout", "18446744073709551615", "--", "true"],
        &["drill", "--probe", "http://", "--", "true"],
        &["drill", "verify", "nowhere.json"],
        &["drill", "--report", "junit=a.xml", "--", "true"],
    ]
    .map(|words| {
        let ran = run(words, dir.path()).ended(2);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: there is no command to run
    help: give the command that runs the client's tests: moot drill -- CMD
    error: there is no drill `limitd`
    help: did you mean `limited`?
    error: invalid value '0' for '--jobs <N>': give a whole number from 1 to 64

    For more information, try '--help'.
    error: invalid value '0' for '--timeout <SECONDS>': give a whole number from 1 to 86400

    For more information, try '--help'.
    error: invalid value '18446744073709551615' for '--timeout <SECONDS>': give a whole number from 1 to 86400

    For more information, try '--help'.
    error: invalid value 'http://' for '--probe <CMD|URL>': `http://` is not an address: empty host

    For more information, try '--help'.
    error: `nowhere.json` cannot be read: No such file or directory (os error N)
    error: invalid value 'junit=a.xml' for '--report <KIND=FILE>': there is no junit report here, only text, json, html

    For more information, try '--help'.
    ");
    let ran = run(&["drill", "--list"], dir.path());
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(0), table::all().len()));
}

#[test]
fn a_command_without_calls_is_never_ready() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let schema = run(&["schema", "drill"], dir.path()).json();
    let validator = jsonschema::validator_for(&schema).expect("a sound schema");
    for command in [&["true"][..], &["false"], &["sh", "-c", "kill -9 $$"], &["no-such-command"]] {
        let ran = drill(&["--format", "json"], command, dir.path()).ended(3);
        let certificate = ran.json();
        assert_eq!(certificate["grade"], "inconclusive");
        let calm = &certificate["drills"][0];
        assert_eq!(calm["drill"], "calm");
        let end = if command == ["no-such-command"] { "disturbed" } else { "failed" };
        assert_eq!(calm["end"], end, "{calm}");
        assert_eq!(certificate["client"]["operations"], serde_json::json!([]), "it called nothing");
        assert!(validator.is_valid(&certificate));
    }
}

/// A client in its own process, and a pipe that closes at its end.
#[cfg(unix)]
#[test]
fn an_attached_client_is_waited_for_by_lines_of_stdin() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = ["drill", "--attach", "--only", "unavailable", "--format", "json"];
    let mut command = crate::command_support::moot(&words, dir.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut moot = command.spawn().expect("it runs");
    let mut stderr = BufReader::new(moot.stderr.take().expect("stderr is piped"));
    let mut said = String::new();
    while !said.contains("calm: Nothing happens") {
        assert_ne!(stderr.read_line(&mut said).expect("text"), 0, "{said}");
    }
    assert!(said.contains("MOOT_BASE_URL=http://127.0.0.1:"), "{said}");
    let mut stdin = moot.stdin.take().expect("stdin is piped");
    stdin.write_all(b"\n").expect("a written line");
    let output = moot.wait_with_output().expect("it ends");
    let certificate: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let calm = &certificate["drills"][0];
    assert_eq!((&calm["drill"], &calm["end"]), (&"calm".into(), &"failed".into()), "{calm}");
    assert_eq!(certificate["client"]["operations"], serde_json::json!([]), "it called nothing");

    let ran = run(&["drill", "--attach", "--seed", "1"], dir.path()).ended(3);
    let (_, error) = ran.stderr.split_once("\nerror: ").expect("an error");
    insta::assert_snapshot!(error, @r"
    stdin ended: there is no certificate
    help: write a line for each drill, or give a command that makes the client work: moot drill --attach -- CMD
    ");
    run(&["drill", "--port", "0", "--", "true"], dir.path()).ended(2);
}

#[test]
fn the_seed_decides_what_each_drill_finds() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let seen = |seed: &str| {
        let words =
            ["drill", "--seed", seed, "--format", "json", "--", "sh", "-c", "echo $MOOT_SEED"];
        let certificate = run(&words, dir.path()).json();
        assert_eq!(certificate["seed"].to_string(), seed);
        certificate["recordings"]["calm"]["output"].clone()
    };
    assert_eq!(seen("7"), seen("7"));
    assert_ne!(seen("7"), seen("8"));
}

#[test]
fn the_mock_of_a_drill_has_the_defects_of_the_command_line() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let client = [env!("CARGO_BIN_EXE_moot"), "selftest", "--misbehave", "none"];
    let reports = ["--report", "text=c.txt", "--report", "html=c.html"];
    for (options, lifetime) in [(&[][..], "7200"), (&["--defect", "token.lifetime-3600"], "3600")] {
        let given = options.iter().skip(1).copied().collect::<Vec<_>>();
        let options = [&["--only", "scope-lost", "--format", "json"], &reports[..], options];
        let certificate = drill(&options.concat(), &client, dir.path()).json();
        assert_eq!(certificate["defects"], serde_json::json!(given));
        for name in ["c.txt", "c.html"] {
            let text = std::fs::read_to_string(dir.path().join(name)).expect("a report");
            assert_eq!(text.contains("token.lifetime-3600"), !given.is_empty(), "{name}: {text}");
        }
        let calls = certificate["recordings"]["calm"]["journal"]["worlds"][0]["exchanges"].clone();
        let calls = calls.as_array().expect("calls").iter();
        let mut token = calls.filter(|it| it["operation"] == "create_access_token");
        let answer = token.next().expect("a token request")["answer"].to_string();
        assert!(answer.contains(lifetime), "{answer}");
    }
    drill(&["--defect", "token.lifetime-360"], &client, dir.path()).ended(2);
}

#[test]
fn a_shard_of_the_drills_is_never_ready_and_the_certificate_is_that_of_all() {
    let dir = tempfile::tempdir().expect("a folder");
    let client = ["--", env!("CARGO_BIN_EXE_moot"), "selftest", "--misbehave", "none"];
    let only = "token-expires,limited,scope-lost";
    let only = ["drill", "--only", only, "--seed", "7", "--defect", "token.lifetime-3600"];
    let one = run(&[&only[..], &["--format", "json"], &client].concat(), dir.path());
    for shard in ["1", "2"] {
        let (of, folder) = (format!("{shard}/2"), format!("part{shard}"));
        let words = [&only[..], &["--shard", &of, "--record", &folder], &client].concat();
        run(&words, dir.path()).ended(3);
    }
    let merged = run(&["merge", "part2", "part1", "--format", "json"], dir.path()).ended(3);
    let (one, merged) = (one.json(), merged.json());
    let ends = |certificate: &Value| -> Vec<(String, String)> {
        let drills = certificate["drills"].as_array().expect("drills").iter();
        drills.map(|it| (it["drill"].to_string(), it["end"].to_string())).collect()
    };
    assert_eq!(ends(&merged), ends(&one));
    assert_eq!(ends(&merged).len(), 4, "the calm run and three drills");
    for member in ["seed", "defects", "grade", "reasons", "client"] {
        assert_eq!(merged[member], one[member], "{member}");
    }
    assert_eq!(merged["defects"], serde_json::json!(["token.lifetime-3600"]));
    for parts in [&["part2"][..], &["part2", "part2"], &["part1", "part2", "part2"]] {
        run(&[&["merge"], parts].concat(), dir.path()).ended(2);
    }
    run(&["merge", "--partial", "part2"], dir.path()).ended(3);
}
