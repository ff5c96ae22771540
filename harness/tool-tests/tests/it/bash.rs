//! `moot exec` reports the calls of its command. The commands are scripts that call the mock through the sockets of
//! bash.

mod action;

use serde_json::Value;

use crate::support::{Output, moot, program, script};

/// Runs a script with bash under `moot exec`.
#[track_caller]
fn exec(options: &[&str], script: &str) -> Output {
    let bash = program(&[&["bash", "-c", "true"]], "bash");
    let dir = tempfile::tempdir().expect("a temporary folder");
    moot(&[&["exec"], options, &["--", bash, "-c", script]].concat(), dir.path())
}

/// A script that calls `path` this many times and exits with 3.
fn calls(path: &str, times: usize) -> String {
    format!(
        "host=${{MOOT_BASE_URL#http://}}; for at in $(seq {times}); do \
         exec 3<>/dev/tcp/${{host%:*}}/${{host#*:}}; \
         printf 'GET {path} HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' \"$host\" >&3; \
         cat <&3 >/dev/null; exec 3>&-; done; exit 3"
    )
}

#[test]
fn the_text_output_reports_the_calls_of_the_command() {
    let output = exec(&[], &calls("/v1/requests", 2));
    assert_eq!(output.code, Some(3), "{}", output.stderr);
    assert_eq!(output.stdout, "", "stdout is the command's");
    for part in [
        "It made 2 calls",
        "list_legal_requests  2  401 ×2",
        "invalid_token, list_legal_requests (call 1)",
        "add the header `Authorization: Bearer <ACCESS_TOKEN>`",
        "no-token: 2 calls without a valid access token (§5.2, call 1)",
    ] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
}

#[test]
fn the_last_line_of_stdout_is_json_for_programs() {
    let script = format!("echo mine; {}", calls("/v1/nowhere", 3));
    let output = exec(&["--format", "json"], &script);
    assert_eq!(output.stderr, "");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "mine"));
    let told: Value = serde_json::from_str(lines[1]).expect("it is JSON");
    assert_eq!(told["exit_code"], 3);
    assert_eq!(told["conduct"]["calls"], 3);
    assert_eq!(told["conduct"]["operations"][0]["statuses"]["404"], 3);
    assert_eq!(told["conduct"]["findings"][0]["rule"], "refused-repeated");
}

#[test]
fn the_flags_of_the_mock_hold() {
    let script = calls("/v1/nowhere", 601);
    let options = ["--format", "json", "--clock", "frozen"];
    let limited = exec(&options, &script);
    assert!(limited.stdout.contains("rate_limit_exceeded"), "{}", limited.stdout);
    let unlimited = exec(&["--format", "json", "--rate-limit", "off"], &script);
    assert!(!unlimited.stdout.contains("rate_limit_exceeded"), "{}", unlimited.stdout);
}

/// Calls in a sandbox count, even if the sandbox is deleted at the end.
#[test]
fn calls_in_sandboxes_are_also_reported() {
    let send = |line: &str| {
        format!(
            "exec 3<>/dev/tcp/${{host%:*}}/${{host#*:}}; printf '{line} HTTP/1.1\\r\\nHost: \
             %s\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n' \"$host\" >&3; cat <&3 \
             >/dev/null; exec 3>&-; "
        )
    };
    let script = [
        "host=${MOOT_BASE_URL#http://}; ".to_owned(),
        send("POST /__admin/sandboxes"),
        send("POST /__admin/sandboxes"),
        send("GET /sandboxes/s1/v1/requests"),
        send("GET /sandboxes/s2/v1/requests"),
        send("DELETE /__admin/sandboxes/s1"),
    ]
    .concat();
    let output = exec(&["--format", "json"], &script);
    let told: Value = serde_json::from_str(output.stdout.trim_end()).expect("it is JSON");
    let conduct = &told["conduct"];
    assert_eq!((&conduct["calls"], &conduct["sandboxes"]), (&2.into(), &2.into()), "{conduct}");
    assert_eq!(conduct["operations"][0]["statuses"]["401"], 2);
    assert_eq!(conduct["errors"][0]["sandbox"], "s1");
    assert_eq!(conduct["findings"][0]["worlds"], 2);
}

/// A client that puts a secret into a path. The report masks it.
#[test]
fn no_secret_of_a_world_is_in_the_report() {
    let send = |head: &str, words: &str, then: &str| {
        format!(
            "exec 3<>/dev/tcp/${{host%:*}}/${{host#*:}}; printf '{head}' {words} >&3; {then}; exec 3>&-; "
        )
    };
    let get = |path: &str| {
        let head = "GET %s HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: Bearer %s\\r\\n\
                    Connection: close\\r\\n\\r\\n";
        send(head, &format!("\"{path}\" \"$host\" \"$token\""), "cat <&3 >/dev/null")
    };
    let mint = send(
        "POST /__admin/tokens HTTP/1.1\\r\\nHost: %s\\r\\nContent-Length: 25\\r\\n\
         Connection: close\\r\\n\\r\\n{\"client_id\":\"demo-main\"}",
        "\"$host\"",
        "response=$(cat <&3); token=${response#*access_token\\\":\\\"}; token=${token%%\\\"*}",
    );
    let script = [
        "host=${MOOT_BASE_URL#http://}; ".to_owned(),
        mint,
        get("/v1/requests/$MOOT_CLIENT_SECRET"),
        get("/v1/workflows/$token"),
        "echo \"$token $MOOT_CLIENT_SECRET\" > secrets".to_owned(),
    ]
    .concat();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let options =
        ["exec", "--report", "json=told.json", "--report", "text=told.txt", "--", "bash", "-c"];
    program(&[&["bash", "-c", "true"]], "bash");
    let output = moot(&[&options[..], &[&script]].concat(), dir.path());
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("a file");
    let secrets = read("secrets");
    let secrets: Vec<&str> = secrets.split_whitespace().collect();
    assert_eq!(secrets.len(), 2, "{secrets:?}");
    for told in [output.stderr, read("told.json"), read("told.txt")] {
        assert!(told.contains("[secret]"), "{told}");
        for secret in &secrets {
            assert!(!told.contains(secret), "{secret}: {told}");
        }
    }
    let json: Value = serde_json::from_str(&read("told.json")).expect("it is JSON still");
    assert_eq!(json["conduct"]["calls"], 2);
}

/// Starts a mock and sends three calls. The service refuses the first and the last. The second goes to the control
/// plane.
const REFUSED_CALLS: &str = r#"
moot mock --port 0 >ready & mock=$!
for at in $(seq 200); do grep -q '127.0.0.1:' ready && break; sleep 0.05; done
address=$(grep -o '127.0.0.1:[0-9]*' ready | head -1)
for path in /v1/webhooks /__admin/health /v1/nowhere; do
  exec 3<>/dev/tcp/${address%:*}/${address#*:}
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' $path $address >&3
  cat <&3 >/dev/null; exec 3>&-
done
kill $mock; wait $mock
"#;

/// `script` is the terminal. Without `-v` the mock shows only the refused calls.
#[test]
fn a_mock_on_a_terminal_shows_the_calls_that_it_refuses() {
    program(&[&["bash", "-c", "true"]], "bash");
    let terminal = program(&[&["script", "-qec", "true", "/dev/null"]], "bsdutils");
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(dir.path().join("walk.sh"), REFUSED_CALLS).expect("writable");
    let words = [terminal, "-qec", "bash walk.sh", "/dev/null"];
    let output = script(&words, dir.path(), &[("TERM", "xterm")]);
    let said = output.stdout;
    let lines: Vec<&str> = said.lines().filter(|line| line.contains(" ms")).collect();
    assert_eq!(lines.len(), 2, "{said}");
    for (line, parts) in lines.iter().zip([["/v1/webhooks", "401"], ["/v1/nowhere", "404"]]) {
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?}: {said}");
    }
}
