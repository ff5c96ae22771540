//! What a run is pointed at, how it uses that, and why it cannot.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;

/// What a run is pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetChoice {
    /// The mock, without a socket.
    InProcess,
    /// A target file (DESIGN §7).
    File(PathBuf),
    /// A base address; credentials from `MOOT_CLIENT_ID` and `MOOT_CLIENT_SECRET`.
    Url(String),
    /// The folder of a recording, judged without a network.
    Recording(PathBuf),
}

/// How a run uses its target.
#[derive(Debug, Clone, Default)]
pub struct TargetOptions {
    /// Seed of the sandboxes of a mock.
    pub seed: u64,
    /// World of the mock in process, where a scenario names none; `demo` where absent.
    pub world: Option<Arc<SeedWorld>>,
    /// Answers of the mock in process, where a scenario names none; the default ones where absent.
    pub answers: Option<Answers>,
    /// What the mock in process does wrong on purpose, by id.
    pub defects: Vec<String>,
    /// Requests a minute; overrides the target file. 0 is unpaced, on loopback only.
    pub rate: Option<u32>,
    /// Where receivers listen; a free loopback port where absent.
    pub receiver: Option<SocketAddr>,
    /// The address under which the target reaches `receiver`.
    pub receiver_url: Option<String>,
    /// Where tokens are kept from run to run on a deployment, for `expired_token`.
    pub token_file: Option<PathBuf>,
    /// The tag in every name and e-mail address this run creates.
    pub run_tag: String,
    /// Whether the run is one of several: only harmless ones are repeated on a deployment.
    pub is_repeated: bool,
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
