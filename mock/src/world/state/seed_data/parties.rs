//! Companies, their applications and users, and their workflows.

use std::collections::BTreeMap;

use moot_fixtures::contract::Scopes;
use moot_fixtures::world::SeedWorld;

use crate::value::identifier::{IdKind, Identifiers};
use crate::value::settings::SettingsError;
use crate::world::state::resource::workflow::Workflow;
use crate::world::state::table;

/// A company. Its applications see only its data (§5.6).
#[derive(Debug, Clone)]
pub(crate) struct Company {
    pub(crate) name: String,
    pub(crate) users: Vec<String>,
    /// Rows of its workflows.
    pub(crate) workflows: std::ops::Range<u32>,
}

/// An OAuth application (§4.1).
#[derive(Clone)]
pub(crate) struct Application {
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    /// Whether this secret is valid even in a world that derives its own secrets.
    pub(crate) has_own_secret: bool,
    pub(crate) scopes: Scopes,
    /// Index of its company.
    pub(crate) company: u32,
}

impl std::fmt::Debug for Application {
    /// The application without its secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Application").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// All parties of a seed world, in its order.
#[derive(Debug, Clone, Default)]
pub(super) struct Parties {
    pub(super) companies: Vec<Company>,
    pub(super) applications: Vec<Application>,
    /// By client id; without removed applications.
    pub(super) application_numbers: BTreeMap<String, u32>,
    pub(super) workflows: Vec<Workflow>,
    /// By id; without removed workflows.
    pub(super) workflow_rows: BTreeMap<String, u32>,
}

/// Reads the parties.
pub(super) fn read(world: &SeedWorld, identifiers: &Identifiers) -> Result<Parties, SettingsError> {
    let twice = |plural: &str, id: &str| SettingsError::SeedWorld(format!("two {plural} `{id}`"));
    let mut parties = Parties::default();
    for (company, seed) in (0..).zip(&world.companies) {
        for application in &seed.applications {
            let number = table::length(parties.applications.len());
            let client_id = &application.client_id;
            if parties.application_numbers.insert(client_id.clone(), number).is_some() {
                return Err(twice("applications", client_id));
            }
            parties.applications.push(Application {
                client_id: application.client_id.clone(),
                client_secret: application.client_secret.clone(),
                has_own_secret: false,
                scopes: application.scopes,
                company,
            });
        }
        let first_workflow = table::length(parties.workflows.len());
        for workflow in &seed.workflows {
            let row = table::length(parties.workflows.len());
            let id = workflow
                .id
                .clone()
                .unwrap_or_else(|| identifiers.id(IdKind::Workflow, u64::from(row)));
            if parties.workflow_rows.insert(id.clone(), row).is_some() {
                return Err(twice("workflows", &id));
            }
            let merges = seed.merge_documents;
            parties.workflows.push(Workflow::new(id, company, merges, workflow));
        }
        parties.companies.push(Company {
            name: seed.name.clone(),
            users: seed.users.clone(),
            workflows: first_workflow..table::length(parties.workflows.len()),
        });
    }
    Ok(parties)
}
