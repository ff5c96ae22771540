//! A served world with its lease and its built-in receiver: the main world, or a sandbox.

use std::sync::Arc;

use http::StatusCode;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::lease::Lease;
use crate::control;
use crate::service::{DeliveryAttempt, Service};
use crate::shell::clock;
use crate::shell::receiver::{Mailbox, RECEIVER};
use crate::world::World;
use crate::world::settings::RunSettings;

/// A served world.
pub(crate) struct Realm {
    pub(crate) key: u64,
    pub(crate) service: Service,
    /// The settings at its creation.
    pub(crate) settings: RunSettings,
    pub(crate) lease: Lease,
    /// The calls to its built-in receiver.
    pub(crate) mailbox: Mutex<Mailbox>,
    /// The worlds before each reset and each return to a checkpoint, if they are remembered.
    pub(crate) former: Mutex<Vec<World>>,
}

impl Realm {
    /// Creates a realm. `key` is 0 for the main world, and is never used again.
    pub(crate) fn new(
        key: u64,
        service: Service,
        settings: RunSettings,
        lease: Lease,
    ) -> Arc<Self> {
        let (mailbox, former) = (Mutex::default(), Mutex::default());
        Arc::new(Self { key, service, settings, lease, mailbox, former })
    }

    /// The journals of its former worlds, then its own. Shape: see [`crate::shell::Site::journals`].
    pub(crate) fn journals(&self) -> Vec<Value> {
        let former = self.former.lock();
        let mut all: Vec<Value> = former.iter().map(control::journal).collect();
        all.push(control::journal(&self.service.world()));
        let mut earlier = 0;
        for journal in &mut all {
            // A world counts the calls of its former worlds as forgotten, but these are in the list.
            let forgotten = journal["forgotten"].as_u64().unwrap_or_default();
            let held = journal["exchanges"].as_array().map_or(0, Vec::len) as u64;
            journal["forgotten"] = json!(forgotten.saturating_sub(earlier));
            journal["sandbox"] = json!(self.settings.sandbox);
            earlier = forgotten + held;
        }
        all
    }

    /// Whether an address is that of its built-in receiver, with any query.
    pub(crate) fn is_own_receiver(&self, url: &str) -> bool {
        let path = url.split('?').next();
        path.and_then(|path| path.strip_prefix(&self.settings.base_url)) == Some(RECEIVER)
    }

    /// Delivers an attempt to its built-in receiver.
    pub(crate) fn receive(&self, attempt: DeliveryAttempt) -> StatusCode {
        let query = attempt.url.split_once('?').map(|(_, query)| query);
        let headers = attempt.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let now = self.service.now(clock::now());
        self.mailbox.lock().take(now, query, headers, attempt.body)
    }

    /// Its journal. Shape: a member of `worlds` of [`crate::shell::Site::journals`].
    pub(crate) fn journal(&self) -> Value {
        let mut journal = control::journal(&self.service.world());
        journal["sandbox"] = json!(self.settings.sandbox);
        journal
    }

    /// Its address and credentials. Shape: as `moot mock --format json` prints them.
    pub(crate) fn describe(&self) -> Value {
        let mut all = self.addresses();
        all.insert("ready".to_owned(), json!(true));
        if let Value::Object(rows) = self.service.describe() {
            all.extend(rows);
        }
        all.into()
    }

    /// Its id, lease, addresses and seed.
    pub(crate) fn addresses(&self) -> serde_json::Map<String, Value> {
        let base_url = &self.settings.base_url;
        let mut all = serde_json::Map::new();
        if let Some(id) = &self.settings.sandbox {
            all.insert("id".to_owned(), json!(id));
        }
        if let Some(length) = self.lease.length() {
            all.insert("lease_seconds".to_owned(), json!(length.as_secs()));
        }
        all.insert("base_url".to_owned(), json!(base_url));
        all.insert("token_url".to_owned(), json!(format!("{base_url}/oauth/token")));
        all.insert("admin_url".to_owned(), json!(format!("{base_url}/__admin")));
        all.insert("console".to_owned(), json!(format!("{base_url}/__admin/console/")));
        all.insert("seed".to_owned(), json!(self.settings.seed));
        all
    }
}
