//! The sandboxes of a mock: further worlds, each under its own base path.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use moot_fixtures::contract::Answers;
use moot_fixtures::random;
use moot_fixtures::world::SeedWorld;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use super::lease::Lease;
use super::plan::SandboxPlan;
use super::realm::Realm;
use crate::control::Refusal;
use crate::defect::{self, Defect};
use crate::service::{KeepError, Service};
use crate::shell::clock;
use crate::shell::store::{SandboxRecord, StateStore};
use crate::value::message::problem::shown;
use crate::value::settings::{SecretSource, SettingsError};
use crate::world::World;
use crate::world::settings::RunSettings;
use crate::world::state::seed_data::SeedData;

/// The largest number of sandboxes at the same time.
pub const SANDBOXES_MAX: usize = 10_000;
/// The largest number of deleted sandboxes that are remembered.
const REMEMBERED_MAX: usize = 1_000;
/// Bits of a derived seed. JSON readers with only floating-point numbers can read a number of this size.
const SEED_BITS: u32 = 53;

/// All sandboxes.
pub(crate) struct Sandboxes {
    main_world: Arc<SeedWorld>,
    /// The defects of the main world.
    defects: Vec<&'static Defect>,
    /// The store, if there is one.
    durable: Option<Arc<StateStore>>,
    realms: RwLock<BTreeMap<String, Arc<Realm>>>,
    /// The number of the newest sandbox, including deleted ones.
    newest: Mutex<u64>,
    /// The seed rows of sandboxes, each with its seed world, as long as a sandbox has them.
    seed_data: Mutex<Vec<(Arc<SeedWorld>, Weak<SeedData>)>>,
    /// Deleted sandboxes, if they are remembered.
    remembered: Mutex<Option<Vec<Arc<Realm>>>>,
    /// No lease ends before this time; `None` if there is no lease.
    first_end: Mutex<Option<Instant>>,
    /// The number of calls to deleted sandboxes that are not remembered.
    calls_lost: AtomicU64,
}

impl Sandboxes {
    /// No sandboxes. New ones are numbered after those of the store.
    pub(crate) fn new(
        main_world: Arc<SeedWorld>,
        defects: Vec<&'static Defect>,
        durable: Option<Arc<StateStore>>,
    ) -> Self {
        let newest = durable.as_ref().map_or(0, |durable| durable.newest_sandbox());
        Self {
            main_world,
            defects,
            durable,
            realms: RwLock::default(),
            newest: Mutex::new(newest),
            seed_data: Mutex::default(),
            remembered: Mutex::default(),
            first_end: Mutex::default(),
            calls_lost: AtomicU64::new(0),
        }
    }

    /// The seed world of sandboxes without their own.
    pub(crate) fn main_world(&self) -> &SeedWorld {
        &self.main_world
    }

    /// The sandbox with this id. Its lease begins again.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Realm>> {
        let realm = self.realms.read().get(id).cloned()?;
        realm.lease.renew(clock::instant());
        Some(realm)
    }

    /// Explains that there is no sandbox with this id.
    pub(crate) fn absence(&self, id: &str) -> String {
        let number = id.strip_prefix('s').and_then(|number| number.parse::<u64>().ok());
        let was_made = number.is_some_and(|number| (1..=*self.newest.lock()).contains(&number));
        match was_made {
            true => format!("The sandbox `{id}` was deleted, or its lease has ended."),
            false => format!("There is no sandbox `{}`.", shown(id)),
        }
    }

    /// Renews the lease of a sandbox, with another length if one is given. A store keeps the first length.
    pub(crate) fn renew(&self, id: &str, length: Option<Duration>) -> Option<Arc<Realm>> {
        let realm = self.get(id)?;
        if let Some(length) = length {
            let mut first_end = self.first_end.lock();
            realm.lease.replace(length, clock::instant());
            *first_end = first_end.into_iter().chain(realm.lease.end()).min();
        }
        Some(realm)
    }

    /// The sandbox with this id, without renewing its lease.
    pub(crate) fn peek(&self, id: &str) -> Option<Arc<Realm>> {
        self.realms.read().get(id).cloned()
    }

    /// Deletes the sandboxes whose lease has ended, and returns them.
    pub(crate) fn take_expired(&self) -> Vec<Arc<Realm>> {
        let expired = self.remove_expired();
        for realm in &expired {
            // If this fails, the sandbox comes back after a restart, with a new lease.
            let _ = self.delete_stored(realm);
        }
        expired
    }

    fn remove_expired(&self) -> Vec<Arc<Realm>> {
        let now = clock::instant();
        let mut first_end = self.first_end.lock();
        if first_end.is_none_or(|first| now < first) {
            return Vec::new();
        }
        let mut realms = self.realms.write();
        let ended = |realm: &Realm| realm.lease.end().is_some_and(|end| end <= now);
        let expired = realms.extract_if(.., |_, realm| ended(realm)).map(|(_, realm)| realm);
        let expired: Vec<Arc<Realm>> = expired.collect();
        self.remember(&expired);
        let ends = realms.values().filter_map(|realm| realm.lease.end());
        *first_end = ends.min();
        expired
    }

    /// When the first lease ends; `None` if there are no leases.
    pub(crate) fn first_end(&self) -> Option<Instant> {
        *self.first_end.lock()
    }

    /// The number of sandboxes.
    pub(crate) fn count(&self) -> usize {
        self.realms.read().len()
    }

    /// All sandboxes, in the order of their creation.
    pub(crate) fn all(&self) -> Vec<Arc<Realm>> {
        let mut all: Vec<Arc<Realm>> = self.realms.read().values().cloned().collect();
        all.sort_by_key(|realm| realm.key);
        all
    }

    /// Deletes a sandbox and its stored data.
    ///
    /// # Errors
    /// [`KeepError`]: the store failed, and the sandbox is still there.
    pub(crate) fn remove(&self, id: &str) -> Result<Option<Arc<Realm>>, KeepError> {
        let Some(realm) = self.get(id) else { return Ok(None) };
        self.delete_stored(&realm)?;
        let removed = self.realms.write().remove(id);
        self.remember(removed.as_slice());
        Ok(removed)
    }

    /// Remembers deleted sandboxes from now on, at most [`REMEMBERED_MAX`].
    pub(crate) fn remember_deleted(&self) {
        *self.remembered.lock() = Some(Vec::new());
    }

    /// The number of calls to sandboxes that were deleted beyond [`REMEMBERED_MAX`].
    pub(crate) fn calls_lost(&self) -> u64 {
        self.calls_lost.load(Ordering::Relaxed)
    }

    /// Whether deleted sandboxes are remembered.
    pub(crate) fn is_remembering(&self) -> bool {
        self.remembered.lock().is_some()
    }

    /// Remembers a world before a reset or a return to a checkpoint, at most [`REMEMBERED_MAX`] of a realm.
    /// Returns the world if it is not remembered.
    pub(crate) fn remember_former(&self, realm: &Realm, former: Box<World>) -> Option<Box<World>> {
        let mut worlds = realm.former.lock();
        if !self.is_remembering() || worlds.len() >= REMEMBERED_MAX {
            return Some(former);
        }
        worlds.push(*former);
        None
    }

    /// The remembered sandboxes, in the order of their deletion.
    pub(crate) fn remembered(&self) -> Vec<Arc<Realm>> {
        self.remembered.lock().clone().unwrap_or_default()
    }

    fn remember(&self, deleted: &[Arc<Realm>]) {
        if let Some(remembered) = self.remembered.lock().as_mut() {
            let room = REMEMBERED_MAX.saturating_sub(remembered.len()).min(deleted.len());
            let (kept, lost) = deleted.split_at(room);
            remembered.extend(kept.iter().cloned());
            let calls: u64 =
                lost.iter().map(|realm| realm.service.world().journal.recorded()).sum();
            self.calls_lost.fetch_add(calls, Ordering::Relaxed);
        }
    }

    /// Deletes the stored data of a sandbox.
    fn delete_stored(&self, realm: &Realm) -> Result<(), KeepError> {
        self.durable.as_ref().map_or(Ok(()), |durable| durable.remove(realm.key))
    }

    /// Creates a sandbox.
    ///
    /// # Errors
    /// There are too many, its settings are wrong, or the store failed.
    pub(crate) fn create(&self, main: &Realm, plan: SandboxPlan) -> Result<Arc<Realm>, Refusal> {
        let invalid = |error: SettingsError| Refusal::invalid(error.to_string());
        let of_main = main.service.seed_data();
        let world = plan.world.as_ref().map(|chosen| &chosen.world);
        let answers = plan.answers.as_deref().unwrap_or(of_main.answers());
        let seed_data = self.seed_data(main, world, answers).map_err(invalid)?;
        let key = {
            let mut newest = self.newest.lock();
            *newest += 1;
            *newest
        };
        let defaults = &main.settings;
        let is_inline = plan.world.as_ref().is_some_and(|chosen| chosen.is_inline);
        let settings = RunSettings {
            seed: plan.seed.unwrap_or_else(|| derived_seed(defaults.seed, key)),
            base_url: base_url(main, key),
            clock: plan.clock.unwrap_or(defaults.clock),
            rate_limit: plan.rate_limit.unwrap_or(defaults.rate_limit),
            progression: plan.progression.unwrap_or(defaults.progression),
            // The client secrets of an inline world are those in it.
            secrets: if is_inline { SecretSource::Seeded } else { SecretSource::Own(id(key)) },
            sandbox: Some(id(key)),
        };
        let defects = plan.defects.unwrap_or_else(|| self.defects.clone());
        let created = World::from_seed_data(seed_data, settings.clone());
        let created = defect::install(created.map_err(invalid)?, &defects);
        if self.realms.read().len() >= SANDBOXES_MAX {
            return Err(too_many());
        }
        if let Some(durable) = &self.durable {
            durable.add(SandboxRecord {
                key,
                seed: SandboxRecord::seed_of(world.map(AsRef::as_ref), answers),
                settings: settings.clone(),
                defects,
                lease: plan.lease,
            })?;
        }
        let realm = self.realm(key, created, settings, plan.lease);
        if self.is_remembering() {
            realm.service.world().journal.keep_for_account();
        }
        if self.insert(&realm) {
            return Ok(realm);
        }
        self.delete_stored(&realm)?;
        Err(too_many())
    }

    /// The realm of a sandbox's world.
    pub(super) fn realm(
        &self,
        key: u64,
        world: World,
        settings: RunSettings,
        lease: Option<Duration>,
    ) -> Arc<Realm> {
        let service = match &self.durable {
            Some(durable) => Service::kept(world, durable.keeper(key)),
            None => Service::new(world),
        };
        let lease = Lease::new(lease, clock::instant());
        Realm::new(key, service, settings, lease)
    }

    /// Adds a sandbox. `false` if there are too many.
    pub(super) fn insert(&self, realm: &Arc<Realm>) -> bool {
        let mut first_end = self.first_end.lock();
        let mut realms = self.realms.write();
        if realms.len() >= SANDBOXES_MAX {
            return false;
        }
        realms.insert(id(realm.key), realm.clone());
        *first_end = first_end.into_iter().chain(realm.lease.end()).min();
        true
    }

    /// The seed rows of a world under these answers, shared with every sandbox that has both. `None` is the main world.
    pub(super) fn seed_data(
        &self,
        main: &Realm,
        world: Option<&Arc<SeedWorld>>,
        answers: &Answers,
    ) -> Result<Arc<SeedData>, SettingsError> {
        let world = world.unwrap_or(&self.main_world);
        let of_main = main.service.seed_data();
        if *world == self.main_world && of_main.answers() == answers {
            return Ok(of_main);
        }
        let mut all = self.seed_data.lock();
        all.retain(|(_, rows)| rows.strong_count() > 0);
        let mut of_world = all.iter().filter(|(known, _)| known == world);
        let is_same = |rows: &Arc<SeedData>| rows.answers() == answers;
        if let Some(known) = of_world.find_map(|(_, rows)| rows.upgrade().filter(is_same)) {
            return Ok(known);
        }
        let rows = Arc::new(SeedData::new(world, answers.clone())?);
        all.push((world.clone(), Arc::downgrade(&rows)));
        Ok(rows)
    }
}

fn too_many() -> Refusal {
    Refusal::conflict(format!("there are {SANDBOXES_MAX} sandboxes already: delete some"))
}

/// The id of a sandbox, which is the segment of its base path.
pub(super) fn id(key: u64) -> String {
    format!("s{key}")
}

/// The base address of a sandbox.
pub(super) fn base_url(main: &Realm, key: u64) -> String {
    format!("{}/sandboxes/{}", main.settings.base_url, id(key))
}

/// A seed that no other world of this mock has.
fn derived_seed(seed: u64, key: u64) -> u64 {
    random::mixed(seed.wrapping_add(key.wrapping_mul(random::STEP))) >> (u64::BITS - SEED_BITS)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{SandboxPlan, clock};
    use crate::shell::settings::{defaults, world};
    use crate::shell::site::{Site, SiteOptions};

    const LEASE: Duration = Duration::from_millis(30);
    const WAIT_MAX: Duration = Duration::from_secs(10);

    fn site() -> Site {
        let settings = defaults("http://moot.test", world("empty").expect("it is embedded"));
        Site::new(SiteOptions::new(settings)).expect("the settings are sound")
    }

    fn make(site: &Site, lease: Option<Duration>) {
        let plan = SandboxPlan { lease, ..SandboxPlan::default() };
        let realm = site.sandboxes.create(&site.main, plan).expect("there is room");
        site.deliverer.add(&realm);
    }

    fn left(site: &Site, count: impl Fn(usize) -> bool) {
        let until = clock::instant() + WAIT_MAX;
        while !count(site.sandboxes.count()) {
            assert!(clock::instant() < until, "{} are left", site.sandboxes.count());
            std::thread::yield_now();
        }
    }

    #[test]
    fn sandboxes_of_the_same_rows_share_them() {
        let site = site();
        let rows = site.main.service.seed_data();
        let before = Arc::strong_count(&rows);
        for _ in 0..100 {
            make(&site, None);
        }
        assert_eq!(Arc::strong_count(&rows), before + 100);
        for realm in site.sandboxes.all() {
            assert!(Arc::ptr_eq(&rows, &realm.service.seed_data()));
        }
    }

    #[test]
    fn sandboxes_are_deleted_at_the_end_of_their_lease() {
        let site = site();
        make(&site, None);
        make(&site, Some(Duration::from_secs(60)));
        for _ in 0..3 {
            make(&site, Some(LEASE));
        }
        left(&site, |count| count == 2);
        // A lease that is shorter than the first one ends in time too.
        make(&site, Some(LEASE));
        left(&site, |count| count == 2);
        assert_eq!(site.sandboxes.all().len(), 2);
    }
}
