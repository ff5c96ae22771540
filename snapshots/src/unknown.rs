//! Lists that were empty when they were recorded. The shape of their items is unknown, so no list
//! differs from them.

use serde_json::Value;

use crate::shape::NOTHING;

/// `text` (a rendered response) with the unknown shapes of its lists taken from `other`.
///
/// A list may be empty because of a filter or because the company has no data.
pub(crate) fn filled(text: &str, other: &str) -> String {
    if !text.contains(NOTHING) {
        return text.to_owned();
    }
    let parts = |text: &str| {
        let (head, body) = text.split_once("\n\n")?;
        Some((head.to_owned(), serde_json::from_str::<Value>(body).ok()?))
    };
    match (parts(text), parts(other)) {
        (Some((head, mut body)), Some((_, known))) => {
            fill(&mut body, &known);
            format!("{head}\n\n{body:#}")
        }
        _ => text.to_owned(),
    }
}

fn fill(value: &mut Value, known: &Value) {
    match (value, known) {
        (Value::Array(items), Value::Array(others)) => match items.as_slice() {
            [Value::String(only)] if only == NOTHING => items.clone_from(others),
            _ => items.iter_mut().zip(others).for_each(|(item, other)| fill(item, other)),
        },
        (Value::Object(members), Value::Object(others)) => {
            for (member, value) in members {
                if let Some(other) = others.get(member) {
                    fill(value, other);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn only_what_is_unknown_is_taken_from_the_other() {
        let text = "HTTP 200\n\n{\n  \"a\": [\n    \"(none)\"\n  ],\n  \"b\": 1\n}";
        let other = "HTTP 404\n\n{\n  \"a\": [\n    \"string\"\n  ],\n  \"b\": 2\n}";
        assert_eq!(filled(text, other), text.replace("(none)", "string"));
        assert_eq!(filled(other, text), other);
        assert_eq!(filled(text, "HTTP 204\n\n(no body)"), text);
    }
}
