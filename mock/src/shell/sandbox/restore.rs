//! Restores the sandboxes of a store.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::realm::Realm;
use super::sandboxes::{Sandboxes, base_url, id};
use crate::defect;
use crate::shell::store::SandboxRecord;
use crate::value::settings::SettingsError;
use crate::world::World;
use crate::world::settings::RunSettings;
use crate::world::state::change::Change;

/// Restores these sandboxes, in this order, after this number of earlier starts. Each lease begins again,
/// because a sandbox could not be called while the mock was not running.
pub(crate) fn restore(
    sandboxes: &Sandboxes,
    main: &Realm,
    stored: Vec<(SandboxRecord, Vec<Change>)>,
    starts: u64,
) -> Result<Vec<Arc<Realm>>, SettingsError> {
    // Many sandboxes have the same world and answers, which are read once.
    let mut shared = BTreeMap::new();
    let mut realms = Vec::with_capacity(stored.len());
    for (record, changes) in stored {
        let seed_data = match shared.entry(record.seed.digest) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(place) => {
                let (world, answers) = record.read_seed()?;
                let world = world.map(Arc::new);
                place.insert(sandboxes.seed_data(main, world.as_ref(), &answers)?).clone()
            }
        };
        let SandboxRecord { key, settings, defects, lease, .. } = record;
        let settings =
            RunSettings { base_url: base_url(main, key), sandbox: Some(id(key)), ..settings };
        let mut world = World::from_seed_data(seed_data, settings.clone())?;
        world.restore(changes, starts);
        let world = defect::install(world, &defects);
        let realm = sandboxes.realm(key, world, settings, lease);
        // They kept to the limit when they were stored.
        sandboxes.insert(&realm);
        realms.push(realm);
    }
    Ok(realms)
}
