//! Restores the sandboxes of a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;

use super::realm::Realm;
use super::sandboxes::{Sandboxes, base_url, id};
use crate::defect;
use crate::shell::clock;
use crate::shell::store::StoredSandbox;
use crate::value::message::json::json_bytes;
use crate::value::settings::SettingsError;
use crate::world::World;
use crate::world::settings::RunSettings;
use crate::world::state::seeded::Seeded;

/// Restores these sandboxes, in this order, after this number of earlier starts. Each lease begins
/// again, because nobody could call a sandbox while the mock was not running.
pub(crate) fn restore(
    sandboxes: &Sandboxes,
    main: &Realm,
    stored: Vec<StoredSandbox>,
    starts: u64,
) -> Result<Vec<Arc<Realm>>, SettingsError> {
    let mut rows = SharedRows { main, main_world: sandboxes.main_world(), made: BTreeMap::new() };
    let mut realms = Vec::with_capacity(stored.len());
    for StoredSandbox { record, changes } in stored {
        let seeded = rows.get(record.world, record.answers)?;
        let settings = RunSettings {
            base_url: base_url(main, record.key),
            sandbox: Some(id(record.key)),
            ..record.settings
        };
        let mut world = World::from_seeded(seeded, settings.clone(), clock::now())?;
        world.restore(changes, starts);
        let world = defect::install(world, &record.defects);
        let realm = sandboxes.realm(record.key, world, settings, record.lease);
        // The limit was met when they were stored.
        sandboxes.insert(&realm);
        realms.push(realm);
    }
    Ok(realms)
}

/// Seed rows by world and answers. Sandboxes with the same world and answers share them.
struct SharedRows<'m> {
    main: &'m Realm,
    main_world: &'m SeedWorld,
    made: BTreeMap<StoredWorldKey, Arc<Seeded>>,
}

/// The JSON of a seed world (`None` for the main world's) and of its answers.
type StoredWorldKey = (Option<Vec<u8>>, Vec<u8>);

impl SharedRows<'_> {
    fn get(
        &mut self,
        world: Option<Arc<SeedWorld>>,
        answers: Answers,
    ) -> Result<Arc<Seeded>, SettingsError> {
        let of_main = self.main.service.seeded();
        if world.is_none() && *of_main.answers() == answers {
            return Ok(of_main);
        }
        let name = (world.as_deref().map(json_bytes), json_bytes(&answers));
        if let Some(seeded) = self.made.get(&name) {
            return Ok(seeded.clone());
        }
        let world = world.as_deref().unwrap_or(self.main_world);
        let seeded = Arc::new(Seeded::new(world, answers)?);
        self.made.insert(name, seeded.clone());
        Ok(seeded)
    }
}
