//! The values that settings are made of, and why settings are refused.

use jiff::Timestamp;

/// Where the secrets of a world's applications come from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretSource {
    /// They are those of the seed world.
    Seeded,
    /// They derive from the world's seed and this name, so that no other world takes them.
    Own(String),
}

/// Which clock a world starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockSetting {
    /// The system's.
    Real,
    /// Stands at this time until it is moved.
    Frozen(Timestamp),
}

/// What the rate limit of §8 does. Text form: `enforce`, `observe`, `off`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RateLimitMode {
    /// Refuses beyond the limit.
    Enforce,
    /// Counts, and never refuses.
    Observe,
    /// Neither counts nor refuses.
    Off,
}

/// How a created request moves on from `draft` by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progression {
    /// Only by the control plane (but for reserved counterparty addresses).
    Manual,
    /// A step after every period of this length.
    Timed {
        /// Seconds, at least 1.
        seconds: u32,
    },
    /// A step at every Nth `GET` of the request.
    OnRead {
        /// N, at least 1.
        reads: u32,
    },
    /// All steps right after the answer to its creation.
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

/// Why settings make no world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// The base address.
    #[error(
        "base address `{0}` is not an absolute http or https address without trailing slash, query or fragment"
    )]
    BaseUrl(String),
    /// A pace of nothing.
    #[error("progression `{0}` never counts up: give at least 1")]
    Progression(String),
    /// An answer that no mock can give.
    #[error("answers: {0}")]
    Answers(String),
    /// A seed world that contradicts itself.
    #[error("seed world: {0}")]
    SeedWorld(String),
}
