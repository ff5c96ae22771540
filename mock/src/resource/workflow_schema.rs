//! The schema of a workflow (§2.4): which fields and variables creating a request needs.

use moot_fixtures::contract::{Answers, SchemaShape};
use moot_fixtures::world::{SeedVariable, SeedWorkflow, SignerStyle, VariableType, WorkflowKind};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::rendered::json_bytes;
use crate::resource::workflow::Workflow;

/// The field of single-signer workflows (§4.5).
pub(crate) const SIGNER: &str = "internal_signer_email";
/// The field of multi-signer workflows (§4.5).
pub(crate) const SIGNERS: &str = "internal_signer_emails[]";
/// The field of supporting files (§4.5).
pub(crate) const SUPPORT_DOCUMENTS: &str = "support_documents[]";
/// The field that asks for merging (§4.5).
pub(crate) const MERGE: &str = "merge_documents_into_pdf";

/// JSON of a schema.
#[derive(Serialize)]
struct View<'a> {
    name: &'a str,
    description: Option<&'a str>,
    required_fields: &'a [String],
    optional_fields: &'a [String],
    required_variables: Vec<&'a str>,
    variables_properties: Map<String, Value>,
    fields_properties: Map<String, Value>,
}

/// The fields that a kind requires and accepts, where the seed names none.
pub(crate) fn default_fields(seed: &SeedWorkflow, merges: bool) -> (Vec<String>, Vec<String>) {
    let mut required = vec!["workflow_id", "requester_email"];
    let mut optional = Vec::new();
    match seed.kind {
        WorkflowKind::Generated => required.extend([
            "counterparty_name",
            "counterparty_email",
            "counterparty_organization_name",
        ]),
        WorkflowKind::ThirdParty => required.extend([
            "counterparty_name",
            "counterparty_signer_name",
            "counterparty_signer_email",
            "file",
        ]),
    }
    if seed.variables.values().any(|variable| variable.required) {
        required.push("variables");
    } else if !seed.variables.is_empty() {
        optional.push("variables");
    }
    let signer_field = match seed.signers {
        SignerStyle::Single => SIGNER,
        SignerStyle::Multiple => SIGNERS,
    };
    match seed.signer_options.len() {
        0 => {}
        // Exactly one configured signer is assigned by itself (§4.5).
        1 => optional.push(signer_field),
        _ => required.push(signer_field),
    }
    optional.push(SUPPORT_DOCUMENTS);
    if merges {
        optional.push(MERGE);
    }
    let owned = |fields: Vec<&str>| fields.into_iter().map(str::to_owned).collect();
    (owned(required), owned(optional))
}

/// The body of the schema's answer.
pub(crate) fn body(answers: &Answers, workflow: &Workflow, description: &str) -> Vec<u8> {
    let view = View {
        name: &workflow.name,
        description: Some(description).filter(|text| !text.is_empty()),
        required_fields: &workflow.required_fields,
        optional_fields: &workflow.optional_fields,
        required_variables: workflow
            .variables
            .iter()
            .filter(|(_, variable)| variable.required)
            .map(|(name, _)| name.as_str())
            .collect(),
        variables_properties: workflow
            .variables
            .iter()
            .map(|(name, variable)| (name.clone(), variable_properties(variable)))
            .collect(),
        fields_properties: fields_properties(workflow),
    };
    match answers.workflow_schema_shape {
        SchemaShape::Bare => json_bytes(&view),
        SchemaShape::Data => json_bytes(&json!({ "data": view })),
    }
}

fn variable_properties(variable: &SeedVariable) -> Value {
    let mut properties = Map::new();
    properties.insert("type".to_owned(), type_name(variable.value_type).into());
    for (name, values) in [("options", &variable.options), ("suggestions", &variable.suggestions)] {
        if !values.is_empty() {
            properties.insert(name.to_owned(), json!(values));
        }
    }
    json!({ "required": variable.required, "properties": properties })
}

/// A member for each field of the workflow; the signers' has the options (§2.4).
fn fields_properties(workflow: &Workflow) -> Map<String, Value> {
    let fields = workflow.required_fields.iter().chain(&workflow.optional_fields);
    fields
        .map(|field| {
            let properties = match field.as_str() {
                SIGNER | SIGNERS => json!({ "options": workflow.signer_options }),
                _ => json!({}),
            };
            (field.clone(), json!({ "properties": properties }))
        })
        .collect()
}

/// The name of a variable's type.
pub(crate) const fn type_name(value_type: VariableType) -> &'static str {
    match value_type {
        VariableType::String => "string",
        VariableType::Number => "number",
        VariableType::Boolean => "boolean",
        VariableType::Date => "date",
    }
}
