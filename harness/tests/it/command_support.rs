//! Runs the real binary, in an environment without settings.

use std::env::temp_dir;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

/// A suite of one scenario, which passes.
pub(crate) const LIST_SCENARIO: &str = "\
section: \"4.6\"
title: A sample
scenarios:
  - id: lists
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        expect:
          list-legal-requests.status-200: { status: 200 }
";

/// The binary with these words, in this folder.
pub(crate) fn moot(words: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moot"));
    command.args(words).current_dir(dir);
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "MOOT_ADMIN_TOKEN", "MOOT_CLIENT_ID", "CI"] {
        command.env_remove(name);
    }
    command
}

/// The result of a command.
pub(crate) struct Ran {
    words: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn of(mut command: Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        let words = format!("{:?}", command.get_args().collect::<Vec<_>>());
        Self { words, code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Asserts its exit code.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        let Self { words, stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "{words}\n{stdout}{stderr}");
        self
    }

    /// Its output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let json = serde_json::from_str(&self.stdout);
        json.unwrap_or_else(|error| panic!("{error}\n{}{}", self.stdout, self.stderr))
    }
}

/// Runs it to its end.
#[track_caller]
pub(crate) fn run(words: &[&str], dir: &Path) -> Ran {
    Ran::of(moot(words, dir))
}

/// A printed text for a snapshot: without the line that begins a run, because its seed is drawn, and with placeholders
/// for temporary folders, ports of loopback and error numbers of the operating system.
pub(crate) fn message(text: &str) -> String {
    let folder = format!(r"{}[/\\]+\.tmp\w+", regex::escape(&temp_dir().display().to_string()));
    let mut text = text.to_owned();
    for (pattern, placeholder) in [
        (folder.as_str(), "DIR"),
        (r"(?m)^moot \d+\.\d+\.\d+: .*, seed \d+\n", ""),
        (r"(127\.0\.0\.1|localhost):\d+", "$1:PORT"),
        (r"\(os error \d+\)", "(os error N)"),
    ] {
        let pattern = Regex::new(pattern).expect("a valid pattern");
        text = pattern.replace_all(&text, placeholder).into_owned();
    }
    text
}

/// A folder with these files: name and text.
pub(crate) fn folder_of(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("writable");
    }
    dir
}

/// Reads a JSON file.
#[track_caller]
pub(crate) fn read_json(path: impl AsRef<Path>) -> Value {
    let text = fs::read_to_string(path).expect("the file was written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Sends a call with a token and a body, and returns status and body of the response.
#[track_caller]
pub(crate) fn call(
    host: &str,
    line: &str,
    token: &str,
    (content_type, body): (&str, &[u8]),
) -> (u16, Value) {
    let mut stream = TcpStream::connect(host).expect("it listens");
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    let (head, body) = response.split_once("\r\n\r\n").expect("it answers with a head");
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
    let json = serde_json::from_str(body);
    (
        status,
        json.unwrap_or_else(|_| if body.is_empty() { Value::Null } else { panic!("{response}") }),
    )
}

/// As [`call`], with JSON.
#[track_caller]
pub(crate) fn call_json(host: &str, line: &str, token: &str, body: &str) -> (u16, Value) {
    call(host, line, token, ("application/json", body.as_bytes()))
}

/// Starts a mock with these options, and writes a target file for it with `more`.
pub(crate) fn mock_target(file: &Path, options: &[&str], more: &str) -> Running {
    let mock = Running::start(&[&["--format", "json"], options].concat());
    fs::write(file, format!("base_url: {}\n{more}", mock.base_url())).expect("writable");
    mock
}

/// A token for the application `demo-main` of the mock at this host. `world` is empty, or the path of a sandbox.
#[track_caller]
pub(crate) fn demo_token(host: &str, world: &str) -> String {
    let line = format!("POST {world}/__admin/tokens");
    let (_, minted) = call_json(host, &line, "", r#"{"client_id":"demo-main"}"#);
    minted["access_token"].as_str().expect("a token").to_owned()
}

/// Writes a certificate for this host as `cert.pem`, and its key as `key.pem`.
pub(crate) fn certify(dir: &Path, host: &str) {
    let made = rcgen::generate_simple_self_signed([host.to_owned()]).expect("a certificate");
    fs::write(dir.join("cert.pem"), made.cert.pem()).expect("writable");
    fs::write(dir.join("key.pem"), made.signing_key.serialize_pem()).expect("writable");
}

/// A running mock or receiver, with its first line of output.
pub(crate) struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) first_line: String,
}

impl Running {
    /// Starts a mock.
    pub(crate) fn start(words: &[&str]) -> Self {
        Self::start_as("mock", words)
    }

    /// Starts a command that listens.
    pub(crate) fn start_as(command: &str, words: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", command, words)
    }

    /// Starts a command that listens at this address.
    pub(crate) fn start_at(address: &str, command: &str, words: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Self::of(moot(&[&[command, "--listen", address], words].concat(), dir.path()))
    }

    /// Starts this command.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut output = BufReader::new(stdout);
        let mut first_line = String::new();
        output.read_line(&mut first_line).expect("it prints text");
        Self { child, output, first_line }
    }

    /// The first line of output as JSON.
    #[track_caller]
    pub(crate) fn ready(&self) -> Value {
        serde_json::from_str(&self.first_line).expect("one line of JSON")
    }

    /// The base address in its first line.
    #[track_caller]
    pub(crate) fn base_url(&self) -> String {
        self.ready()["base_url"].as_str().expect("an address").to_owned()
    }

    /// Host and port of the base address.
    #[track_caller]
    pub(crate) fn host(&self) -> String {
        let base_url = self.base_url();
        base_url.strip_prefix("http://").expect("an address with plain http").to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL: no handler runs.
    pub(crate) fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end. Returns its exit code and the rest of its output.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("it prints text");
        (self.child.wait().expect("it ends").code(), rest)
    }

    /// Sends a signal. Returns its exit code and the rest of its output.
    pub(crate) fn stop(self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args([signal, &pid]).status().expect("there is a kill");
        assert!(told.success());
        self.wait()
    }
}

/// A failed test leaves no mock running.
impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}
