//! Rows of a loop, and their labels.

use serde_json::Value;

use crate::exchange::value_text;
use crate::scenario::model::{ForEach, Json};
use crate::scenario::names::Names;
use crate::verdict::NotRunKind;
use crate::verdict::check::json_kind;

use super::stop::Stop;

/// The rows of a loop.
pub(super) fn list(names: &Names, rows: &Json) -> Result<Vec<Value>, Stop> {
    match rows.render(names)? {
        Value::Array(rows) => Ok(rows),
        other => Err(Stop::not_run(
            NotRunKind::MissingValue,
            format!("a loop needs a list, not {}", json_kind(&other)),
        )),
    }
}

/// The stop of a loop without rows.
pub(super) fn no_rows(for_each: &ForEach) -> Stop {
    Stop::NotApplicable(format!("there is no {} to try it with", for_each.name))
}

/// Each value once, at its first place. Places of a list such as `0` and `-1` may be the same one.
pub(super) fn once_each(rows: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::with_capacity(rows.len());
    for row in rows {
        if !all.contains(&row) {
            all.push(row);
        }
    }
    all
}

/// The label of a row: the text of a scalar, else its `id`, `name` or first scalar member. Of an address only the
/// last segment counts: our receivers have another host and port in every run, and labels must stay the same.
pub(super) fn row_label(row: &Value) -> String {
    match row {
        Value::String(text) if text.starts_with("http://") || text.starts_with("https://") => {
            text.rsplit('/').find(|segment| !segment.is_empty()).unwrap_or(text).to_owned()
        }
        Value::Object(members) => {
            let named = ["$secret", "id", "name"].iter().find_map(|key| members.get(*key));
            let scalar = || members.values().find(|value| !value.is_object() && !value.is_array());
            named.or_else(scalar).map_or_else(|| "row".to_owned(), row_label)
        }
        other => value_text(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::once_each;

    #[test]
    fn a_repeated_value_is_tried_once() {
        let rows = vec![json!({ "id": "b" }), json!({ "id": "a" }), json!({ "id": "b" })];
        assert_eq!(once_each(rows), [json!({ "id": "b" }), json!({ "id": "a" })]);
    }
}
