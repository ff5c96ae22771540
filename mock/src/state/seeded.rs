//! The rows that a world starts with. All worlds of the same seed world share them.
//!
//! Their ids derive from the seed world alone, so that they are the same in every run. They do not
//! depend on the seed or the address of a run.

mod ids;
mod parties;
mod rows;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::{Answers, WorkflowStatus};
use moot_fixtures::world::SeedWorld;
use serde_json::{Value, json};

use crate::message::route::Router;
use crate::resource::workflow::{self, Workflow};
use crate::state::index::Index;
use crate::value::identifier::Identifiers;
use crate::value::key::SeedKey;
use crate::value::settings::SettingsError;
use crate::value::timestamp;

pub(crate) use ids::Ids;
pub(crate) use parties::{Application, Company};
pub(crate) use rows::SeedRows;

/// The seed rows of a seed world under a set of answers.
#[derive(Debug)]
pub struct Seeded {
    answers: Answers,
    router: Router,
    identifiers: Identifiers,
    companies: Vec<Company>,
    applications: Vec<Application>,
    application_numbers: BTreeMap<String, u32>,
    workflows: Vec<Workflow>,
    workflow_rows: BTreeMap<String, u32>,
    workflow_index: Index,
    rows: SeedRows,
}

impl Seeded {
    /// Builds the rows.
    ///
    /// # Errors
    /// [`SettingsError::SeedWorld`] and [`SettingsError::Answers`].
    pub fn new(world: &SeedWorld, answers: Answers) -> Result<Self, SettingsError> {
        let router = Router::new(&answers)?;
        let identifiers = Identifiers::new(seed_of(world));
        let parties = parties::read(world, &identifiers)?;
        let rows = rows::read(world, &answers, &identifiers, &parties)?;
        let mut workflow_index = Index::new(parties.companies.len(), WorkflowStatus::ALL.len());
        let mut workflow_rows = BTreeMap::new();
        for (row, workflow) in (0..).zip(&parties.workflows) {
            workflow_index.insert(workflow.company, row, Some(workflow.status as usize));
            if workflow_rows.insert(workflow.id.clone(), row).is_some() {
                return Err(SettingsError::SeedWorld(format!("two workflows `{}`", workflow.id)));
            }
        }
        let parties::Parties { companies, applications, application_numbers, workflows } = parties;
        Ok(Self {
            answers,
            router,
            identifiers,
            companies,
            applications,
            application_numbers,
            workflows,
            workflow_rows,
            workflow_index,
            rows,
        })
    }

    /// The answers of the service.
    pub const fn answers(&self) -> &Answers {
        &self.answers
    }

    /// The applications, users and workflows. Shape: `{"applications": [{"client_id",
    /// "client_secret", "scopes": [], "company"}], "users": {company: [email]}, "workflows":
    /// [{"id", "company", "name", "type", "status"}]}`; `secret` gives the secret of an application.
    pub(crate) fn describe<'s>(
        &'s self,
        secret: impl Fn(&'s Application) -> Cow<'s, str>,
    ) -> Value {
        let company = |index: u32| self.companies.get(index as usize).map(|company| &company.name);
        let applications = self.applications.iter().map(|application| {
            json!({
                "client_id": application.client_id,
                "client_secret": secret(application),
                "scopes": application.scopes,
                "company": company(application.company),
            })
        });
        let workflows = self.workflows.iter().map(|workflow| {
            json!({
                "id": workflow.id,
                "company": company(workflow.company),
                "name": workflow.name,
                "type": workflow::type_name(&self.answers, workflow.kind),
                "status": workflow.status,
            })
        });
        let users: BTreeMap<_, _> =
            self.companies.iter().map(|company| (&company.name, &company.users)).collect();
        json!({
            "applications": applications.collect::<Vec<_>>(),
            "users": users,
            "workflows": workflows.collect::<Vec<_>>(),
        })
    }

    pub(crate) const fn router(&self) -> &Router {
        &self.router
    }

    /// The ids of seed rows.
    pub(crate) const fn identifiers(&self) -> &Identifiers {
        &self.identifiers
    }

    pub(crate) fn companies(&self) -> &[Company] {
        &self.companies
    }

    pub(crate) fn company(&self, index: u32) -> Option<&Company> {
        self.companies.get(index as usize)
    }

    pub(crate) fn application(&self, index: u32) -> Option<&Application> {
        self.applications.get(index as usize)
    }

    pub(crate) fn applications(&self) -> &[Application] {
        &self.applications
    }

    /// The workflows of a company, in the seed's order.
    pub(crate) fn workflows_of(&self, company: u32) -> impl Iterator<Item = &Workflow> {
        self.workflows.iter().filter(move |workflow| workflow.company == company)
    }

    /// The application of a `client_id`, with its index.
    pub(crate) fn application_of(&self, client_id: &str) -> Option<(u32, &Application)> {
        let index = *self.application_numbers.get(client_id)?;
        Some((index, self.application(index)?))
    }

    pub(crate) fn workflow(&self, row: u32) -> Option<&Workflow> {
        self.workflows.get(row as usize)
    }

    /// The workflow of an id, with its row.
    pub(crate) fn workflow_of(&self, id: &str) -> Option<(u32, &Workflow)> {
        let row = *self.workflow_rows.get(id)?;
        Some((row, self.workflow(row)?))
    }

    /// The id of a workflow. The workflow of a legal request always exists.
    pub(crate) fn workflow_id(&self, row: u32) -> &str {
        self.workflow(row).map_or("", |workflow| &workflow.id)
    }

    pub(crate) const fn workflow_index(&self) -> &Index {
        &self.workflow_index
    }

    pub(crate) const fn rows(&self) -> &SeedRows {
        &self.rows
    }
}

/// The base of all ids of a seed world. It does not include single rows: so a row that is added at the
/// end of a list does not change the ids of the others.
fn seed_of(world: &SeedWorld) -> u64 {
    let names = world.companies.iter().map(|company| company.name.as_str());
    SeedKey::derive(0, &names.collect::<Vec<_>>().join("\n")).scramble(0)
}

/// The time of a seed world.
fn seeded_at(world: &SeedWorld) -> Result<jiff::Timestamp, SettingsError> {
    world.seeded_at.parse().map_err(|_| {
        SettingsError::SeedWorld(format!(
            "`seeded_at` must be a time such as `{}`",
            timestamp::exact(jiff::Timestamp::UNIX_EPOCH)
        ))
    })
}

/// Wraps shared rows.
fn shared<R>(rows: Vec<R>) -> Arc<Vec<Arc<R>>> {
    let mut shared = Vec::with_capacity(rows.len());
    shared.extend(rows.into_iter().map(Arc::new));
    Arc::new(shared)
}
