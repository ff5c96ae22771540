//! A workflow (§2.3). It comes from the seed world, and no operation changes it.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Answers, WorkflowStatus};
use moot_fixtures::world::{SeedVariable, SeedWorkflow, SignerStyle, WorkflowKind};
use serde_json::{Value, json};

use crate::value::message::json::ResourceJson;
use crate::world::state::resource::workflow_fields;

/// A workflow.
#[derive(Debug, Clone)]
pub(crate) struct Workflow {
    pub(crate) id: String,
    /// Index of its company.
    pub(crate) company: u32,
    pub(crate) name: String,
    pub(crate) status: WorkflowStatus,
    pub(crate) kind: WorkflowKind,
    pub(crate) signers: SignerStyle,
    pub(crate) signer_options: Vec<String>,
    pub(crate) required_fields: Vec<String>,
    pub(crate) optional_fields: Vec<String>,
    pub(crate) variables: BTreeMap<String, SeedVariable>,
    pub(crate) description: String,
}

impl Workflow {
    /// The workflow of a seed row. `merges`: whether merging is enabled for its company.
    pub(crate) fn new(id: String, company: u32, merges: bool, seed: &SeedWorkflow) -> Self {
        let (required, optional) = workflow_fields::default_fields(seed, merges);
        Self {
            id,
            company,
            name: seed.name.clone(),
            status: seed.status,
            kind: seed.kind,
            signers: seed.signers,
            signer_options: seed.signer_options.clone(),
            required_fields: seed.required_fields.clone().unwrap_or(required),
            optional_fields: seed.optional_fields.clone().unwrap_or(optional),
            variables: seed.variables.clone(),
            description: seed.description.clone(),
        }
    }

    /// A seed row for the same workflow.
    pub(crate) fn seed(&self) -> SeedWorkflow {
        SeedWorkflow {
            id: Some(self.id.clone()),
            name: self.name.clone(),
            description: self.description.clone(),
            status: self.status,
            kind: self.kind,
            signers: self.signers,
            signer_options: self.signer_options.clone(),
            required_fields: Some(self.required_fields.clone()),
            optional_fields: Some(self.optional_fields.clone()),
            variables: self.variables.clone(),
        }
    }

    /// Its JSON (§2.3).
    pub(crate) fn json(&self, answers: &Answers) -> ResourceJson<'_, Value> {
        let attributes = json!({
            "name": self.name,
            "description": self.description,
            "status": self.status,
            "type": type_name(answers, self.kind),
        });
        ResourceJson { id: &self.id, resource_type: "workflow", attributes }
    }

    /// Whether the schema requires a field.
    pub(crate) fn requires(&self, field: &str) -> bool {
        self.required_fields.iter().any(|name| name == field)
    }

    /// Whether the schema requires or accepts a field.
    pub(crate) fn lists(&self, field: &str) -> bool {
        self.requires(field) || self.optional_fields.iter().any(|name| name == field)
    }
}

/// The value of `attributes.type` for a kind (question `workflow_types`).
pub(crate) fn type_name(answers: &Answers, kind: WorkflowKind) -> &str {
    match kind {
        WorkflowKind::Generated => &answers.workflow_types.generated,
        WorkflowKind::ThirdParty => &answers.workflow_types.third_party,
    }
}
