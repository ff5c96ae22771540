//! Reads settings from their text on the command line and in the control plane: clock, progression, rate limit,
//! answers and world. A text that names a file is read by the caller.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::nearest::{ending, nearest};
use moot_fixtures::world::{self, SeedWorld};

use crate::defect::{self, Defect};
pub use crate::value::setting_text::{SettingError, answers, progression, rate_limit};
use crate::value::setting_text::{unknown, value};
use crate::value::settings::{ClockSetting, Progression, RateLimitMode};
use crate::world::settings::Settings;

/// The default settings of a mock: default answers, the system's clock, an enforced rate limit, progression
/// only by the control plane, seed 1.
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

/// Reads `real`, `frozen` (at `now`, to the second) or `frozen:TIME`.
///
/// # Errors
/// [`SettingError`]: another word, or a time that is not an ISO 8601 time with its zone.
pub fn clock(text: &str, now: Timestamp) -> Result<ClockSetting, SettingError> {
    match text.split_once(':') {
        None if text == "real" => Ok(ClockSetting::Real),
        None if text == "frozen" => Ok(ClockSetting::Frozen(whole_second(now))),
        Some(("frozen", time)) => time
            .parse()
            .map(ClockSetting::Frozen)
            .map_err(|_| value("clock", text, "a time such as `frozen:2026-03-05T14:30:00Z`")),
        _ => Err(unknown("clock", text, &["real", "frozen", "frozen:TIME"])),
    }
}

/// The defect of this id.
///
/// # Errors
/// [`SettingError`], with the nearest id.
pub fn defect(id: &str) -> Result<&'static Defect, SettingError> {
    defect::named(id).ok_or_else(|| {
        let count = defect::all().len();
        let known =
            format!("{count} of them; `moot explain REQUIREMENT` names those that break it");
        let hint = ending(nearest(id, defect::all().iter().map(|defect| defect.id.as_str())));
        SettingError::unknown("defect", id, &known, &hint)
    })
}

/// The embedded world of this name.
///
/// # Errors
/// [`SettingError`].
pub fn world(name: &str) -> Result<Arc<SeedWorld>, SettingError> {
    match world::named(name) {
        Some(world) => Ok(Arc::new(world.clone())),
        None => Err(unknown("world", name, world::NAMES)),
    }
}

fn whole_second(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}
