//! Why an operator did not act.

use std::path::PathBuf;
use std::process::ExitStatus;

use crate::exchange::Trouble;

/// Why an operator did not act. It is never a violation of the service.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OperatorTrouble {
    /// Nobody is there who may act.
    #[error("the target has no operator")]
    Nobody,
    /// The program cannot be started.
    #[error("the operator's command `{}` cannot be started: {error}", program.display())]
    NotStarted { program: PathBuf, error: std::io::Error },
    /// The program did not end in time.
    #[error(
        "the operator's command did not end `{order}` within {seconds} s \
         (`operator.timeout_seconds`){said}"
    )]
    TimedOut { order: String, seconds: u64, said: String },
    /// The program says that it failed.
    #[error("the operator's command failed to `{order}` ({status}){said}")]
    Failed { order: String, status: ExitStatus, said: String },
    /// Nobody knows how the program ended.
    #[error("the operator's command cannot be waited for: {0}")]
    Lost(std::io::Error),
    /// The person at the terminal pressed `s`.
    #[error("it was skipped at the terminal: {0}")]
    Skipped(String),
    /// There is nobody at the terminal any more.
    #[error("nobody answers at the terminal")]
    NoAnswer,
    /// The control plane of a mock refused.
    #[error("the control plane did not do it: {}", .0.details())]
    ControlPlane(Trouble),
}
