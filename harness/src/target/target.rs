//! A target: opened once a run.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use super::Stage;
use crate::exchange::{Masks, Trouble};
use crate::run::result::{NotRun, Residue, TargetDescription};
use crate::scenario::model::Sandbox;

/// What a run is pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetChoice {
    /// The mock, without a socket.
    InProcess,
    /// A target file (DESIGN §7).
    File(PathBuf),
    /// A base address; credentials from `MOOT_CLIENT_ID` and `MOOT_CLIENT_SECRET`.
    Url(String),
}

/// How a run uses its target.
#[derive(Debug, Clone, Default)]
pub struct TargetOptions {
    /// Seed of the sandboxes of a mock.
    pub seed: u64,
    /// Requests a minute; overrides the target file.
    pub rate: Option<u32>,
    /// Where receivers listen.
    pub receiver: Option<SocketAddr>,
    /// The address under which the target reaches `receiver`.
    pub receiver_url: Option<String>,
    /// The tag in every name and e-mail address this run creates.
    pub run_tag: String,
}

/// Why a target cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The target file, or how it was named, is wrong; nothing was sent (exit 2).
    #[error("{0}")]
    Usage(String),
    /// It does not answer (exit 4).
    #[error("{0}")]
    Unreachable(String),
    /// It refuses the credentials (exit 4).
    #[error("{0}")]
    Credentials(String),
}

/// A target file.
#[derive(Debug, Clone)]
pub struct TargetFile {
    /// The known failures.
    pub expected: Option<PathBuf>,
    /// The pinned answers.
    pub answers: Option<PathBuf>,
    /// Needs and scenarios that may stay not run.
    pub tolerate: Vec<String>,
    /// Pages a walk follows at most.
    pub pages_max: u64,
}

/// What a run is pointed at, opened.
pub struct Target {}

impl Target {
    /// Opens it.
    ///
    /// # Errors
    /// [`OpenError`], each with the exit code it stands for.
    pub async fn open(
        _choice: TargetChoice,
        _options: TargetOptions,
        _masks: Arc<Masks>,
    ) -> Result<Self, OpenError> {
        Err(OpenError::Usage("is being written".to_owned()))
    }
    /// What it is.
    pub fn description(&self) -> TargetDescription {
        TargetDescription { name: String::new(), base_url: String::new(), class: String::new() }
    }
    /// Whether it has sandboxes: a moot mock.
    pub fn is_mock(&self) -> bool {
        false
    }
    /// Whether this need or scenario may stay not run.
    pub fn tolerates(&self, _what: &str) -> bool {
        false
    }
    /// The target file, where there is one.
    pub fn file(&self) -> Option<&TargetFile> {
        None
    }
    /// Why a need of `model::NEEDS` is not met; `None` where it is.
    pub fn missing(&self, _need: &str) -> Option<NotRun> {
        None
    }
    /// What the run left behind so far.
    pub fn residue(&self) -> Vec<Residue> {
        Vec::new()
    }
    /// Requests sent so far, tokens included.
    pub fn requests_sent(&self) -> u64 {
        0
    }
    /// Deletes the webhooks the run made, where `delete` is consented to.
    pub async fn cleanup(&self) {}
    /// What one scenario plays on.
    ///
    /// # Errors
    /// [`Trouble`] where the sandbox cannot be made.
    pub async fn stage(&self, _scenario: &str, _sandbox: &Sandbox) -> Result<Stage, Trouble> {
        Err(Trouble::Withheld("is being written".to_owned()))
    }
}
