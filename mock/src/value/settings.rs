//! The values of settings, and the reasons for refusing settings.

use jiff::Timestamp;

/// The source of the secrets of a world's applications.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretSource {
    /// The secrets of the seed world.
    Seeded,
    /// Secrets that derive from the world's seed and this name. No other world accepts them.
    Own(String),
}

/// The clock of a new world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockSetting {
    /// The system's clock.
    Real,
    /// A frozen clock with this time.
    Frozen(Timestamp),
}

/// The mode of the rate limit of §8. Text form: `enforce`, `observe`, `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RateLimitMode {
    /// Refuses calls beyond the limit.
    Enforce,
    /// Counts calls and refuses none.
    Observe,
    /// Does not count calls.
    Off,
}

/// How a new request leaves `draft` and changes its status automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progression {
    /// Only by the control plane, or with a reserved counterparty address.
    Manual,
    /// One step after each period.
    Timed {
        /// Seconds, at least 1.
        seconds: u32,
    },
    /// One step at every Nth `GET` of the request.
    OnRead {
        /// N, at least 1.
        reads: u32,
    },
    /// All steps right after its creation was answered.
    Immediate,
}

impl std::fmt::Display for Progression {
    /// The form of the command line: `manual`, `timed:5`, `on-read:3`, `immediate`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Manual => f.write_str("manual"),
            Self::Timed { seconds } => write!(f, "timed:{seconds}"),
            Self::OnRead { reads } => write!(f, "on-read:{reads}"),
            Self::Immediate => f.write_str("immediate"),
        }
    }
}

/// The reason for refusing settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// An invalid base address.
    #[error(
        "base address `{0}` is not an absolute http or https address without trailing slash, query or fragment"
    )]
    BaseUrl(String),
    /// A progression with the number 0.
    #[error("progression `{0}` never counts up: give at least 1")]
    Progression(String),
    /// An answer that the mock does not implement.
    #[error("answers: {0}")]
    Answers(String),
    /// A seed world that contradicts itself.
    #[error("seed world: {0}")]
    SeedWorld(String),
}
