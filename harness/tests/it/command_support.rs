//! Running the binary as a person or a script does, in an environment without settings.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// The binary with these words, in this folder.
pub(crate) fn moot(words: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_moot"));
    command.args(words).current_dir(dir);
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "MOOT_ADMIN_TOKEN", "MOOT_CLIENT_ID", "CI"] {
        command.env_remove(name);
    }
    command
}

/// What came of it.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs it to its end.
#[track_caller]
pub(crate) fn run(words: &[&str], dir: &Path) -> Ran {
    let Output { status, stdout, stderr } = moot(words, dir).output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// A mock, or a receiver, that runs, with its first line of output.
pub(crate) struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) first_line: String,
}

impl Running {
    /// A mock.
    pub(crate) fn start(words: &[&str]) -> Self {
        Self::start_as("mock", words)
    }

    /// Whatever listens.
    pub(crate) fn start_as(command: &str, words: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", command, words)
    }

    /// Whatever listens there.
    pub(crate) fn start_at(address: &str, command: &str, words: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut command = moot(&[&[command, "--listen", address], words].concat(), dir.path());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut output = BufReader::new(stdout);
        let mut first_line = String::new();
        output.read_line(&mut first_line).expect("it prints text");
        Self { child, output, first_line }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its exit code and the rest of its output, once it ended by itself.
    pub(crate) fn wait(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("it prints text");
        (self.child.wait().expect("it ends").code(), rest)
    }

    /// Tells it to stop; its exit code and the rest of its output.
    pub(crate) fn stop(self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args([signal, &pid]).status().expect("there is a kill");
        assert!(told.success());
        self.wait()
    }
}

/// A test that fails leaves no mock behind.
impl Drop for Running {
    fn drop(&mut self) {
        // One that was told to stop is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
