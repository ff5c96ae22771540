//! The JSON Schemas of the contract, compiled once: the only place that knows the validator.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Registry, Validator};
use moot_fixtures::schemas;
use serde_json::Value;

use super::shown::{shortened, shown};
use super::{Document, JsonFault, Judgement, MismatchKind, sentence, sound_json};

/// Errors of one value that are looked for.
const ERRORS_MAX: usize = 20;

/// Where a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// JSON Pointer into the value; empty for the value itself.
    pub pointer: String,
    /// For people.
    pub message: String,
    /// The broken keyword of JSON Schema: `required`.
    pub keyword: String,
    /// The members that are missing or not allowed.
    pub members: Vec<String>,
}

/// All schemas, so that each finds what it refers to.
static REGISTRY: LazyLock<Registry<'static>> = LazyLock::new(|| {
    schemas::all()
        .iter()
        .try_fold(Registry::new(), |registry, (name, schema)| {
            registry.add(format!("{}{name}", schemas::ID_PREFIX), schema)
        })
        .and_then(jsonschema::RegistryBuilder::prepare)
        .expect("a test compiles every embedded schema")
});

/// Each is compiled when it is first asked for, and once: a run of few checks needs few of them.
static VALIDATORS: LazyLock<BTreeMap<&'static str, (&'static Value, OnceLock<Validator>)>> =
    LazyLock::new(|| {
        schemas::all().iter().map(|(name, schema)| (*name, (schema, OnceLock::new()))).collect()
    });

fn compiled(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_registry(&REGISTRY)
        .should_validate_formats(true)
        .build(schema)
        .expect("a test compiles every embedded schema")
}

fn validator(name: &str) -> Option<&'static Validator> {
    let (schema, validator) = VALIDATORS.get(name)?;
    Some(validator.get_or_init(|| compiled(schema)))
}

/// Where `value` breaks the schema of this name, at most 20 places; one without a pointer where
/// there is no such schema.
pub fn errors(name: &str, value: &Value) -> Vec<SchemaError> {
    let Some(validator) = validator(name) else {
        let message = format!("there is no schema `{name}`");
        let (pointer, keyword) = (String::new(), "$ref".to_owned());
        return vec![SchemaError { pointer, message, keyword, members: Vec::new() }];
    };
    validator
        .iter_errors(value)
        .take(ERRORS_MAX)
        .map(|error| SchemaError {
            pointer: error.instance_path().to_string(),
            // The value stands beside it; in the message it would make one fault look like many.
            message: shortened(&error.masked().to_string()),
            keyword: error.kind().keyword().to_owned(),
            members: members_of(error.kind()),
        })
        .collect()
}

/// The members that an error names.
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

/// Whether the body of an answer satisfies the schema of this name.
pub(super) fn judge(name: &str, document: &Document) -> Judgement {
    let Some(body) = document.json.as_deref() else {
        return match sound_json::judge(&document.body) {
            fails @ Judgement::Fails(_) => fails,
            Judgement::Holds | Judgement::Empty { .. } => Judgement::fails(
                MismatchKind::Json { fault: JsonFault::Syntax },
                "the body is not JSON that can be read: it is nested too deeply",
                "JSON",
                shortened(&String::from_utf8_lossy(&document.body)),
            ),
        };
    };
    let errors = errors(name, body);
    let Some(first) = errors.first() else { return Judgement::Holds };
    let found = body.pointer(&first.pointer);
    let members = members_at(&first.pointer, &errors);
    let place = if first.pointer.is_empty() { "the body" } else { &format!("`{}`", first.pointer) };
    let names: Vec<String> = members.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    let (what, actual) = match (first.keyword.as_str(), found) {
        ("required", Some(Value::Object(found))) => {
            let there: Vec<&str> = found.keys().map(String::as_str).collect();
            (format!("{place} has no {names}"), format!("the members {}", there.join(", ")))
        }
        ("additionalProperties" | "unevaluatedProperties", _) => {
            (format!("{place} has a member that is not documented: {names}"), shown(found))
        }
        _ => (format!("{place} breaks its schema: {}", first.message), shown(found)),
    };
    let more = match errors.iter().filter(|error| error.pointer != first.pointer).count() {
        0 => String::new(),
        1 => ", and one more place is wrong".to_owned(),
        count => format!(", and {count} more places are wrong"),
    };
    let message = format!("{}{what}{more}", sentence::in_answer(document));
    let expected = match names.is_empty() || first.keyword != "required" {
        true => format!("the schema `{name}`"),
        false => format!("{names}, by the schema `{name}`"),
    };
    let kind = MismatchKind::Schema { keyword: first.keyword.clone(), members };
    Judgement::fails(kind, message, expected, shortened(&actual)).at(first.pointer.clone())
}

/// The members that all errors at one place name: one may be missing, and others not allowed.
fn members_at(pointer: &str, errors: &[SchemaError]) -> Vec<String> {
    let at_place = errors.iter().filter(|error| error.pointer == pointer);
    at_place.flat_map(|error| &error.members).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::validator;

    #[test]
    fn a_schema_is_compiled_once() {
        let compiled = |name| validator(name).expect("an embedded schema");
        assert!(std::ptr::eq(compiled("token"), compiled("token")));
        assert!(!std::ptr::eq(compiled("token"), compiled("token_failure")));
        assert!(validator("no-such-schema").is_none());
    }
}
