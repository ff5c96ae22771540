//! The settings of a world: its seed, address, answers, clock and progression.
//!
//! The shell reads them from a command line or a file.

use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use serde::{Deserialize, Serialize};
use url::Url;

pub use crate::value::settings::{
    ClockSetting, Progression, RateLimitMode, SecretSource, SettingsError,
};

/// Settings of a world.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Source of ids, tokens and `request_id`s.
    pub seed: u64,
    /// Absolute `http` or `https` address without trailing slash, query or fragment; its path is
    /// the base path.
    pub base_url: String,
    /// Its answers to the open questions.
    pub answers: Answers,
    /// The rows it starts with.
    pub seed_world: Arc<SeedWorld>,
    /// Its clock.
    pub clock: ClockSetting,
    /// Whether its rate limit is enforced, only counted, or off.
    pub rate_limit: RateLimitMode,
    /// How the status of a created request changes automatically.
    pub progression: Progression,
}

/// The part of [`Settings`] that may differ between worlds that share a [`crate::SeedData`]. A store keeps the
/// settings of a sandbox, except those that follow from the main world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunSettings {
    /// As [`Settings::seed`].
    pub seed: u64,
    /// As [`Settings::base_url`].
    #[serde(skip)]
    pub base_url: String,
    /// As [`Settings::clock`].
    pub clock: ClockSetting,
    /// As [`Settings::rate_limit`].
    pub rate_limit: RateLimitMode,
    /// As [`Settings::progression`].
    pub progression: Progression,
    /// Where the secrets of its applications come from.
    pub secrets: SecretSource,
    /// The id of its sandbox; `None` for the main world. No two worlds of a mock have the same.
    #[serde(skip)]
    pub sandbox: Option<String>,
}

/// The base path of a base address: empty, or with a leading and without a trailing `/`.
///
/// # Errors
/// [`SettingsError::BaseUrl`] if it is not such an address.
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
    /// Checks the values and returns the base path.
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
            secrets: SecretSource::Seeded,
            sandbox: None,
        }
    }
}
