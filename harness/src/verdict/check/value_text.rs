//! Values in messages: as JSON, with long ones cut in the middle.

use serde_json::Value;

use super::{Judgement, MismatchKind};

/// The largest number of characters of a value in a message.
const CHARACTERS_MAX: usize = 160;

/// `text`, cut in the middle if it is longer than 160 characters.
pub fn shortened(text: &str) -> String {
    match cut_in_the_middle(text, CHARACTERS_MAX) {
        Some(cut) => format!("{cut} ({} characters)", text.chars().count()),
        None => text.to_owned(),
    }
}

/// `None` if the text fits.
fn cut_in_the_middle(text: &str, max: usize) -> Option<String> {
    let characters = text.chars().count();
    let kept = max / 2;
    let head: String = text.chars().take(kept).collect();
    let tail: String = text.chars().skip(characters.saturating_sub(kept)).collect();
    (characters > max).then(|| format!("{head} … {tail}"))
}

/// The largest number of characters of a value inside a sentence.
const BRIEF_CHARACTERS_MAX: usize = 100;

/// `text` for a sentence, cut in the middle if it is longer than 100 characters.
pub(super) fn brief(text: &str) -> String {
    cut_in_the_middle(text, BRIEF_CHARACTERS_MAX).unwrap_or_else(|| text.to_owned())
}

/// A value as JSON, shortened. `absent` if there is none.
pub(super) fn value_text(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), |value| shortened(&value.to_string()))
}

/// The first few values, and the number of the others.
pub(super) fn values_text(values: &[&Value]) -> String {
    /// The largest number of values in a message.
    const NAMED_MAX: usize = 5;
    let named: Vec<String> = values.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let mut text = shortened(&named.join(", "));
    if values.len() > NAMED_MAX {
        text.push_str(&format!(" and {} more", values.len() - NAMED_MAX));
    }
    text
}

/// The JSON type of a value, for people: `a string`.
pub(crate) fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The failure of a value with a JSON type that the rule does not accept.
pub(super) fn wrong_type(value: &Value, expected: &str) -> Judgement {
    Judgement::differs(MismatchKind::Type, expected, value_text(Some(value)))
}

#[cfg(test)]
mod tests {
    use super::{CHARACTERS_MAX, shortened};

    #[test]
    fn long_texts_are_cut_in_the_middle_at_characters() {
        let fits = "ä".repeat(CHARACTERS_MAX);
        assert_eq!(shortened(&fits), fits);
        let over = format!("{fits}b");
        let cut = shortened(&over);
        assert!(cut.ends_with("b (161 characters)"), "{cut}");
        assert!(cut.starts_with("ää") && cut.contains(" … "), "{cut}");
    }
}
