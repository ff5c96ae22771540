//! The schema of a workflow (§2.4): the fields and variables that creating a request needs.

use moot_fixtures::contract::{Answers, SchemaShape};
use moot_fixtures::world::SeedVariable;
use serde_json::{Map, Value, json};

use crate::world::state::resource::workflow::Workflow;
use crate::world::state::resource::workflow_fields::{SIGNER, SIGNERS};

/// The body of the response.
pub(crate) fn body(answers: &Answers, workflow: &Workflow) -> Value {
    let variables = workflow.seed.variables.iter();
    let required = variables.clone().filter(|(_, variable)| variable.required);
    let properties: Map<String, Value> =
        variables.map(|(name, variable)| (name.clone(), variable_properties(variable))).collect();
    let schema = json!({
        "name": workflow.seed.name,
        "description": Some(&workflow.seed.description).filter(|text| !text.is_empty()),
        "required_fields": workflow.required_fields(),
        "optional_fields": workflow.optional_fields(),
        "required_variables": required.map(|(name, _)| name).collect::<Vec<_>>(),
        "variables_properties": properties,
        "fields_properties": fields_properties(workflow),
    });
    match answers.workflow_schema_shape {
        SchemaShape::Bare => schema,
        SchemaShape::Data => json!({ "data": schema }),
    }
}

fn variable_properties(variable: &SeedVariable) -> Value {
    let mut properties = Map::new();
    properties.insert("type".to_owned(), variable.value_type.as_str().into());
    for (name, values) in [("options", &variable.options), ("suggestions", &variable.suggestions)] {
        if !values.is_empty() {
            properties.insert(name.to_owned(), json!(values));
        }
    }
    json!({ "required": variable.required, "properties": properties })
}

/// A member for each field of the workflow. The signer field lists the options (§2.4).
fn fields_properties(workflow: &Workflow) -> Map<String, Value> {
    let fields = workflow.required_fields().iter().chain(workflow.optional_fields());
    fields
        .map(|field| {
            let properties = match field.as_str() {
                SIGNER | SIGNERS => json!({ "options": workflow.seed.signer_options }),
                _ => json!({}),
            };
            (field.clone(), json!({ "properties": properties }))
        })
        .collect()
}
