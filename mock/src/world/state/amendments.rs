//! What the control plane changed of the answers, users, applications and workflows of a seed.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::{SeedApplication, SeedWorkflow};

use super::change::{Amended, Change};

/// The differences from the seed; [`super::seeded::Seeded::amended`] applies them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Amendments {
    pub(crate) answers: Option<Arc<Answers>>,
    /// Whether an address is that of a user, by company and address.
    pub(crate) users: BTreeMap<(u32, String), bool>,
    /// By index.
    pub(crate) applications: BTreeMap<u32, Amended<SeedApplication>>,
    /// By row.
    pub(crate) workflows: BTreeMap<u32, Amended<SeedWorkflow>>,
}

impl Amendments {
    /// The changes that make them.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Change> {
        let answers = self.answers.iter().cloned().map(Change::SetAnswers);
        let users = self.users.iter().map(|((company, email), is_user)| Change::SetUser {
            company: *company,
            email: email.clone(),
            is_user: *is_user,
        });
        let applications = self.applications.iter().map(|(index, amended)| {
            Change::SetApplication { index: *index, amended: amended.clone() }
        });
        let workflows = self
            .workflows
            .iter()
            .map(|(row, amended)| Change::SetWorkflow { row: *row, amended: amended.clone() });
        answers.chain(users).chain(applications).chain(workflows)
    }
}
