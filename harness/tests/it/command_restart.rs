//! `moot mock --state`, stopped and started again: flags, stored data and output.

use std::path::Path;

use serde_json::{Value, json};

use crate::command_support::{Running, call, call_json, demo_token, message, moot};

const FROZEN: &str = "frozen:2026-03-05T14:30:00Z";

/// Starts a mock with its state in `dir`.
struct Kept {
    running: Running,
    ready: Value,
}

impl Kept {
    fn start(dir: &Path, words: &[&str]) -> Self {
        let common = ["mock", "--listen", "127.0.0.1:0", "--state", "state", "--format", "json"];
        let running = Running::of(moot(&[&common, words].concat(), dir));
        let ready = running.ready();
        Self { running, ready }
    }

    fn host(&self) -> &str {
        self.ready["listen"].as_str().expect("an address")
    }

    fn admin(&self, line: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, response) = call_json(self.host(), line, "", &body);
        assert_eq!(status, 200, "{line}: {response}");
        response
    }

    fn stop(self) {
        assert_eq!(self.running.stop("-TERM").0, Some(0));
    }
}

#[test]
fn a_clock_that_is_given_wins_over_the_kept_one_and_is_printed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &["--clock", FROZEN]);
    assert_eq!(first.ready["clock"], json!({ "now": "2026-03-05T14:30:00Z", "frozen": true }));
    first.admin("POST /__admin/clock", &json!({ "advance_seconds": 1 }));
    first.stop();
    let kept = Kept::start(dir.path(), &[]);
    assert_eq!(kept.ready["clock"], json!({ "now": "2026-03-05T14:30:01Z", "frozen": true }));
    kept.stop();
    let real = Kept::start(dir.path(), &["--clock", "real"]);
    assert_eq!(real.ready["clock"]["frozen"], json!(false));
    let now = real.admin("GET /__admin/clock", &Value::Null);
    assert_eq!(now["frozen"], json!(false), "what is printed is what holds");
    assert_ne!(&now["now"].as_str().expect("a time")[..10], "2026-03-05");
    real.stop();
    let still_real = Kept::start(dir.path(), &[]);
    assert_eq!(still_real.ready["clock"]["frozen"], json!(false), "a flag is kept too");
    still_real.stop();
}

#[test]
fn a_rate_limit_that_is_given_wins_over_the_kept_one_and_is_printed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &[]);
    assert_eq!(first.ready["rate_limit"], "enforce");
    first.admin("PUT /__admin/rate_limit", &json!({ "mode": "observe" }));
    first.stop();
    for (words, expected) in [(vec![], "observe"), (vec!["--rate-limit", "off"], "off")] {
        let again = Kept::start(dir.path(), &words);
        assert_eq!(again.ready["rate_limit"], expected);
        let mode = again.admin("GET /__admin/rate_limit", &Value::Null)["mode"].clone();
        assert_eq!(mode, expected, "what is printed is what holds");
        again.stop();
    }
}

#[test]
fn settings_of_run_time_are_kept_and_flags_win_over_them() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &[]);
    assert_eq!(first.ready["progression"], "manual");
    let settings = json!({ "progression": "timed:5", "answers": { "per_page": 7 } });
    first.admin("PUT /__admin/settings", &settings);
    first.stop();
    let flags = ["--progression", "manual", "--answers", "default"];
    for (words, progression, per_page) in [(&[][..], "timed:5", 7), (&flags[..], "manual", 25)] {
        let again = Kept::start(dir.path(), words);
        assert_eq!(again.ready["progression"], progression, "{words:?}");
        let holds = again.admin("GET /__admin/settings", &Value::Null);
        assert_eq!(holds["progression"], progression, "{words:?}");
        assert_eq!(holds["answers"]["per_page"], per_page, "{words:?}");
        again.stop();
    }
}

/// A killed mock without a state folder leaves its uploads behind. The next start removes them.
#[test]
fn uploads_of_a_killed_mock_are_removed_by_the_next_start() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let temporary = dir.path().join("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    let start = || {
        let words = ["mock", "--listen", "127.0.0.1:0", "--format", "json"];
        let mut command = moot(&words, dir.path());
        let running = Running::of({
            command.env("TMPDIR", &temporary);
            command
        });
        let ready = running.ready();
        Kept { running, ready }
    };
    let left = || std::fs::read_dir(&temporary).expect("a folder").count();
    let upload = |mock: &Kept| {
        let token = demo_token(mock.host(), "");
        let body = format!(
            "--b0\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n{}\r\n--b0--\r\n",
            "x".repeat(200_000)
        );
        let kind = "multipart/form-data; boundary=b0";
        let line = "POST /v1/repository_documents";
        assert_eq!(call(mock.host(), line, &token, (kind, body.as_bytes())).0, 201);
    };
    let killed = start();
    upload(&killed);
    let alive = start();
    upload(&alive);
    assert_eq!(left(), 2);
    drop(killed.running);
    assert_eq!(left(), 2, "nobody was left to remove it");
    start().stop();
    assert_eq!(left(), 1, "that of the living mock stays");
    alive.stop();
    assert_eq!(left(), 0);
}

#[test]
fn stored_data_has_precedence_over_seed_and_world_with_a_message() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    Kept::start(dir.path(), &["--seed", "7", "--world", "demo"]).stop();
    let is_row = |line: &str, name| line.split_whitespace().next() == Some(name);
    let mut messages = String::new();
    for words in [&["--seed", "7", "--world", "demo"][..], &["--seed", "8"], &["--world", "empty"]]
    {
        let common = ["mock", "--listen", "127.0.0.1:0", "--state", "state"];
        let mut command = moot(&[&common[..], words].concat(), dir.path());
        let errors = std::fs::File::create(dir.path().join("errors")).expect("a file");
        command.stderr(errors);
        let (code, rest) = Running::of(command).stop("-TERM");
        assert_eq!(code, Some(0));
        let errors = std::fs::read_to_string(dir.path().join("errors")).expect("a file");
        messages += &message(&errors);
        for line in rest.lines().filter(|line| is_row(line, "world") || is_row(line, "seed")) {
            messages += &format!("{line}\n");
        }
    }
    insta::assert_snapshot!(messages, @r"
      world          from the state folder, answers as kept
      seed           7
    `state` has the data of an earlier mock, so --seed and --world are ignored; give --state another place for new data
      world          from the state folder, answers as kept
      seed           7
    `state` has the data of an earlier mock, so --seed and --world are ignored; give --state another place for new data
      world          from the state folder, answers as kept
      seed           7
    ");
}

#[test]
fn a_token_outlives_a_restart_on_another_port() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let first = Kept::start(dir.path(), &[]);
    let sandbox = call_json(first.host(), "POST /__admin/sandboxes", "", "{}").1;
    let id = sandbox["id"].as_str().expect("an id").to_owned();
    let bases = [String::new(), format!("/sandboxes/{id}")];
    let tokens = bases.clone().map(|base| demo_token(first.host(), &base));
    let port = first.host().to_owned();
    first.stop();
    // The second mock can't get the port of the first.
    let _blocker = std::net::TcpListener::bind(&port).expect("a free port");
    let again = Kept::start(dir.path(), &[]);
    assert_ne!(again.host(), port, "another port, so another base address");
    for (at, base) in bases.iter().enumerate() {
        for (of, token) in tokens.iter().enumerate() {
            let line = format!("GET {base}/v1/workflows");
            let (status, response) = call(again.host(), &line, token, ("text/plain", b""));
            assert_eq!(status, if at == of { 200 } else { 401 }, "{line} with {of}: {response}");
        }
    }
    again.stop();
}

/// The size limit of the mock's files while the disk is full.
#[cfg(target_os = "linux")]
const FULL_BYTES: u64 = 2 * 1024 * 1024;

/// Sets the size limit for files of a process. A longer write fails as on a full disk.
#[cfg(target_os = "linux")]
fn limit_files(pid: u32, bytes: &str) {
    let limit = format!("--fsize={bytes}:unlimited");
    let pid = pid.to_string();
    let ran = std::process::Command::new("prlimit").args(["--pid", &pid, &limit]).status();
    assert!(ran.expect("install prlimit (util-linux)").success());
}

/// Ignores the signal for this limit, so that the write returns an error.
#[cfg(target_os = "linux")]
fn with_signal_ignored(words: &[&str], dir: &Path) -> std::process::Command {
    let binary = moot(&[], dir);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    command.arg(binary.get_program()).args(words).current_dir(dir);
    command
}

/// Requests a token with the credentials in the form.
#[cfg(target_os = "linux")]
fn ask_for_token(host: &str, form: &str) -> (u16, Value) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(host).expect("it listens");
    let head = format!(
        "POST /oauth/token HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    let status = head[9..12].parse().expect("a status");
    (status, serde_json::from_str(body).expect("JSON"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_no_data_and_writing_works_again_with_free_space() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words =
        ["mock", "--listen=127.0.0.1:0", "--state=state", "--format=json", "--rate-limit=off"];
    let running = Running::of(with_signal_ignored(&words, dir.path()));
    let ready = running.ready();
    let mock = Kept { running, ready };
    let token = demo_token(mock.host(), "");
    // Large documents are files, metadata are in the database.
    let upload = |file_bytes: usize, metadata_bytes: usize| {
        let (text, note) = ("x".repeat(file_bytes), "x".repeat(metadata_bytes));
        let body = format!(
            "--b0\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n{text}\r\n\
             --b0\r\nContent-Disposition: form-data; name=metadata\r\n\r\n{{\"note\":\"{note}\"}}\r\n\
             --b0--\r\n"
        );
        let kind = "multipart/form-data; boundary=b0";
        call(mock.host(), "POST /v1/repository_documents", &token, (kind, body.as_bytes()))
    };
    assert_eq!(upload(1_000, 0).0, 201);
    limit_files(mock.running.pid(), &FULL_BYTES.to_string());
    // A large document does not fit, and metadata fill the database.
    let (status, problem) = upload(3 * 1024 * 1024, 0);
    assert_eq!((status, &problem["type"]), (500, &json!("state_not_kept")), "{problem}");
    assert_eq!(problem["instance"], "/v1/repository_documents");
    assert!(problem["request_id"].is_string(), "{problem}");
    let mut stored = 1;
    while upload(1_000, 60_000).0 == 201 {
        stored += 1;
        assert!(stored < 1_000, "the disk is never full");
    }
    let form = format!(
        "grant_type=client_credentials&scope=read&client_id=demo-main&client_secret={}",
        mock.ready["applications"][0]["client_secret"].as_str().expect("a secret")
    );
    let ask = || ask_for_token(mock.host(), &form);
    let (status, failure) = ask();
    assert_eq!((status, &failure["error"]), (500, &json!("server_error")), "{failure}");
    let (status, refused) =
        call_json(mock.host(), "PUT /__admin/rate_limit", "", r#"{"mode":"off"}"#);
    assert_eq!((status, &refused["type"]), (500, &json!("state_not_kept")), "{refused}");
    limit_files(mock.running.pid(), "unlimited");
    assert_eq!(ask().0, 200, "no restart is needed");
    assert_eq!(upload(3 * 1024 * 1024, 0).0, 201);
    stored += 1;
    let count = |mock: &Kept| {
        let world = mock.admin("GET /__admin/world", &Value::Null);
        world["companies"][0]["counts"]["repository_documents"].as_u64().expect("a number")
    };
    let before = count(&mock);
    mock.stop();
    let again = Kept::start(dir.path(), &[]);
    assert_eq!(count(&again), before, "everything is there after a restart");
    // With free space the document is stored.
    assert!(before >= stored, "{before} of {stored}");
    again.stop();
}
