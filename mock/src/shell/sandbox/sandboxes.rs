//! The sandboxes of a mock: more worlds, each under its own base path.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use moot_fixtures::world::SeedWorld;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use super::lease::Lease;
use super::plan::SandboxPlan;
use super::realm::Realm;
use crate::Service;
use crate::World;
use crate::defect::{self, Defect};
use crate::service::NotKept;
use crate::shell::clock;
use crate::shell::store::SandboxRecord;
use crate::shell::store::StateStore;
use crate::state::seeded::Seeded;
use crate::value::settings::{SecretSource, SettingsError};
use crate::world::settings::RunSettings;

/// Sandboxes that exist at a time.
pub const SANDBOXES_MAX: usize = 10_000;
/// Sandboxes that are gone and still remembered, where that is asked for.
const REMEMBERED_MAX: usize = 1_000;
/// Sets of seed rows kept for the next sandbox that asks for the same.
const SEEDED_MAX: usize = 32;
/// So that a seed survives a JSON reader that has only floating-point numbers.
const SEED_BITS: u32 = 53;

/// Why there is no such sandbox.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    #[error("there are {SANDBOXES_MAX} sandboxes already: delete some")]
    TooMany,
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("the mock can't keep its state: {0}")]
    NotKept(#[from] NotKept),
}

/// All of them.
pub(crate) struct Sandboxes {
    main_world: Arc<SeedWorld>,
    /// Those of the main world.
    defects: Vec<&'static Defect>,
    /// Where they are kept; `None`: nowhere.
    durable: Option<StateStore>,
    realms: RwLock<BTreeMap<String, Realm>>,
    made: Mutex<u64>,
    seeded: Mutex<BTreeMap<SandboxWorldKey, Arc<Seeded>>>,
    /// Those that are gone, while they are remembered.
    remembered: Mutex<Option<Vec<Realm>>>,
    /// No lease ends before; none at all where there is none.
    first_end: Mutex<Option<Instant>>,
}

/// The names of world and answers; `None` is as in the main world.
type SandboxWorldKey = (Option<String>, Option<String>);

impl Sandboxes {
    /// None yet, kept in `durable`, where `made` were before.
    pub(crate) fn new(
        main_world: Arc<SeedWorld>,
        defects: Vec<&'static Defect>,
        durable: Option<StateStore>,
        made: u64,
    ) -> Self {
        Self {
            main_world,
            defects,
            durable,
            realms: RwLock::default(),
            made: Mutex::new(made),
            seeded: Mutex::default(),
            remembered: Mutex::default(),
            first_end: Mutex::default(),
        }
    }

    /// The rows of sandboxes whose makers said nothing of them.
    #[cfg(feature = "state")]
    pub(crate) fn main_world(&self) -> &SeedWorld {
        &self.main_world
    }

    /// The sandbox of an id, whose lease begins anew.
    pub(crate) fn get(&self, id: &str) -> Option<Realm> {
        let realm = self.realms.read().get(id).cloned()?;
        if let Some(lease) = realm.lease() {
            lease.renew(clock::instant());
        }
        Some(realm)
    }

    /// Takes away those whose lease has ended, and all that was kept of them.
    pub(crate) fn take_abandoned(&self) -> Vec<Realm> {
        let abandoned = self.take_ended();
        for realm in &abandoned {
            // One that can't be forgotten is there after a restart, and ends with its lease again.
            let _ = self.forget(realm);
        }
        abandoned
    }

    fn take_ended(&self) -> Vec<Realm> {
        let now = clock::instant();
        let mut first_end = self.first_end.lock();
        if first_end.is_none_or(|first| now < first) {
            return Vec::new();
        }
        let mut realms = self.realms.write();
        let ended = |realm: &Realm| realm.lease().is_some_and(|lease| lease.end() <= now);
        let abandoned = realms.extract_if(.., |_, realm| ended(realm)).map(|(_, realm)| realm);
        let abandoned: Vec<Realm> = abandoned.collect();
        self.remember(&abandoned);
        let ends = realms.values().filter_map(|realm| Some(realm.lease()?.end()));
        *first_end = ends.min();
        abandoned
    }

    /// When to look for leases that have ended; `None` where there are none.
    pub(crate) fn first_end(&self) -> Option<Instant> {
        *self.first_end.lock()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.realms.read().len()
    }

    /// In the order made.
    pub(crate) fn all(&self) -> Vec<Realm> {
        let mut all: Vec<Realm> = self.realms.read().values().cloned().collect();
        all.sort_by_key(Realm::key);
        all
    }

    /// Takes one away, and all that was kept of it.
    ///
    /// # Errors
    /// [`NotKept`]: then it is still there.
    pub(crate) fn remove(&self, id: &str) -> Result<Option<Realm>, NotKept> {
        let Some(realm) = self.get(id) else { return Ok(None) };
        self.forget(&realm)?;
        let removed = self.realms.write().remove(id);
        self.remember(removed.as_slice());
        Ok(removed)
    }

    /// Remembers from now on the sandboxes that go, [`REMEMBERED_MAX`] of them at most.
    pub(crate) fn remember_deleted(&self) {
        *self.remembered.lock() = Some(Vec::new());
    }

    /// In the order that they went.
    pub(crate) fn remembered(&self) -> Vec<Realm> {
        self.remembered.lock().clone().unwrap_or_default()
    }

    fn remember(&self, gone: &[Realm]) {
        if let Some(remembered) = self.remembered.lock().as_mut() {
            let room = REMEMBERED_MAX.saturating_sub(remembered.len());
            remembered.extend(gone.iter().take(room).cloned());
        }
    }

    /// Forgets what was kept of one.
    ///
    /// # Errors
    /// [`NotKept`].
    pub(crate) fn forget(&self, realm: &Realm) -> Result<(), NotKept> {
        self.durable.as_ref().map_or(Ok(()), |durable| durable.remove(realm.key()))
    }

    /// Makes one beside `main`.
    ///
    /// # Errors
    /// [`SandboxError`].
    pub(crate) fn create(
        &self,
        main: &Realm,
        plan: SandboxPlan,
        now: Timestamp,
    ) -> Result<Realm, SandboxError> {
        let seeded = self.seeded(main, &plan)?;
        let key = {
            let mut made = self.made.lock();
            *made += 1;
            *made
        };
        let defaults = main.settings();
        let is_inline = plan.world.as_ref().is_some_and(|chosen| chosen.name.is_none());
        let settings = RunSettings {
            seed: plan.seed.unwrap_or_else(|| derived_seed(defaults.seed, key)),
            base_url: base_url(main, key),
            clock: plan.clock.unwrap_or(defaults.clock),
            rate_limit: plan.rate_limit.unwrap_or(defaults.rate_limit),
            progression: plan.progression.unwrap_or(defaults.progression),
            // Who writes a world out chooses its secrets.
            secrets: if is_inline { SecretSource::Seeded } else { SecretSource::Own(id(key)) },
        };
        let defects = plan.defects.unwrap_or_else(|| self.defects.clone());
        let world = World::from_seeded(seeded.clone(), settings.clone(), now)?;
        let world = defect::install(world, &defects);
        if self.realms.read().len() >= SANDBOXES_MAX {
            return Err(SandboxError::TooMany);
        }
        if let Some(durable) = &self.durable {
            durable.add(&SandboxRecord {
                key,
                world: plan.world.map(|chosen| chosen.value),
                answers: seeded.answers().clone(),
                settings: settings.clone(),
                defects,
                lease: plan.lease,
            })?;
        }
        let realm = self.realm(key, world, settings, plan.lease);
        if self.insert(&realm) {
            return Ok(realm);
        }
        self.forget(&realm)?;
        Err(SandboxError::TooMany)
    }

    /// The world of a sandbox, with what the shell keeps beside it.
    pub(super) fn realm(
        &self,
        key: u64,
        world: World,
        settings: RunSettings,
        lease: Option<Duration>,
    ) -> Realm {
        let service = match &self.durable {
            Some(durable) => Service::kept(world, durable.keeper(key)),
            None => Service::new(world),
        };
        let lease = lease.map(|length| Lease::new(length, clock::instant()));
        Realm::new(key, Some(id(key)), service, settings, lease)
    }

    /// Whether there was room for it.
    pub(super) fn insert(&self, realm: &Realm) -> bool {
        let mut first_end = self.first_end.lock();
        let mut realms = self.realms.write();
        if realms.len() >= SANDBOXES_MAX {
            return false;
        }
        realms.insert(id(realm.key()), realm.clone());
        *first_end = first_end.into_iter().chain(realm.lease().map(Lease::end)).min();
        true
    }

    /// The rows, shared with every sandbox of the same names.
    fn seeded(&self, main: &Realm, plan: &SandboxPlan) -> Result<Arc<Seeded>, SettingsError> {
        let of_main = main.service().seeded();
        let (world, answers) = (&plan.world, &plan.answers);
        if world.is_none() && answers.is_none() {
            return Ok(of_main);
        }
        let is_inline = world.as_ref().is_some_and(|chosen| chosen.name.is_none())
            || answers.as_ref().is_some_and(|chosen| chosen.name.is_none());
        let name = (
            world.as_ref().and_then(|chosen| chosen.name.clone()),
            answers.as_ref().and_then(|chosen| chosen.name.clone()),
        );
        if !is_inline && let Some(seeded) = self.seeded.lock().get(&name) {
            return Ok(seeded.clone());
        }
        let world = world.as_ref().map_or(&self.main_world, |chosen| &chosen.value);
        let answers = answers.as_ref().map_or(of_main.answers(), |chosen| &chosen.value);
        let seeded = Arc::new(Seeded::new(world, answers.clone())?);
        let mut kept = self.seeded.lock();
        if !is_inline && kept.len() < SEEDED_MAX {
            kept.insert(name, seeded.clone());
        }
        Ok(seeded)
    }
}

/// Its id, the segment of its base path.
fn id(key: u64) -> String {
    format!("s{key}")
}

/// Where the sandbox of a number is called.
pub(super) fn base_url(main: &Realm, key: u64) -> String {
    format!("{}/sandboxes/{}", main.settings().base_url, id(key))
}

/// A seed that no other world of this mock has by itself (the finaliser of SplitMix64).
fn derived_seed(seed: u64, key: u64) -> u64 {
    let mut mixed = seed.wrapping_add(key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) >> (u64::BITS - SEED_BITS)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{SandboxPlan, Sandboxes, clock};
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
        let realm =
            site.sandboxes().create(site.main(), plan, clock::now()).expect("there is room");
        site.deliverer().add(&realm);
    }

    fn left(site: &Site, count: impl Fn(usize) -> bool) {
        let until = clock::instant() + WAIT_MAX;
        let sandboxes: &Sandboxes = site.sandboxes();
        while !count(sandboxes.count()) {
            assert!(clock::instant() < until, "{} are left", sandboxes.count());
            std::thread::yield_now();
        }
    }

    /// What a sandbox costs: no row is copied, and of secrets of its own only the key is kept.
    #[test]
    fn sandboxes_of_the_same_rows_share_them() {
        let site = site();
        let rows = site.main().service().seeded();
        let before = Arc::strong_count(&rows);
        for _ in 0..100 {
            make(&site, None);
        }
        assert_eq!(Arc::strong_count(&rows), before + 100);
        for realm in site.sandboxes().all() {
            assert!(Arc::ptr_eq(&rows, &realm.service().seeded()));
        }
    }

    #[test]
    fn abandoned_sandboxes_go_by_themselves_and_the_others_stay() {
        let site = site();
        make(&site, None);
        make(&site, Some(Duration::from_secs(60)));
        for _ in 0..3 {
            make(&site, Some(LEASE));
        }
        left(&site, |count| count == 2);
        // A shorter lease than the one that is waited for is seen too.
        make(&site, Some(LEASE));
        left(&site, |count| count == 2);
        assert_eq!(site.sandboxes().all().len(), 2);
    }
}
