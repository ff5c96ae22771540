//! One owned value that is the whole service.

use std::sync::Arc;

use jiff::Timestamp;

use crate::seeded::Seeded;
use crate::settings::{RunSettings, Settings, SettingsError};

/// The whole service as a value.
pub struct World {
    seeded: Arc<Seeded>,
    settings: RunSettings,
}

impl World {
    /// A world with seed rows of its own.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn new(settings: Settings, system_now: Timestamp) -> Result<Self, SettingsError> {
        let run = settings.run();
        let seeded = Seeded::new(&settings.seed_world, settings.answers)?;
        Self::from_seeded(Arc::new(seeded), run, system_now)
    }

    /// A world that shares its seed rows: microseconds.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn from_seeded(
        seeded: Arc<Seeded>,
        settings: RunSettings,
        _system_now: Timestamp,
    ) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { seeded, settings })
    }

    /// Its seed rows.
    pub const fn seeded(&self) -> &Arc<Seeded> {
        &self.seeded
    }

    /// Its base address.
    pub fn base_url(&self) -> &str {
        &self.settings.base_url
    }
}
