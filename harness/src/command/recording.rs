//! What a run does with recorded responses: the folder, the mode, and the bundle it leaves.

use std::fs;
use std::path::{Path, PathBuf};

use moot_snapshots::Bundle;

use super::failure::Failure;
use super::line::{RunArguments, SNAPSHOT_DIR, SnapshotChoice};
use super::run::is_bundled_mock;
use super::screen::Screen;
use crate::masks::Secrets;
use crate::result::RunResult;
use crate::run::{SnapshotMode, slug};

/// Set by CI systems; `false` is not set.
const CI: &str = "CI";

/// The name of the mock in this process among targets.
const MOCK: &str = "mock";

/// Where recorded responses are, and what is done with them.
pub(super) struct Recording {
    pub(super) mode: SnapshotMode,
    pub(super) folder: PathBuf,
    target: String,
    bundle: Option<PathBuf>,
}

impl Recording {
    /// What the line asks for.
    ///
    /// # Errors
    /// Recording where nothing may be written, a bundle of nothing, a folder that can't be read.
    pub(super) fn of(arguments: &RunArguments) -> Result<Self, Failure> {
        let target = target_name(arguments.target.target.as_deref());
        let default = || Path::new(SNAPSHOT_DIR).join(&target);
        let folder = arguments.snapshot_dir.clone().unwrap_or_else(default);
        let bundle = arguments.snapshot_bundle.clone();
        let mode = match (arguments.snapshots, &bundle) {
            (Some(SnapshotChoice::Check), _) => SnapshotMode::Check,
            (Some(SnapshotChoice::Record), Some(_)) => SnapshotMode::Collect,
            (Some(SnapshotChoice::Record), None) if is_ci() => {
                return Err(Failure::usage(format!(
                    "{CI} is set, and there nothing is recorded beside the sources"
                ))
                .help("--snapshot-bundle FILE, and later `moot snapshot apply FILE`"));
            }
            (Some(SnapshotChoice::Record), None) => SnapshotMode::Record,
            (Some(SnapshotChoice::Off), None) => SnapshotMode::Off,
            (None, _) if is_at_home(arguments) && !moot_snapshots::list(&folder)?.is_empty() => {
                SnapshotMode::Check
            }
            (None, None) => SnapshotMode::Off,
            (Some(SnapshotChoice::Off) | None, Some(_)) => {
                return Err(Failure::usage("a bundle holds what snapshots show, and they are off")
                    .help("--snapshots check, or record"));
            }
        };
        Ok(Self { mode, folder, target, bundle })
    }

    /// Writes the bundle, where one was asked for.
    ///
    /// # Errors
    /// A secret of the run stands in it, or it can't be written.
    pub(super) fn keep(&self, result: &RunResult, screen: &Screen) -> Result<(), Failure> {
        let Some(file) = &self.bundle else { return Ok(()) };
        let text = Bundle::new(self.target.clone(), result.snapshots.new.clone()).to_text();
        let shown = file.display();
        if Secrets::of(&result.masks).is_in(&text) {
            return Err(Failure::fault(format!(
                "the bundle holds a secret of the run, and {shown} was not written"
            )));
        }
        fs::write(file, text)
            .map_err(|error| Failure::fault(format!("{shown} can't be written: {error}")))?;
        let count = result.snapshots.new.len();
        screen.note(&format!("{count} snapshots in {shown}: moot snapshot apply {shown}\n"))
    }
}

/// The folder of a target: of a file its stem, of an address its host.
fn target_name(target: Option<&str>) -> String {
    let Some(target) = target else { return MOCK.to_owned() };
    let host = url::Url::parse(target).ok().and_then(|url| url.host_str().map(str::to_owned));
    let stem = || Path::new(target).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    slug(&host.or_else(stem).unwrap_or_default())
}

/// Whether the folder is the target's own: that of the mock is for its own world and answers, and
/// another one is held against it only where that is asked for.
fn is_at_home(arguments: &RunArguments) -> bool {
    arguments.target.target.is_some() || is_bundled_mock(&arguments.target)
}

fn is_ci() -> bool {
    std::env::var(CI).is_ok_and(|value| !value.is_empty() && value != "false")
}

#[cfg(test)]
mod tests {
    use super::target_name;

    #[test]
    fn every_target_has_a_folder() {
        for (target, expected) in [
            (None, "mock"),
            (Some("targets/staging.yaml"), "staging"),
            (Some("https://legal.example.com:8443/api"), "legal_example_com"),
            (Some("http://127.0.0.1:4010"), "127_0_0_1"),
        ] {
            assert_eq!(target_name(target), expected, "{target:?}");
        }
    }
}
