//! `variables` of §4.5: a JSON object with the values of the workflow's variables.
//!
//! Unknown names are ignored, like unknown fields.

use std::collections::BTreeMap;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::{SeedVariable, VariableType};

use super::{VARIABLES, invalid, required};
use crate::value::message::fields::MultipartFields;
use crate::value::message::problem::Problem;
use crate::value::message::rule::Rule;
use crate::value::sent_json::SentJson;
use crate::world::state::resource::workflow::Workflow;

/// The values by variable.
///
/// # Errors
/// By the answer `request_field_invalid`.
pub(super) fn read(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    workflow: &Workflow,
) -> Result<BTreeMap<String, SentJson>, Problem> {
    if !workflow.lists(VARIABLES) {
        return Ok(BTreeMap::new());
    }
    let sent = SentJson::object(fields.text(VARIABLES)?.unwrap_or("{}")).map_err(|why| {
        let detail = format!("`variables` must be a JSON object: {why}.");
        invalid(answers, Rule::Field(VARIABLES.to_owned()), detail)
    })?;
    let mut sent = sent.members();
    sent.retain(|_, value| !is_empty(value));
    let is_missing =
        |(name, it): &(&String, &SeedVariable)| it.required && !sent.contains_key(*name);
    let missing = workflow.seed.variables.iter().filter(is_missing).map(|(name, _)| name);
    let missing: Vec<&String> = missing.collect();
    if !missing.is_empty() {
        let detail = format!("`variables`: {}.", required(&missing));
        return Err(invalid(answers, Rule::VariableRequired, detail));
    }
    let mut values = BTreeMap::new();
    for (name, variable) in &workflow.seed.variables {
        if let Some(value) = sent.get(name) {
            check(answers, name, variable, value)?;
            values.insert(name.clone(), value.clone());
        }
    }
    Ok(values)
}

fn is_empty(value: &SentJson) -> bool {
    value.text() == "null" || value.string().is_some_and(|text| text.trim().is_empty())
}

fn check(
    answers: &Answers,
    name: &str,
    variable: &SeedVariable,
    value: &SentJson,
) -> Result<(), Problem> {
    if !has_type(variable.value_type, value) {
        let wanted = variable.value_type.as_str();
        let detail = format!("`variables`: `{name}` must be a {wanted}.");
        return Err(invalid(answers, Rule::VariableValue, detail));
    }
    let text = value.string().unwrap_or_else(|| value.text().to_owned());
    if variable.options.is_empty() || variable.options.contains(&text) {
        return Ok(());
    }
    let options = variable.options.join(", ");
    let detail = format!("`variables`: `{name}` must be one of {options}.");
    Err(invalid(answers, Rule::VariableValue, detail))
}

fn has_type(value_type: VariableType, value: &SentJson) -> bool {
    match value_type {
        VariableType::String => value.string().is_some(),
        VariableType::Number => value.is_number(),
        VariableType::Boolean => matches!(value.text(), "true" | "false"),
        VariableType::Date => value.string().is_some_and(|text| is_date(&text)),
    }
}

/// `YYYY-MM-DD`, and a day that exists.
fn is_date(text: &str) -> bool {
    const LENGTH: usize = "YYYY-MM-DD".len();
    text.len() == LENGTH && text.parse::<jiff::civil::Date>().is_ok()
}
