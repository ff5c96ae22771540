//! What a world is told once: its seed, its address, its answers, its clock, its pace.
//!
//! Values only; reading them from a command line or a file is a shell's business.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use url::Url;

/// Everything that a world is made of.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where ids, tokens and `request_id`s derive from.
    pub seed: u64,
    /// Absolute `http` or `https` address without trailing slash, query or fragment; its path is
    /// the base path.
    pub base_url: String,
    /// What the world does about the open questions.
    pub answers: Answers,
    /// The rows it starts with.
    pub seed_world: Arc<SeedWorld>,
    /// Its clock.
    pub clock: ClockSetting,
    /// What its rate limit does.
    pub rate_limit: RateLimitMode,
    /// How created requests move on.
    pub progression: Progression,
}

/// [`Settings`] without what a [`crate::Seeded`] holds already: what differs between worlds that
/// share their seed rows.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// As [`Settings::seed`].
    pub seed: u64,
    /// As [`Settings::base_url`].
    pub base_url: String,
    /// As [`Settings::clock`].
    pub clock: ClockSetting,
    /// As [`Settings::rate_limit`].
    pub rate_limit: RateLimitMode,
    /// As [`Settings::progression`].
    pub progression: Progression,
    /// Where the secrets of its applications come from.
    pub secrets: Secrets,
}

/// Where the secrets of a world's applications come from.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrets {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimitMode {
    /// Refuses beyond the limit.
    Enforce,
    /// Counts, and never refuses.
    Observe,
    /// Neither counts nor refuses.
    Off,
}

impl RateLimitMode {
    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Observe => "observe",
            Self::Off => "off",
        }
    }
}

/// How a created request moves on from `draft` by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progression {
    /// Only by the control plane (but for reserved counterparty addresses).
    Manual,
    /// A step after each so many seconds, at least 1.
    Timed {
        /// Seconds.
        seconds: u32,
    },
    /// A step at each so manyth `GET` of the request, at least 1.
    OnRead {
        /// Reads a step.
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
        "base address `{0}` is no absolute http or https address without trailing slash, query or fragment"
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

/// The base path of a base address: empty, or with a leading and without a trailing `/`.
///
/// # Errors
/// [`SettingsError::BaseUrl`] where it is none.
pub(crate) fn base_path(base_url: &str) -> Result<String, SettingsError> {
    let refused = || SettingsError::BaseUrl(base_url.to_owned());
    let url = Url::parse(base_url).map_err(|_| refused())?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.query().is_none()
        && url.fragment().is_none()
        && !base_url.ends_with('/');
    if !is_plain {
        return Err(refused());
    }
    Ok(url.path().trim_end_matches('/').to_owned())
}

impl RunSettings {
    /// Checks what no type can say and gives the base path.
    ///
    /// # Errors
    /// [`SettingsError::BaseUrl`] and [`SettingsError::Progression`].
    pub(crate) fn check(&self) -> Result<String, SettingsError> {
        let is_idle = matches!(
            self.progression,
            Progression::Timed { seconds: 0 } | Progression::OnRead { reads: 0 }
        );
        if is_idle {
            return Err(SettingsError::Progression(self.progression.to_string()));
        }
        base_path(&self.base_url)
    }
}

impl Settings {
    /// The part that differs between worlds of the same seed rows.
    pub fn run(&self) -> RunSettings {
        RunSettings {
            seed: self.seed,
            base_url: self.base_url.clone(),
            clock: self.clock,
            rate_limit: self.rate_limit,
            progression: self.progression,
            secrets: Secrets::Seeded,
        }
    }
}
