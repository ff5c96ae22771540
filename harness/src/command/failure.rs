//! Why a command could not do what it was asked, and the exit codes that are no verdict.

use crate::report::RenderError;

/// Usage, or a file of the user's is wrong (DESIGN §8).
pub(super) const USAGE: u8 = 2;

/// Not everything could be checked.
pub(super) const INCONCLUSIVE: u8 = 3;

/// The target is unreachable or refuses the credentials.
pub(super) const UNREACHABLE: u8 = 4;

/// Our own fault: also a report that could not be written.
pub(super) const FAULT: u8 = 70;

/// What is wrong, what to do about it, and how to end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// What and where; lower case, no full stop.
    pub(super) message: String,
    /// What to do.
    pub(super) help: Option<String>,
    /// One of the codes above.
    pub(super) exit_code: u8,
}

impl Failure {
    /// The line or a file of the user's is wrong.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, exit_code: USAGE }
    }

    /// The machine or this program failed.
    pub(super) fn fault(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, exit_code: FAULT }
    }

    /// With what to do about it.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// With the nearest name, where one is near.
    pub(super) fn nearest(self, nearest: Option<&str>) -> Self {
        match nearest {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        Self::fault(error.to_string())
    }
}
