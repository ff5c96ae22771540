//! A workflow (§2.3). It comes from the seed world, and no operation changes it.

use moot_fixtures::contract::Answers;
use moot_fixtures::world::{SeedWorkflow, WorkflowKind};
use serde_json::{Value, json};

use crate::value::message::json::ResourceJson;
use crate::world::state::resource::workflow_fields;

/// A workflow.
#[derive(Debug, Clone)]
pub(crate) struct Workflow {
    /// Index of its company.
    pub(crate) company: u32,
    /// Its row of the seed world, always with its id and its fields.
    pub(crate) seed: SeedWorkflow,
}

impl Workflow {
    /// The workflow of a seed row. `merges`: whether merging is enabled for its company.
    pub(crate) fn new(id: String, company: u32, merges: bool, seed: &SeedWorkflow) -> Self {
        let (required, optional) = workflow_fields::default_fields(seed, merges);
        let mut seed = seed.clone();
        seed.id = Some(id);
        seed.required_fields.get_or_insert(required);
        seed.optional_fields.get_or_insert(optional);
        Self { company, seed }
    }

    pub(crate) fn id(&self) -> &str {
        self.seed.id.as_deref().unwrap_or_default()
    }

    pub(crate) fn required_fields(&self) -> &[String] {
        self.seed.required_fields.as_deref().unwrap_or_default()
    }

    pub(crate) fn optional_fields(&self) -> &[String] {
        self.seed.optional_fields.as_deref().unwrap_or_default()
    }

    /// Its JSON (§2.3).
    pub(crate) fn json(&self, answers: &Answers) -> ResourceJson<'_, Value> {
        let attributes = json!({
            "name": self.seed.name,
            "description": self.seed.description,
            "status": self.seed.status,
            "type": type_name(answers, self.seed.kind),
        });
        ResourceJson { id: self.id(), resource_type: "workflow", attributes }
    }

    /// Whether the schema requires a field.
    pub(crate) fn requires(&self, field: &str) -> bool {
        self.required_fields().iter().any(|name| name == field)
    }

    /// Whether the schema requires or accepts a field.
    pub(crate) fn lists(&self, field: &str) -> bool {
        self.requires(field) || self.optional_fields().iter().any(|name| name == field)
    }
}

/// The value of `attributes.type` for a kind (question `workflow_types`).
pub(crate) fn type_name(answers: &Answers, kind: WorkflowKind) -> &str {
    match kind {
        WorkflowKind::Generated => &answers.workflow_types.generated,
        WorkflowKind::ThirdParty => &answers.workflow_types.third_party,
    }
}
