//! Finding programs, and running `moot` as its users do.

pub(crate) mod example;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names the binary to test. Without it the binary is built first.
const BINARY_VARIABLE: &str = "MOOT_BINARY";

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The first of these commands that succeeds, without its arguments. Fails the test if none succeeds.
#[track_caller]
pub(crate) fn program<'a>(probes: &[&[&'a str]], package: &str) -> &'a str {
    let works = |probe: &&&[&str]| {
        let mut command = Command::new(probe[0]);
        command.args(&probe[1..]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let Some(probe) = probes.iter().find(works) else {
        let tried: Vec<String> = probes.iter().map(|probe| probe.join(" ")).collect();
        panic!(
            "this test needs a program that is missing: none of `{}` works. Run `.ci/setup`, or \
             install it (Debian: apt-get install --no-install-recommends {package})",
            tried.join("`, `")
        );
    };
    probe[0]
}

/// The output of a command, and its exit code.
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `moot` with these arguments in a folder. Its commands find `moot` on the PATH, as users do.
#[track_caller]
pub(crate) fn moot(arguments: &[&str], folder: &Path) -> Output {
    started(Command::new(binary()).args(arguments), folder)
}

/// Runs a program with these environment variables. It finds `moot` on the PATH.
#[track_caller]
pub(crate) fn script(words: &[&str], folder: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(words[0]);
    started(command.args(&words[1..]).envs(variables.iter().copied()), folder)
}

#[track_caller]
fn started(command: &mut Command, folder: &Path) -> Output {
    command.current_dir(folder).env("PATH", path_with(binary()));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "MOOT_ADMIN_TOKEN", "MOOT_CLIENT_ID", "CI"] {
        command.env_remove(name);
    }
    let output = command.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Output { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The binary under test, built once if the environment does not name one.
pub(crate) fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os(BINARY_VARIABLE) {
        Some(path) => std::fs::canonicalize(path).expect("MOOT_BINARY names a file"),
        None => build(),
    })
}

fn build() -> PathBuf {
    // This test is <target>/<profile>/deps/<name>.
    let test = std::env::current_exe().expect("a test has a path");
    let target = test.ancestors().nth(3).expect("a test is in a target folder");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--package", "moot-harness", "--features", "postgres"])
        .args(["--bin", "moot", "--target-dir"])
        .arg(target)
        .current_dir(root())
        .status()
        .expect("cargo runs");
    assert!(built.success(), "moot cannot be built");
    target.join("debug").join(format!("moot{}", std::env::consts::EXE_SUFFIX))
}

/// The PATH with the folder of the binary in front.
fn path_with(binary: &Path) -> OsString {
    let own = binary.parent().expect("a file is in a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(own).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).expect("folders of a PATH")
}
