//! Settings as text: what the command line and the control plane write for clock, progression,
//! rate limit, answers and world.
//!
//! Only texts; reading a file that a text may name is the caller's business.

use std::sync::Arc;

use moot_fixtures::nearest::{ending, nearest};
use moot_fixtures::world::{self, SeedWorld};

use crate::defect::{self, Defect};
use crate::value::setting_text::unknown;
pub use crate::value::setting_text::{SettingError, answers, clock, progression, rate_limit};
use crate::value::settings::{ClockSetting, Progression, RateLimitMode};
use crate::world::settings::Settings;

/// The settings of a mock that was told nothing but its world: default answers, the system's clock,
/// an enforced limit, progression by the control plane alone, seed 1.
pub fn defaults(base_url: &str, seed_world: Arc<SeedWorld>) -> Settings {
    Settings {
        seed: 1,
        base_url: base_url.to_owned(),
        answers: moot_fixtures::answers::default().clone(),
        seed_world,
        clock: ClockSetting::Real,
        rate_limit: RateLimitMode::Enforce,
        progression: Progression::Manual,
    }
}

/// The defect of this id.
///
/// # Errors
/// [`SettingError::Unknown`], with the nearest id.
pub fn defect(id: &str) -> Result<&'static Defect, SettingError> {
    defect::named(id).ok_or_else(|| SettingError::Unknown {
        what: "defect",
        given: id.to_owned(),
        known: format!(
            "{} of them; `moot explain REQUIREMENT` names those that break it",
            defect::all().len()
        ),
        hint: ending(nearest(id, defect::all().iter().map(|defect| defect.id.as_str()))),
    })
}

/// The embedded world of this name.
///
/// # Errors
/// [`SettingError::Unknown`].
pub fn world(name: &str) -> Result<Arc<SeedWorld>, SettingError> {
    match world::named(name) {
        Some(world) => Ok(Arc::new(world.clone())),
        None => Err(unknown("world", name, world::NAMES)),
    }
}
