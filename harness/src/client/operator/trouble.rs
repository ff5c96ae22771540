//! The errors of operators.

use std::path::PathBuf;
use std::process::ExitStatus;

use crate::exchange::Trouble;

/// The reason why an action was not done. It is never a violation of the service.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OperatorTrouble {
    /// There is no operator, or no consent to let it act.
    #[error("the target has no operator")]
    NoOperator,
    /// The program cannot be started.
    #[error("the operator's command `{}` cannot be started: {error}", program.display())]
    NotStarted { program: PathBuf, error: std::io::Error },
    /// The program did not end in time.
    #[error(
        "the operator's command did not end `{order}` within {seconds} s \
         (`operator.timeout_seconds`){output}"
    )]
    TimedOut { order: String, seconds: u64, output: String },
    /// The program failed.
    #[error("the operator's command failed to `{order}` ({status}){output}")]
    Failed { order: String, status: ExitStatus, output: String },
    /// The exit status of the program is unknown.
    #[error("the exit status of the operator's command is unknown: {0}")]
    Lost(std::io::Error),
    /// The person at the terminal pressed `s`.
    #[error("the person at the terminal skipped it: {0}")]
    Skipped(String),
    /// There is no terminal, or its input ended.
    #[error("no person replied at the terminal")]
    NoReply,
    /// The control plane of a mock refused.
    #[error("the control plane refused: {}", .0.details())]
    ControlPlane(Trouble),
}
