//! Whether the members of a body have the types that the table of routes says, in words for people.

use serde_json::Value;

use super::routes::{Field, Kind};
use crate::shell::answer::Problem;

/// Checks the types of the members that are known; others are the reader's to refuse.
///
/// # Errors
/// 400: no JSON, no object, or a member of another type.
pub(super) fn check(fields: &[Field], body: &[u8]) -> Result<(), Problem> {
    if body.is_empty() {
        return Ok(());
    }
    let json: Value = serde_json::from_slice(body)
        .map_err(|error| Problem::malformed(format!("the body is no JSON: {error}")))?;
    let Value::Object(members) = &json else {
        let detail = format!("the body must be a JSON object, such as {}", example(fields));
        return Err(Problem::malformed(detail));
    };
    for (name, value) in members {
        let field = fields.iter().find(|field| field.name == name);
        if let Some(Field { kind, says, .. }) = field.filter(|field| !field.kind.takes(value)) {
            let wanted = kind.says();
            let detail = format!("`{name}` must be {wanted}, not `{value}` ({says})");
            return Err(Problem::malformed(detail));
        }
    }
    Ok(())
}

/// An object with the first member, or none where there is none.
fn example(fields: &[Field]) -> String {
    fields.first().map_or("{}".to_owned(), |field| format!("{{\"{}\": …}}", field.name))
}

impl Kind {
    /// Whether a value is of this type; `null` counts as absent.
    fn takes(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) | (Self::Any, _) => true,
            (Self::Text | Self::TextOrNull, value) => value.is_string(),
            (Self::TextOrObject, value) => value.is_string() || value.is_object(),
            (Self::Texts | Self::Scopes, value) => each(value, Value::is_string),
            (Self::Integer, value) => value.is_u64(),
            (Self::Signed, value) => value.is_i64(),
            (Self::Integers, value) => each(value, Value::is_u64),
            (Self::Boolean, value) => value.is_boolean(),
        }
    }

    const fn says(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::TextOrNull => "a text or null",
            Self::TextOrObject => "a text or an object",
            Self::Texts => "a list of texts",
            Self::Scopes => "a list of `read` and `write`",
            Self::Integer => "a whole number from 0 on",
            Self::Signed => "a whole number",
            Self::Integers => "a list of whole numbers from 0 on",
            Self::Boolean => "true or false",
            Self::Any => "any value",
        }
    }
}

fn each(value: &Value, is_one: fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(is_one))
}
