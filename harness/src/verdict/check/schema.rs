//! Judges a body by a JSON Schema of the contract. Only this module uses the validator.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Registry, ValidationError, Validator};
use moot_fixtures::schemas;
use serde_json::Value;

use super::value_text::{shortened, value_text};
use super::{Document, JsonFault, Judgement, MismatchKind, sentence, sound_json};

/// The largest number of errors that are counted.
const ERRORS_MAX: usize = 20;

/// The schemas of the contract, by name.
static VALIDATORS: LazyLock<BTreeMap<&'static str, Validator>> = LazyLock::new(|| {
    let invalid = "a test compiles every embedded schema";
    let registry = schemas::all()
        .iter()
        .try_fold(Registry::new(), |registry, (name, schema)| {
            registry.add(format!("{}{name}", schemas::ID_PREFIX), schema)
        })
        .and_then(jsonschema::RegistryBuilder::prepare)
        .expect(invalid);
    let compile = |schema: &Value| {
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_registry(&registry)
            .should_validate_formats(true)
            .build(schema)
            .expect(invalid)
    };
    schemas::all().iter().map(|(name, schema)| (*name, compile(schema))).collect()
});

/// Judges whether the body of a response satisfies the schema of this name.
pub fn judge(name: &str, document: &Document) -> Judgement {
    let Some(body) = document.json.as_deref() else {
        return match sound_json::judge(&document.body) {
            fails @ Judgement::Fails(_) => fails,
            Judgement::Holds | Judgement::NotApplicable { .. } => Judgement::fails(
                MismatchKind::Json { fault: JsonFault::Syntax },
                "the body is not JSON that can be read: it is nested too deeply",
                "JSON",
                shortened(&String::from_utf8_lossy(&document.body)),
            ),
        };
    };
    let Some(validator) = VALIDATORS.get(name) else {
        return Judgement::not_applicable(format!("there is no schema `{name}`"));
    };
    let errors: Vec<ValidationError<'_>> = validator.iter_errors(body).take(ERRORS_MAX).collect();
    let Some(first) = errors.first() else { return Judgement::Holds };
    let pointer = first.instance_path().as_str();
    let keyword = first.kind().keyword();
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        errors.iter().partition(|error| error.instance_path().as_str() == pointer);
    let found = body.pointer(pointer);
    // One member may be missing at a place, and another not be allowed.
    let members: Vec<String> = here.iter().flat_map(|error| members_of(error.kind())).collect();
    let place = if pointer.is_empty() { "the body" } else { &format!("`{pointer}`") };
    let names: Vec<String> = members.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    let (what, actual) = match (keyword, found) {
        ("required", Some(Value::Object(found))) => {
            let there: Vec<&str> = found.keys().map(String::as_str).collect();
            (format!("{place} has no {names}"), format!("the members {}", there.join(", ")))
        }
        ("additionalProperties" | "unevaluatedProperties", _) => {
            (format!("{place} has a member that is not documented: {names}"), value_text(found))
        }
        _ => {
            // Without the value: with it, one fault would look like many.
            let broken = match description(first.kind()) {
                Some(description) => format!("it is not \"{description}\""),
                None => shortened(&first.masked().to_string()),
            };
            (format!("{place} breaks its schema: {broken}"), value_text(found))
        }
    };
    let more = match elsewhere.len() {
        0 => String::new(),
        1 => ", and one more place is wrong".to_owned(),
        count => format!(", and {count} more places are wrong"),
    };
    let message = format!("{}{what}{more}", sentence::in_response(document));
    let expected = match names.is_empty() || keyword != "required" {
        true => format!("the schema `{name}`"),
        false => format!("{names}, by the schema `{name}`"),
    };
    let kind = MismatchKind::Schema { keyword: keyword.to_owned(), members };
    Judgement::fails(kind, message, expected, shortened(&actual)).at(pointer)
}

/// The description of the schema whose pattern the value does not match.
fn description(error: &ValidationErrorKind) -> Option<&'static str> {
    let ValidationErrorKind::Pattern { pattern } = error else { return None };
    let (_, schema) = schemas::all().iter().find(|(_, schema)| schema["pattern"] == **pattern)?;
    schema["description"].as_str()
}

/// The members that are missing or not allowed.
fn members_of(error: &ValidationErrorKind) -> Vec<String> {
    match error {
        ValidationErrorKind::Required { property } => {
            property.as_str().map(str::to_owned).into_iter().collect()
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected.clone(),
        _ => Vec::new(),
    }
}
