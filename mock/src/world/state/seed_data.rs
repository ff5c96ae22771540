//! The rows at the start of a world. All worlds of the same seed world share them.
//!
//! Their ids derive only from the seed world, not from the seed or the address of a run. So they are the same in
//! every run.

mod parties;
mod rows;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::{SeedApplication, SeedWorkflow, SeedWorld};
use serde_json::{Value, json};

use crate::value::identifier::Identifiers;
use crate::value::key::SeedKey;
use crate::value::message::route::Router;
use crate::value::settings::SettingsError;
use crate::world::state::amendments::Amendments;
use crate::world::state::change::Amendment;
use crate::world::state::index::Index;
use crate::world::state::resource::workflow::{self, Workflow};
use crate::world::state::table;

use parties::Parties;
pub(crate) use parties::{Application, Company};
pub(crate) use rows::SeedRows;

/// The seed rows of a seed world under a set of answers.
#[derive(Debug, Clone)]
pub struct SeedData {
    answers: Answers,
    pub(crate) router: Router,
    /// The ids of seed rows.
    pub(crate) identifiers: Identifiers,
    parties: Parties,
    pub(crate) workflow_index: Index,
    pub(crate) rows: Arc<SeedRows>,
}

impl SeedData {
    /// Builds the rows.
    ///
    /// # Errors
    /// [`SettingsError::SeedWorld`] and [`SettingsError::Answers`].
    pub fn new(world: &SeedWorld, answers: Answers) -> Result<Self, SettingsError> {
        let router = Router::new(&answers)?;
        let identifiers = Identifiers::new(seed_of(world));
        let parties = parties::read(world, &identifiers)?;
        let rows = rows::read(world, &answers, &identifiers, &parties)?;
        let mut workflow_index = Index::new(parties.companies.len());
        for (row, workflow) in (0..).zip(&parties.workflows) {
            workflow_index.insert(workflow.company, row, Some(workflow.seed.status as usize));
        }
        Ok(Self { answers, router, identifiers, parties, workflow_index, rows: Arc::new(rows) })
    }

    /// These rows with amendments. Legal requests, documents and webhooks stay unchanged, even if the amended
    /// answers would lead to other rows.
    ///
    /// # Errors
    /// [`SettingsError::Answers`].
    pub(crate) fn amended(&self, amendments: &Amendments) -> Result<Self, SettingsError> {
        let mut amended = self.clone();
        if let Some(answers) = &amendments.answers {
            amended.router = Router::new(answers)?;
            amended.answers = Answers::clone(answers);
        }
        for ((company, email), is_user) in &amendments.users {
            amended.set_user(*company, email, *is_user);
        }
        for (index, amendment) in &amendments.applications {
            amended.set_application(*index, amendment);
        }
        for (row, amendment) in &amendments.workflows {
            amended.set_workflow(*row, amendment);
        }
        Ok(amended)
    }

    fn set_user(&mut self, company: u32, email: &str, is_user: bool) {
        let Some(company) = self.parties.companies.get_mut(company as usize) else { return };
        company.users.retain(|known| !known.eq_ignore_ascii_case(email));
        if is_user {
            company.users.push(email.to_owned());
        }
    }

    /// Sets an application. A new one has the next index, because amendments are applied in order.
    fn set_application(&mut self, index: u32, amendment: &Amendment<SeedApplication>) {
        let record = &amendment.record;
        let application = Application {
            client_id: record.client_id.clone(),
            client_secret: record.client_secret.clone(),
            has_own_secret: true,
            scopes: record.scopes,
            company: amendment.company,
        };
        let parties = &mut self.parties;
        if amendment.is_removed {
            parties.application_numbers.remove(&record.client_id);
        } else {
            parties.application_numbers.insert(record.client_id.clone(), index);
        }
        match parties.applications.get_mut(index as usize) {
            Some(known) => *known = application,
            None => parties.applications.push(application),
        }
    }

    /// Sets a workflow. A new one has the next row, because amendments are applied in order.
    fn set_workflow(&mut self, row: u32, amendment: &Amendment<SeedWorkflow>) {
        let id = amendment.record.id.clone().unwrap_or_default();
        // The record lists all fields, so `merges` has no effect.
        let workflow = Workflow::new(id.clone(), amendment.company, false, &amendment.record);
        let parties = &mut self.parties;
        self.workflow_index.remove(workflow.company, row);
        if amendment.is_removed {
            parties.workflow_rows.remove(&id);
        } else {
            self.workflow_index.insert(workflow.company, row, Some(workflow.seed.status as usize));
            parties.workflow_rows.insert(id, row);
        }
        match parties.workflows.get_mut(row as usize) {
            Some(known) => *known = workflow,
            None => parties.workflows.push(workflow),
        }
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
        let company = |index: u32| self.company(index).map(|company| &company.name);
        let applications = self.applications().map(|application| {
            json!({
                "client_id": application.client_id,
                "client_secret": secret(application),
                "scopes": application.scopes,
                "company": company(application.company),
            })
        });
        let workflows = self.known_workflows().map(|workflow| {
            json!({
                "id": workflow.id(),
                "company": company(workflow.company),
                "name": workflow.seed.name,
                "type": workflow::type_name(&self.answers, workflow.seed.kind),
                "status": workflow.seed.status,
            })
        });
        let users: BTreeMap<_, _> =
            self.companies().iter().map(|company| (&company.name, &company.users)).collect();
        json!({
            "applications": applications.collect::<Vec<_>>(),
            "users": users,
            "workflows": workflows.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn companies(&self) -> &[Company] {
        &self.parties.companies
    }

    pub(crate) fn company(&self, index: u32) -> Option<&Company> {
        self.parties.companies.get(index as usize)
    }

    pub(crate) fn application(&self, index: u32) -> Option<&Application> {
        self.parties.applications.get(index as usize)
    }

    /// The applications, without removed ones, in order.
    pub(crate) fn applications(&self) -> impl Iterator<Item = &Application> {
        let indexed = (0..).zip(&self.parties.applications);
        indexed.filter(|(index, _)| self.has_application(*index)).map(|(_, row)| row)
    }

    /// Whether an application was not removed.
    pub(crate) fn has_application(&self, index: u32) -> bool {
        self.application(index).is_some_and(|application| {
            self.parties.application_numbers.get(&application.client_id) == Some(&index)
        })
    }

    /// The index of the next application.
    pub(crate) fn next_application(&self) -> u32 {
        table::length(self.parties.applications.len())
    }

    /// The company of a name, with its index.
    pub(crate) fn company_of(&self, name: &str) -> Option<(u32, &Company)> {
        (0..).zip(self.companies()).find(|(_, company)| company.name == name)
    }

    /// The row of a workflow with this id. A removed workflow gets its row again, a new one the next row.
    pub(crate) fn row_for_workflow(&self, id: &str) -> u32 {
        let workflows = &self.parties.workflows;
        let known = workflows.iter().position(|workflow| workflow.id() == id);
        table::length(known.unwrap_or(workflows.len()))
    }

    /// The workflows of a company, in the seed's order.
    pub(crate) fn workflows_of(&self, company: u32) -> impl Iterator<Item = &Workflow> {
        let known = self.known_workflows();
        known.filter(move |workflow| workflow.company == company)
    }

    /// The workflows, without removed ones.
    fn known_workflows(&self) -> impl Iterator<Item = &Workflow> {
        let Parties { workflows, workflow_rows, .. } = &self.parties;
        workflows.iter().filter(|workflow| workflow_rows.contains_key(workflow.id()))
    }

    /// The application of a `client_id`, with its index.
    pub(crate) fn application_of(&self, client_id: &str) -> Option<(u32, &Application)> {
        let index = *self.parties.application_numbers.get(client_id)?;
        Some((index, self.application(index)?))
    }

    pub(crate) fn workflow(&self, row: u32) -> Option<&Workflow> {
        self.parties.workflows.get(row as usize)
    }

    /// The workflow of an id, with its row.
    pub(crate) fn workflow_of(&self, id: &str) -> Option<(u32, &Workflow)> {
        let row = *self.parties.workflow_rows.get(id)?;
        Some((row, self.workflow(row)?))
    }

    /// The id of a workflow. The workflow of a legal request always exists.
    pub(crate) fn workflow_id(&self, row: u32) -> &str {
        self.workflow(row).map_or("", |workflow| workflow.id())
    }
}

/// The base of all ids of a seed world. It includes no rows, so that a new row at the end of a list does not
/// change the ids of the others.
fn seed_of(world: &SeedWorld) -> u64 {
    let names = world.companies.iter().map(|company| company.name.as_str());
    SeedKey::derive(0, &names.collect::<Vec<_>>().join("\n")).scramble(0)
}
