//! The amendments of a world: answers, users, applications and workflows that the control plane changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::{SeedApplication, SeedWorkflow};

use super::change::{Amendment, Change};

/// The differences from the seed; [`super::seed_data::SeedData::amended`] applies them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Amendments {
    pub(crate) answers: Option<Arc<Answers>>,
    /// By company and email address; `false` removes a user.
    pub(crate) users: BTreeMap<(u32, String), bool>,
    /// By index.
    pub(crate) applications: BTreeMap<u32, Amendment<SeedApplication>>,
    /// By row.
    pub(crate) workflows: BTreeMap<u32, Amendment<SeedWorkflow>>,
}

impl Amendments {
    /// The changes that lead to these amendments.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Change> {
        let answers = self.answers.iter().cloned().map(Change::SetAnswers);
        let users = self.users.iter().map(|((company, email), is_user)| Change::SetUser {
            company: *company,
            email: email.clone(),
            is_user: *is_user,
        });
        let applications = self.applications.iter().map(|(index, amendment)| {
            Change::SetApplication { index: *index, amendment: amendment.clone() }
        });
        let workflows = self.workflows.iter().map(|(row, amendment)| Change::SetWorkflow {
            row: *row,
            amendment: amendment.clone(),
        });
        answers.chain(users).chain(applications).chain(workflows)
    }
}
