//! Adds, changes and removes users, applications and workflows at run time.

use std::sync::Arc;

use moot_fixtures::contract::{Scopes, WorkflowStatus};
use moot_fixtures::nearest::{ending, nearest};
use moot_fixtures::world::{self as seed_world, SeedApplication, SeedWorkflow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Refusal;
use crate::value::email;
use crate::value::limits::{AMENDMENT_BYTES_MAX, AMENDMENTS_MAX};
use crate::world::World;
use crate::world::state::change::{Amendment, Change};
use crate::world::state::seed_data::Application;

/// Changes of a workflow. Absent members keep their value. A new workflow needs `name`, `kind` and
/// `signer_options`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkflowUpdate {
    /// `published` or `unpublished`
    #[schemars(with = "Option<String>", extend("enum" = WorkflowStatus::ALL))]
    pub status: Option<WorkflowStatus>,
    /// its name; a new workflow needs it
    pub name: Option<String>,
    /// its description
    pub description: Option<String>,
    /// `generated` or `third_party`; a new workflow needs it
    pub kind: Option<String>,
    /// `single` or `multiple`: the field for internal signers
    pub signers: Option<String>,
    /// the internal signers; a new workflow needs them
    pub signer_options: Option<Vec<String>>,
    /// the required fields of a creation
    pub required_fields: Option<Vec<String>>,
    /// the optional fields of a creation
    pub optional_fields: Option<Vec<String>>,
    /// its variables by name, each with `type`, `required`, `options` and `suggestions`
    pub variables: Option<Map<String, Value>>,
    /// for a new workflow: the name of the company; the first one if absent
    #[serde(skip_serializing)]
    pub company: Option<String>,
}

/// The response of every action in this file. Shape: `{"applications": [{"client_id", "client_secret",
/// "scopes": [], "company"}], "users": {company: [email]}, "workflows": [{"id", "company", "name", "type",
/// "status"}]}`.
pub(super) fn view(world: &World) -> Value {
    world.describe()
}

pub(super) fn add_user(
    world: &mut World,
    email: String,
    company: Option<&str>,
) -> Result<Value, Refusal> {
    if !email::is_well_formed(&email) {
        return Err(Refusal::invalid(format!("`email` is an e-mail address, not `{email}`")));
    }
    let company = company_of(world, company)?;
    amend(world, vec![Change::SetUser { company, email, is_user: true }])
}

pub(super) fn remove_user(world: &mut World, email: &str) -> Result<Value, Refusal> {
    let is_it = |user: &String| user.eq_ignore_ascii_case(email);
    let companies = (0..).zip(world.seed_data().companies());
    let of_it = companies
        .filter_map(|(company, row)| Some((company, row.users.iter().find(|user| is_it(user))?)));
    let changes: Vec<Change> = of_it
        .map(|(company, user)| Change::SetUser { company, email: user.clone(), is_user: false })
        .collect();
    if changes.is_empty() {
        let users = world.seed_data().companies().iter().flat_map(|company| &company.users);
        let hint = ending(nearest(email, users.map(String::as_str)));
        return Err(Refusal::unknown(format!("there is no user `{email}`{hint}")));
    }
    amend(world, changes)
}

pub(super) fn put_application(
    world: &mut World,
    client_id: String,
    secret: Option<String>,
    scopes: Option<Scopes>,
    company: Option<&str>,
) -> Result<Value, Refusal> {
    if scopes.is_some_and(Scopes::is_empty) {
        return Err(Refusal::invalid("`scopes` has `read`, `write` or both"));
    }
    let (index, company, client_secret, scopes) = match world.seed_data().application_of(&client_id)
    {
        Some((index, known)) => {
            let secret = secret.unwrap_or_else(|| world.client_secret(known).into_owned());
            (index, known.company, secret, scopes.unwrap_or(known.scopes))
        }
        None => {
            let secret = secret
                .ok_or_else(|| Refusal::invalid("a new application needs `client_secret`"))?;
            let scopes = scopes.unwrap_or(Scopes::READ_WRITE);
            (world.seed_data().next_application(), company_of(world, company)?, secret, scopes)
        }
    };
    if client_secret.is_empty() {
        return Err(Refusal::invalid("`client_secret` must not be empty"));
    }
    check_length("the client id and the secret", client_id.len() + client_secret.len())?;
    let record = Arc::new(SeedApplication { client_id, client_secret, scopes });
    let amendment = Amendment { company, record, is_removed: false };
    amend(world, vec![Change::SetApplication { index, amendment }])
}

pub(super) fn remove_application(world: &mut World, client_id: &str) -> Result<Value, Refusal> {
    let (index, known) = application_of(world, client_id)?;
    let company = known.company;
    let record = Arc::new(SeedApplication {
        client_id: known.client_id.clone(),
        client_secret: String::new(),
        scopes: known.scopes,
    });
    let amendment = Amendment { company, record, is_removed: true };
    amend(world, vec![Change::SetApplication { index, amendment }])
}

pub(super) fn put_workflow(
    world: &mut World,
    id: String,
    update: WorkflowUpdate,
) -> Result<Value, Refusal> {
    let known = world.seed_data().workflow_of(&id);
    let (row, company, present) = match known {
        Some((row, workflow)) => (row, workflow.company, json!(workflow.seed)),
        None => {
            let company = company_of(world, update.company.as_deref())?;
            let present = json!({ "id": id, "status": "published", "signers": "single" });
            (world.seed_data().row_for_workflow(&id), company, present)
        }
    };
    let record = merge(present, &update)?;
    check_length("the workflow", json!(record).to_string().len())?;
    let amendment = Amendment { company, record: Arc::new(record), is_removed: false };
    amend(world, vec![Change::SetWorkflow { row, amendment }])
}

/// The workflow with its changes. A change of the kind or the signers also replaces its fields, unless
/// the change has fields.
fn merge(mut workflow: Value, update: &WorkflowUpdate) -> Result<SeedWorkflow, Refusal> {
    let invalid = |error: String| Refusal::invalid(format!("workflow: {error}"));
    if let (Value::Object(workflow), Value::Object(mut update)) = (&mut workflow, json!(update)) {
        update.retain(|_, value| !value.is_null());
        if update.contains_key("kind") || update.contains_key("signers") {
            workflow.shift_remove("required_fields");
            workflow.shift_remove("optional_fields");
        }
        workflow.extend(update);
    }
    let workflow: SeedWorkflow =
        serde_json::from_value(workflow).map_err(|error| invalid(error.to_string()))?;
    seed_world::check_workflow(&workflow).map_err(|error| invalid(error.to_string()))?;
    Ok(workflow)
}

pub(super) fn remove_workflow(world: &mut World, id: &str) -> Result<Value, Refusal> {
    let (row, workflow) = world
        .seed_data()
        .workflow_of(id)
        .ok_or_else(|| Refusal::unknown(format!("there is no workflow `{id}`")))?;
    let record = Arc::new(workflow.seed.clone());
    let amendment = Amendment { company: workflow.company, record, is_removed: true };
    amend(world, vec![Change::SetWorkflow { row, amendment }])
}

fn check_length(what: &str, bytes: usize) -> Result<(), Refusal> {
    if bytes <= AMENDMENT_BYTES_MAX {
        return Ok(());
    }
    Err(Refusal::invalid(format!("{what} must have {AMENDMENT_BYTES_MAX} bytes at most")))
}

fn amend(world: &mut World, changes: Vec<Change>) -> Result<Value, Refusal> {
    let amendments = &world.state().amendments;
    let count = amendments.users.len() + amendments.applications.len() + amendments.workflows.len();
    if count + changes.len() > AMENDMENTS_MAX {
        let detail = format!(
            "{AMENDMENTS_MAX} users, applications and workflows were changed already; reset the world"
        );
        return Err(Refusal::conflict(detail));
    }
    world.apply(changes);
    Ok(view(world))
}

pub(super) fn company_name(world: &World, company: u32) -> Option<&str> {
    world.seed_data().company(company).map(|company| company.name.as_str())
}

/// The application with this client id, with its index.
pub(super) fn application_of<'w>(
    world: &'w World,
    client_id: &str,
) -> Result<(u32, &'w Application), Refusal> {
    world.seed_data().application_of(client_id).ok_or_else(|| {
        let known = world.seed_data().applications().map(|known| known.client_id.as_str());
        let hint = ending(nearest(client_id, known));
        Refusal::unknown(format!("there is no application `{client_id}`{hint}"))
    })
}

/// The company with this name; the first one if absent.
pub(super) fn company_of(world: &World, name: Option<&str>) -> Result<u32, Refusal> {
    let Some(name) = name else { return Ok(0) };
    let known = world.seed_data().company_of(name);
    known.map(|(index, _)| index).ok_or_else(|| {
        let names = world.seed_data().companies().iter().map(|company| company.name.as_str());
        let hint = ending(nearest(name, names));
        Refusal::unknown(format!("there is no company `{name}`{hint}"))
    })
}
