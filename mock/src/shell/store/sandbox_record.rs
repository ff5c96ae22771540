//! A sandbox as a store keeps it: what it was made with.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;

use crate::defect::Defect;
use crate::world::settings::RunSettings;

/// What a sandbox was made with; what changed in it since is in the rows of its world.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "state"), expect(dead_code, reason = "only a store reads them"))]
pub(crate) struct SandboxRecord {
    /// Its number, from 1.
    pub(crate) key: u64,
    /// The rows it began with; `None` is as in the main world.
    pub(crate) world: Option<Arc<SeedWorld>>,
    /// Its answers.
    pub(crate) answers: Answers,
    /// Everything else; its base address follows from that of the main world.
    pub(crate) settings: RunSettings,
    /// The requirements that it breaks on purpose.
    pub(crate) defects: Vec<&'static Defect>,
    /// Deleted once nobody called it for so long; `None`: never.
    pub(crate) lease: Option<Duration>,
}
