//! The recorded responses of a run: their folder, the mode, and the bundle of new responses.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use moot_snapshots::{Bundle, StoreMode};

use super::error::CommandError;
use super::files::unwritable;
use super::reports::write_without_secrets;
use super::screen::Screen;
use super::target_arguments::TargetArguments;
use crate::client::operator::person::is_ci;
use crate::exchange::masks::Secrets;
use crate::run::slug;
use crate::verdict::pluralize;
use crate::verdict::result::RunResult;

/// The folder of recorded responses, with a folder for each target.
pub(super) const SNAPSHOT_DIR: &str = "snapshots";

/// The target name of the mock in this process.
const MOCK: &str = "mock";

/// The options for recorded responses.
#[derive(Debug, Args)]
pub(super) struct SnapshotArguments {
    /// How to use recorded responses [default: check if there are any, else off]
    #[arg(long, value_enum)]
    snapshots: Option<SnapshotChoice>,
    /// The folder of recorded responses [default: snapshots/TARGET]
    #[arg(long, value_name = "DIR")]
    snapshot_dir: Option<PathBuf>,
    /// Write new and different responses to this file, and nothing to the folder. Required in CI
    #[arg(long, value_name = "FILE")]
    pub(super) snapshot_bundle: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SnapshotChoice {
    /// Compare; a difference is drift
    Check,
    /// Write new responses; write different ones beside the accepted ones, for a decision
    Record,
    /// Ignore recorded responses
    Off,
}

/// The recorded responses of a run.
pub(super) struct RunSnapshots {
    /// `None` if snapshots are off.
    pub(super) mode: Option<StoreMode>,
    pub(super) folder: PathBuf,
    target: String,
    bundle: Option<PathBuf>,
}

impl RunSnapshots {
    /// Chooses the mode and the folder by the options.
    ///
    /// # Errors
    /// The options record in CI without a bundle, or write a bundle without snapshots; the folder can't be read, or it
    /// can't be written where the run will write it.
    pub(super) fn new(
        arguments: &SnapshotArguments,
        target: &TargetArguments,
    ) -> Result<Self, CommandError> {
        let name = target_name(target.target.as_deref());
        let default = || Path::new(SNAPSHOT_DIR).join(&name);
        let folder = arguments.snapshot_dir.clone().unwrap_or_else(default);
        let bundle = arguments.snapshot_bundle.clone();
        // The folder `mock` belongs to the bundled mock. A mock with another world or other answers is compared
        // with it only on request.
        let has_own_folder =
            target.target.is_some() || (target.world.is_none() && target.answers.is_none());
        // A broken file is refused before anything is sent.
        let may_be_used = match arguments.snapshots {
            Some(choice) => choice != SnapshotChoice::Off,
            None => has_own_folder,
        };
        let is_recorded = may_be_used && !moot_snapshots::list(&folder)?.is_empty();
        let mode = match (arguments.snapshots, &bundle) {
            (Some(SnapshotChoice::Check), _) => Some(StoreMode::Check),
            (Some(SnapshotChoice::Record), Some(_)) => Some(StoreMode::Collect),
            (Some(SnapshotChoice::Record), None) if is_ci() => {
                return Err(CommandError::usage(
                    "CI is set, so nothing is recorded beside the sources",
                )
                .help("--snapshot-bundle FILE, and later `moot snapshot apply FILE`"));
            }
            (Some(SnapshotChoice::Record), None) => Some(StoreMode::Record),
            (None, _) if is_recorded => Some(StoreMode::Check),
            (Some(SnapshotChoice::Off) | None, None) => None,
            (Some(SnapshotChoice::Off) | None, Some(_)) => {
                return Err(CommandError::usage("a bundle needs snapshots, and they are off")
                    .help("--snapshots check, or record"));
            }
        };
        if matches!(mode, Some(StoreMode::Record)) {
            check_folder(&folder).map_err(|error| unwritable(&folder, &error))?;
        }
        Ok(Self { mode, folder, target: name, bundle })
    }

    /// Writes the bundle, with `--snapshot-bundle`.
    ///
    /// # Errors
    /// It would contain a secret of the run, or it can't be written.
    pub(super) fn write_bundle(
        &self,
        result: &RunResult,
        screen: &Screen,
    ) -> Result<(), CommandError> {
        let Some(file) = &self.bundle else { return Ok(()) };
        let text = Bundle::new(self.target.clone(), result.snapshots.new.clone()).to_text();
        write_without_secrets(file, &text, "the bundle", &Secrets::of(&result.masks))?;
        let (count, shown) = (result.snapshots.new.len(), file.display());
        let count = pluralize(count, "snapshot");
        screen.note(&format!("{count} in {shown}: moot snapshot apply {shown}\n"))
    }
}

/// Creates the folder if necessary, and a file in it for a moment.
fn check_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join(".moot-can-write");
    std::fs::write(&file, "")?;
    std::fs::remove_file(&file)
}

/// The folder name of a target: the stem of its file, or the host of its address.
fn target_name(target: Option<&str>) -> String {
    let Some(target) = target else { return MOCK.to_owned() };
    let host = url::Url::parse(target).ok().and_then(|url| url.host_str().map(str::to_owned));
    let stem = || Path::new(target).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    slug(&host.or_else(stem).unwrap_or_default())
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
