//! Running the binary as a person or a script does, in an environment without settings.

use std::path::Path;
use std::process::{Command, Output};

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
