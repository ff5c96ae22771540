//! `variables` of §4.5: a JSON object with the values that the workflow asks for.
//!
//! Names that the workflow does not know are ignored, like unknown fields.

use moot_fixtures::contract::Answers;
use moot_fixtures::world::{SeedVariable, VariableType};
use serde_json::{Map, Value};

use super::{VARIABLES, invalid};
use crate::message::fields::MultipartFields;
use crate::message::problem::Problem;
use crate::message::rule::Rule;
use crate::resource::workflow::Workflow;
use crate::resource::workflow_schema;

/// The values of the workflow's variables.
///
/// # Errors
/// By answer `request_field_invalid`.
pub(super) fn read(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    workflow: &Workflow,
) -> Result<Map<String, Value>, Problem> {
    if !workflow.lists(VARIABLES) {
        return Ok(Map::new());
    }
    let sent: Map<String, Value> = match fields.text(VARIABLES)? {
        Some(text) => serde_json::from_str(text).map_err(|_| {
            let detail = "`variables` must be a JSON object.".to_owned();
            invalid(answers, Rule::Field(VARIABLES), detail)
        })?,
        None => Map::new(),
    };
    let mut values = Map::new();
    for (name, variable) in &workflow.variables {
        match sent.get(name).filter(|value| !is_empty(value)) {
            Some(value) => {
                check(answers, name, variable, value)?;
                values.insert(name.clone(), value.clone());
            }
            None if variable.required => {
                let detail = format!("`variables`: `{name}` is required.");
                return Err(invalid(answers, Rule::VariableRequired, detail));
            }
            None => {}
        }
    }
    Ok(values)
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn check(
    answers: &Answers,
    name: &str,
    variable: &SeedVariable,
    value: &Value,
) -> Result<(), Problem> {
    if !has_type(variable.value_type, value) {
        let wanted = workflow_schema::type_name(variable.value_type);
        let detail = format!("`variables`: `{name}` must be a {wanted}.");
        return Err(invalid(answers, Rule::VariableValue, detail));
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if variable.options.is_empty() || variable.options.contains(&text) {
        return Ok(());
    }
    let options = variable.options.join(", ");
    let detail = format!("`variables`: `{name}` must be one of {options}.");
    Err(invalid(answers, Rule::VariableValue, detail))
}

fn has_type(value_type: VariableType, value: &Value) -> bool {
    match value_type {
        VariableType::String => value.is_string(),
        VariableType::Number => value.is_number(),
        VariableType::Boolean => value.is_boolean(),
        VariableType::Date => value.as_str().is_some_and(is_date),
    }
}

/// `YYYY-MM-DD`, and a day that exists.
fn is_date(text: &str) -> bool {
    const LENGTH: usize = "YYYY-MM-DD".len();
    text.len() == LENGTH && text.parse::<jiff::civil::Date>().is_ok()
}
