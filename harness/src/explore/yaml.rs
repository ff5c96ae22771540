//! Writing a scenario file: JSON values as YAML in blocks, keys in the order in which people read them.

use serde_json::{Map, Value};

/// Keys of the language that come first, in this order; all others follow by name.
const FIRST: [&str; 16] = [
    "section",
    "title",
    "scenarios",
    "id",
    "name",
    "request",
    "for_each",
    "let",
    "assume",
    "as",
    "token",
    "query",
    "headers",
    "needs",
    "sandbox",
    "steps",
];

/// The whole document.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (index, key) in keys(members).into_iter().enumerate() {
                if index > 0 {
                    indent(out, depth);
                }
                out.push_str(&scalar(&Value::from(key.as_str())));
                out.push(':');
                nested(out, &members[key], depth + 1);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    indent(out, depth);
                }
                out.push_str("- ");
                write(out, item, depth + 1);
            }
        }
        other => {
            out.push_str(&scalar(other));
            out.push('\n');
        }
    }
}

/// What follows `key:`.
fn nested(out: &mut String, value: &Value, depth: usize) {
    let is_block = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    if is_block {
        out.push('\n');
        indent(out, depth);
        write(out, value, depth);
    } else {
        out.push(' ');
        out.push_str(&scalar(value));
        out.push('\n');
    }
}

fn indent(out: &mut String, depth: usize) {
    out.push_str(&"  ".repeat(depth));
}

fn keys(members: &Map<String, Value>) -> Vec<&String> {
    let rank = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    let mut keys: Vec<&String> = members.keys().collect();
    keys.sort_by_key(|key| (rank(key), (*key).clone()));
    keys
}

/// On one line: JSON is YAML; a text that can be read as nothing else stands without quotes.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    const RESERVED: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-./".contains(c))
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::text;

    #[test]
    fn a_scenario_is_written_as_people_write_it() {
        let value = json!({
            "steps": [{
                "token": "read",
                "request": "GET /v1/requests",
                "query": { "page": "1", "status": "no" },
                "expect": { "a.b": { "status": [200, 404], "/x": { "equals": {} } } },
            }],
            "id": "case-1",
            "needs": ["read"],
        });
        let expected = "\
id: case-1
needs: [\"read\"]
steps:
  - request: GET /v1/requests
    token: read
    query:
      page: \"1\"
      status: \"no\"
    expect:
      a.b:
        \"/x\":
          equals: {}
        status: [200,404]
";
        assert_eq!(text(&value), expected);
    }
}
