//! Errors of commands, and the exit codes that are not verdicts.

use moot_fixtures::DataError;
use moot_mock::shell::SiteError;
use moot_mock::shell::settings::SettingError;
use moot_snapshots::StoreError;

use crate::report::RenderError;
use crate::run::part_files::PartError;
use crate::scenario::plan::SelectError;

/// Exit code: the command line or a file of the user is wrong.
pub(super) const USAGE: u8 = 2;

/// Exit code: not everything could be checked.
pub(super) const INCONCLUSIVE: u8 = 3;

/// Exit code: the target is unreachable or refuses the credentials.
pub(super) const UNREACHABLE: u8 = 4;

/// Exit code: an internal error, such as a report that could not be written.
pub(super) const FAULT: u8 = 70;

/// Advice for a folder that is no recording.
pub(super) const RECORDING_HELP: &str = "`moot run --record DIR` makes a recording";

/// An error that ends a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandError {
    /// The problem and its place; lower case, without a full stop.
    pub(super) message: String,
    /// Advice for the user.
    pub(super) help: Option<String>,
    /// One of the codes above.
    pub(super) exit_code: u8,
}

impl CommandError {
    /// The command line or a file of the user is wrong.
    pub(super) fn usage(message: impl ToString) -> Self {
        Self { message: message.to_string(), help: None, exit_code: USAGE }
    }

    /// This machine or this program failed.
    pub(super) fn fault(message: impl ToString) -> Self {
        Self { message: message.to_string(), help: None, exit_code: FAULT }
    }

    /// The same error with another exit code.
    pub(super) fn exit(self, exit_code: u8) -> Self {
        Self { exit_code, ..self }
    }

    /// The same error about the value of this option.
    pub(super) fn of_option(self, option: &str) -> Self {
        Self { message: format!("{option}: {}", self.message), ..self }
    }

    /// The same error with advice.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same error with the most similar name as its advice, if there is one.
    pub(super) fn nearest(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl From<RenderError> for CommandError {
    fn from(error: RenderError) -> Self {
        Self::fault(error)
    }
}

impl From<DataError> for CommandError {
    fn from(error: DataError) -> Self {
        Self::usage(error)
    }
}

impl From<SelectError> for CommandError {
    fn from(error: SelectError) -> Self {
        Self::usage(error).help("`moot list` shows all scenarios")
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::usage(error)
    }
}

impl From<PartError> for CommandError {
    fn from(error: PartError) -> Self {
        let exit_code = if matches!(error, PartError::Secret { .. }) { FAULT } else { USAGE };
        Self { message: error.to_string(), help: Some(error.help().to_owned()), exit_code }
    }
}

impl From<SettingError> for CommandError {
    fn from(error: SettingError) -> Self {
        Self::usage(error)
    }
}

impl From<SiteError> for CommandError {
    fn from(error: SiteError) -> Self {
        Self::usage(format!("the mock cannot start: {error}"))
    }
}
