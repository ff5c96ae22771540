//! The changeable data of a world, and the application of a [`Change`].
//!
//! Applying a change decides nothing and can't fail. The indexes derive from the rows.

mod amendments;
pub mod change;
pub(crate) mod index;
pub mod resource;
pub mod seed_data;
pub mod stored_rows;
pub(crate) mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::value::clock::Clock;
use crate::value::delivery_policy::DeliveryPolicy;
use crate::value::limits::MARKED_TOKENS_MAX;
use crate::value::settings::{ClockSetting, Progression, RateLimitMode};
use crate::value::token::Grant;
use crate::world::state::amendments::Amendments;
use crate::world::state::change::{AddressResponse, Change, Checkpoint};
use crate::world::state::resource::{Delivery, LegalRequest, RepositoryDocument, Webhook};
use crate::world::state::seed_data::SeedData;
use crate::world::state::table::RowTable;

/// All data of a world that [`Change`]s modify.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) legal_requests: RowTable<LegalRequest>,
    pub(crate) documents: RowTable<RepositoryDocument>,
    pub(crate) webhooks: RowTable<Webhook>,
    pub(crate) deliveries: BTreeMap<u64, Arc<Delivery>>,
    pub(crate) clock: Clock,
    pub(crate) rate_limit: RateLimitMode,
    pub(crate) delivery_policy: DeliveryPolicy,
    pub(crate) progression: Progression,
    pub(crate) amendments: Amendments,
    /// The number of the next delivery.
    pub(crate) next_delivery: u64,
    /// The responses that tests registered for addresses.
    pub(crate) addresses: BTreeMap<String, AddressResponse>,
    /// By name. They survive a reset.
    pub(crate) checkpoints: BTreeMap<String, Arc<Checkpoint>>,
    pub(crate) token_marks: TokenMarks,
    /// Legal requests by the time of their next automatic step.
    pub(crate) steps: BTreeSet<(Timestamp, u32)>,
    /// Deliveries by the time of their next attempt.
    attempts: BTreeSet<(Timestamp, u64)>,
}

/// Tokens that expired early or were revoked.
#[derive(Debug, Default)]
pub(crate) struct TokenMarks {
    expired: BTreeSet<u64>,
    revoked: BTreeSet<u64>,
    /// By application: tokens with a lower call number are revoked.
    revoked_before: BTreeMap<u32, u64>,
}

impl TokenMarks {
    /// Whether a token expired early.
    pub(crate) fn is_expired(&self, serial: u64) -> bool {
        self.expired.contains(&serial)
    }

    /// Whether a token was revoked.
    pub(crate) fn is_revoked(&self, grant: &Grant) -> bool {
        self.revoked.contains(&grant.serial) || grant.serial < self.first_valid(grant.application)
    }

    /// The numbers of the calls whose tokens were revoked one by one.
    pub(crate) fn revoked(&self) -> impl Iterator<Item = u64> {
        self.revoked.iter().copied()
    }

    /// The number of the first call whose token is still valid for this application.
    pub(crate) fn first_valid(&self, application: u32) -> u64 {
        self.revoked_before.get(&application).copied().unwrap_or(0)
    }

    fn changes(&self) -> impl Iterator<Item = Change> {
        let expired = self.expired.iter().map(|serial| Change::ExpireToken { serial: *serial });
        let revoked = self.revoked.iter().map(|serial| Change::RevokeToken { serial: *serial });
        let earlier = self.revoked_before.iter().map(|(application, serial)| {
            Change::RevokeEarlierTokens { application: *application, serial: *serial }
        });
        expired.chain(revoked).chain(earlier)
    }

    /// The changes that add a mark. The oldest mark is removed if there are too many.
    pub(crate) fn add(&self, mark: Change) -> Vec<Change> {
        let is_full = self.expired.len() + self.revoked.len() >= MARKED_TOKENS_MAX;
        let oldest = self.expired.first().into_iter().chain(self.revoked.first()).min();
        let forgotten =
            oldest.filter(|_| is_full).map(|serial| Change::ForgetToken { serial: *serial });
        forgotten.into_iter().chain([mark]).collect()
    }
}

impl State {
    /// The state at the start of a world.
    pub(crate) fn new(
        seed_data: &SeedData,
        clock: ClockSetting,
        rate_limit: RateLimitMode,
        progression: Progression,
    ) -> Self {
        let rows = &seed_data.rows;
        Self {
            legal_requests: rows.legal_requests.clone(),
            documents: rows.documents.clone(),
            webhooks: rows.webhooks.clone(),
            deliveries: BTreeMap::new(),
            clock: Clock::new(clock),
            rate_limit,
            delivery_policy: DeliveryPolicy::default(),
            progression,
            amendments: Amendments::default(),
            next_delivery: 1,
            addresses: BTreeMap::new(),
            checkpoints: BTreeMap::new(),
            token_marks: TokenMarks::default(),
            steps: BTreeSet::new(),
            attempts: BTreeSet::new(),
        }
    }

    /// The next automatic step of a legal request, with its time.
    pub(crate) fn next_step(&self) -> Option<(Timestamp, u32)> {
        self.steps.first().copied()
    }

    /// Deliveries whose attempt is due at `now`, in the order of their times.
    pub(crate) fn due_deliveries(&self, now: Timestamp) -> Vec<u64> {
        self.due_attempts().range(..=(now, u64::MAX)).map(|(_, id)| *id).collect()
    }

    /// The time of the next step or attempt.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        let step = self.steps.first().map(|(at, _)| *at);
        let attempt = self.due_attempts().first().map(|(at, _)| *at);
        step.into_iter().chain(attempt).min()
    }

    /// The next attempts of deliveries, each with its time and its delivery. Empty while deliveries are paused.
    pub(crate) fn due_attempts(&self) -> &BTreeSet<(Timestamp, u64)> {
        static NONE: BTreeSet<(Timestamp, u64)> = BTreeSet::new();
        if self.delivery_policy.is_paused { &NONE } else { &self.attempts }
    }

    /// Applies one change.
    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::PutLegalRequest { row, record } => self.put_legal_request(row, record),
            Change::PutRepositoryDocument { row, record } => {
                self.documents.index.insert(record.company, row, None);
                self.documents.put(row, record.id.clone(), record);
            }
            Change::PutWebhook { row, record } => {
                self.webhooks.index.insert(record.company, row, None);
                self.webhooks.put(row, record.id.clone(), record);
            }
            Change::DeleteWebhook { row } => {
                if let Some(webhook) = self.webhooks.get(row) {
                    self.webhooks.index.remove(webhook.company, row);
                }
                self.webhooks.remove(row);
            }
            Change::PutDelivery { record } => self.put_delivery(record),
            Change::DeleteDelivery { id } => {
                self.remove_attempt(id);
                self.deliveries.remove(&id);
            }
            Change::ExpireToken { serial } => {
                self.token_marks.expired.insert(serial);
            }
            Change::RevokeToken { serial } => {
                self.token_marks.revoked.insert(serial);
            }
            Change::ForgetToken { serial } => {
                self.token_marks.expired.remove(&serial);
                self.token_marks.revoked.remove(&serial);
            }
            Change::RevokeEarlierTokens { application, serial } => {
                self.token_marks.revoked_before.insert(application, serial);
            }
            Change::PutAddress { url, response } => {
                self.addresses.insert(url, response);
            }
            Change::DeleteAddress { url } => {
                self.addresses.remove(&url);
            }
            Change::SetClock(clock) => self.clock = clock,
            Change::SetRateLimit(mode) => self.rate_limit = mode,
            Change::SetDeliveryPolicy(policy) => self.delivery_policy = policy,
            Change::SetProgression(progression) => self.progression = progression,
            Change::SetAnswers(answers) => self.amendments.answers = Some(answers),
            Change::SetUser { company, email, is_user } => {
                self.amendments.users.insert((company, email), is_user);
            }
            Change::SetApplication { index, amendment } => {
                self.amendments.applications.insert(index, amendment);
            }
            Change::SetWorkflow { row, amendment } => {
                self.amendments.workflows.insert(row, amendment);
            }
            Change::PutCheckpoint { name, checkpoint } => {
                self.checkpoints.insert(name, checkpoint);
            }
            Change::DeleteCheckpoint { name } => {
                self.checkpoints.remove(&name);
            }
        }
    }

    /// The changes that lead from the seed to this state, without its checkpoints. A delivery in flight is queued
    /// again.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let mut changes = vec![
            Change::SetClock(self.clock),
            Change::SetRateLimit(self.rate_limit),
            Change::SetDeliveryPolicy(self.delivery_policy.clone()),
            Change::SetProgression(self.progression),
        ];
        changes.extend(self.amendments.changes());
        let legal_requests = self.legal_requests.changed().filter_map(|(row, record)| {
            Some(Change::PutLegalRequest { row, record: record?.clone() })
        });
        changes.extend(legal_requests);
        let documents = self.documents.changed().filter_map(|(row, record)| {
            Some(Change::PutRepositoryDocument { row, record: record?.clone() })
        });
        changes.extend(documents);
        changes.extend(self.webhooks.changed().map(|(row, record)| match record {
            Some(record) => Change::PutWebhook { row, record: record.clone() },
            None => Change::DeleteWebhook { row },
        }));
        let deliveries = self.deliveries.values();
        changes.extend(deliveries.map(|record| Change::PutDelivery { record: record.requeued() }));
        changes.extend(self.token_marks.changes());
        let addresses = self.addresses.iter();
        changes.extend(addresses.map(|(url, response)| Change::PutAddress {
            url: url.clone(),
            response: response.clone(),
        }));
        changes
    }

    fn put_legal_request(&mut self, row: u32, record: Arc<LegalRequest>) {
        if let Some(before) = self.legal_requests.get(row) {
            if let Some(at) = before.next_step_at() {
                self.steps.remove(&(at, row));
            }
            if before.status != record.status {
                self.legal_requests.index.remove(before.company, row);
            }
        }
        self.legal_requests.index.insert(record.company, row, Some(record.status as usize));
        self.steps.extend(record.next_step_at().map(|at| (at, row)));
        self.legal_requests.put(row, record.id.clone(), record);
    }

    fn put_delivery(&mut self, record: Arc<Delivery>) {
        let id = record.id;
        self.remove_attempt(id);
        self.attempts.extend(record.progress.due().map(|due| (due, id)));
        self.next_delivery = self.next_delivery.max(id + 1);
        self.deliveries.insert(id, record);
    }

    fn remove_attempt(&mut self, id: u64) {
        let due = self.deliveries.get(&id).and_then(|delivery| delivery.progress.due());
        if let Some(due) = due {
            self.attempts.remove(&(due, id));
        }
    }
}
