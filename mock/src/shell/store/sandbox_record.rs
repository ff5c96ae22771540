//! A stored sandbox.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;

use crate::defect::Defect;
use crate::world::settings::RunSettings;

/// The settings of a sandbox. Its changes are in the rows of its world.
#[derive(Debug, Clone)]
pub(crate) struct SandboxRecord {
    /// Its number, from 1.
    pub(crate) key: u64,
    /// Its seed world; `None` for the seed world of the main world.
    pub(crate) world: Option<Arc<SeedWorld>>,
    /// Its answers.
    pub(crate) answers: Answers,
    /// All other settings. Its base address and its id follow from the main world and the number.
    pub(crate) settings: RunSettings,
    /// Ids of its defects.
    pub(crate) defects: Vec<&'static Defect>,
    /// Real time without a call until it is deleted; `None` for never.
    pub(crate) lease: Option<Duration>,
}
