//! How values look in messages: as JSON, long ones cut in the middle.

use serde_json::Value;

use super::{Judgement, MismatchKind};

/// Characters of a value that a message shows.
pub(super) const SHOWN_CHARACTERS_MAX: usize = 160;

/// `text`, cut in the middle where it is longer than 160 characters.
pub fn shortened(text: &str) -> String {
    cut_in_the_middle(text, SHOWN_CHARACTERS_MAX)
}

fn cut_in_the_middle(text: &str, max: usize) -> String {
    let characters = text.chars().count();
    if characters <= max {
        return text.to_owned();
    }
    let kept = max / 2;
    let head: String = text.chars().take(kept).collect();
    let tail: String = text.chars().skip(characters - kept).collect();
    format!("{head} … {tail} ({characters} characters)")
}

/// Characters of a value inside a sentence.
const BRIEF_CHARACTERS_MAX: usize = 100;

/// `text` for a sentence, cut in the middle where it is longer than 100 characters.
pub(super) fn brief(text: &str) -> String {
    cut_in_the_middle(text, BRIEF_CHARACTERS_MAX)
}

/// A value as JSON, shortened; `absent` where there is none.
pub(super) fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), |value| shortened(&value.to_string()))
}

/// A few values in a row, and how many more there are.
pub(super) fn shown_some(values: &[&Value]) -> String {
    /// Values of a list that a message names.
    const NAMED_MAX: usize = 5;
    let named: Vec<String> = values.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let mut text = shortened(&named.join(", "));
    if values.len() > NAMED_MAX {
        text.push_str(&format!(" and {} more", values.len() - NAMED_MAX));
    }
    text
}

/// What a value is, for people: `a string`.
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

/// The value has another JSON type than the rule takes.
pub(super) fn mistyped(value: &Value, expected: &str) -> Judgement {
    Judgement::differs(MismatchKind::Type, expected, shown(Some(value)))
}

#[cfg(test)]
mod tests {
    use super::{SHOWN_CHARACTERS_MAX, shortened};

    #[test]
    fn long_texts_are_cut_in_the_middle_at_characters() {
        let fits = "ä".repeat(SHOWN_CHARACTERS_MAX);
        assert_eq!(shortened(&fits), fits);
        let over = format!("{fits}b");
        let cut = shortened(&over);
        assert!(cut.ends_with("b (161 characters)"), "{cut}");
        assert!(cut.starts_with("ää") && cut.contains(" … "), "{cut}");
    }
}
