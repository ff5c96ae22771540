//! Errors of commands, and the exit codes that are not verdicts.

use moot_snapshots::StoreError;

use crate::client::recording::RecordingError;
use crate::report::RenderError;
use crate::run::part_files::PartError;
use crate::scenario::plan::SelectError;

/// Exit code: the command line or a file of the user is wrong.
pub(super) const USAGE: u8 = 2;

/// Exit code: not everything could be checked.
pub(super) const INCONCLUSIVE: u8 = 3;

/// Exit code: the target is unreachable or refuses the credentials.
pub(super) const UNREACHABLE: u8 = 4;

/// Exit code: our own fault, such as a report that could not be written.
pub(super) const FAULT: u8 = 70;

/// Why a command ended without a result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandError {
    /// What is wrong, and where; lower case, no full stop.
    pub(super) message: String,
    /// What to do.
    pub(super) help: Option<String>,
    /// One of the codes above.
    pub(super) exit_code: u8,
}

impl CommandError {
    /// The command line or a file of the user is wrong.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, exit_code: USAGE }
    }

    /// The machine or this program failed.
    pub(super) fn fault(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, exit_code: FAULT }
    }

    /// With another exit code.
    pub(super) fn exit(self, exit_code: u8) -> Self {
        Self { exit_code, ..self }
    }

    /// With what to do about it.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// With the most similar name, where one is similar.
    pub(super) fn nearest(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl From<RenderError> for CommandError {
    fn from(error: RenderError) -> Self {
        Self::fault(error.to_string())
    }
}

impl From<RecordingError> for CommandError {
    fn from(error: RecordingError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<SelectError> for CommandError {
    fn from(error: SelectError) -> Self {
        Self::usage(error.to_string()).help("`moot list` shows all scenarios")
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<PartError> for CommandError {
    fn from(error: PartError) -> Self {
        let told = match error {
            PartError::Secret { .. } => Self::fault(error.to_string()),
            _ => Self::usage(error.to_string()),
        };
        told.help(error.help())
    }
}
