//! Typical damage to a value by a careless back end: values are cut, trimmed, escaped, rounded or re-encoded.

use jiff::{SignedDuration, Timestamp};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};

/// A change of a value. Changes of texts reach every text inside a list or an object.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValueDamage {
    /// Another JSON type: a text becomes a list with this text, any other value becomes its JSON text.
    ReType,
    /// The empty value of the same type.
    Empty,
    /// Texts in upper case.
    UpperCase,
    /// Texts in lower case.
    LowerCase,
    /// Texts without blanks at their ends.
    Trim,
    /// Letters beyond ASCII become question marks.
    FoldLetters,
    /// HTML escapes.
    Escape,
    /// HTML tags are removed.
    StripTags,
    /// UTF-8 that was read as Latin-1.
    MisDecode,
    /// Percent encoding.
    PercentEncode,
    /// Percent encoding is undone.
    PercentDecode,
    /// A text loses its last `.` and everything after it.
    DropEnding,
    /// A text ends before the first occurrence of this.
    CutAt(String),
    /// Texts are cut to this many characters.
    CutTexts(usize),
    /// This follows a text.
    Suffix(String),
    /// Every occurrence of a part of a text is replaced.
    Replace { from: String, to: String },
    /// An address keeps only scheme and host.
    DropPath,
    /// An address loses scheme and host.
    DropOrigin,
    /// A list of texts becomes one text with commas.
    Join,
    /// Names of members in lower case.
    LowerCaseKeys,
    /// Names of members are cut to this many characters.
    TruncateKeys(usize),
    /// Names of members keep only letters, digits and `_`.
    SnakeKeys,
    /// Members that are objects or lists become their JSON text.
    NestedToText,
    /// Members that are objects or lists are dropped.
    DropNested,
    /// Members that are null are dropped.
    DropNulls,
    /// Members that are empty texts, lists or objects are dropped.
    DropEmpties,
    /// Numbers are rounded to an integer, with the precision of a double.
    Round,
    /// Numbers become texts.
    NumbersToText,
    /// `true` and `false` become texts.
    FlagsToText,
    /// Texts that are numbers become numbers.
    TextsToNumbers,
    /// A timestamp, or a number of seconds since 1970, is this number of seconds later.
    ShiftSeconds(i64),
    /// A timestamp becomes seconds since 1970.
    TimeToNumber,
    /// A number is multiplied.
    Multiply(i64),
    /// `true` becomes `false`, and `false` becomes `true`.
    Negate,
}

impl ValueDamage {
    /// Changes a value. A value of an unsuitable type stays as it is.
    pub(super) fn apply(&self, value: &mut Value) {
        match self {
            Self::ReType => *value = re_type(value.take()),
            Self::Empty => *value = empty_value(value),
            Self::DropPath => on_text(value, &|text| origin(text).map(str::to_owned)),
            Self::DropOrigin => {
                on_text(value, &|text| origin(text).map(|origin| text[origin.len()..].to_owned()))
            }
            Self::DropEnding => {
                on_text(value, &|text| text.rsplit_once('.').map(|(stem, _)| stem.to_owned()));
            }
            Self::CutAt(mark) => {
                on_text(value, &|text| text.split_once(mark).map(|(before, _)| before.to_owned()));
            }
            Self::Join => {
                if let Value::Array(members) = value {
                    let texts: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
                    *value = json!(texts.join(","));
                }
            }
            Self::ShiftSeconds(seconds) => shift(value, *seconds),
            Self::TimeToNumber => {
                if let Some(time) = time_of(value) {
                    *value = json!(time.as_second());
                }
            }
            Self::Multiply(factor) => {
                if let Some(number) = value.as_i64() {
                    *value = json!(number.saturating_mul(*factor));
                }
            }
            Self::Negate => {
                if let Value::Bool(flag) = value {
                    *flag = !*flag;
                }
            }
            _ => self.on_leaves(value),
        }
    }

    fn on_leaves(&self, value: &mut Value) {
        match value {
            Value::Array(members) => members.iter_mut().for_each(|member| self.on_leaves(member)),
            Value::Object(members) => {
                self.on_members(members);
                members.values_mut().for_each(|member| self.on_leaves(member));
            }
            Value::String(text) => match self {
                Self::TextsToNumbers => {
                    if let Ok(number) = text.trim().parse::<i64>() {
                        *value = json!(number);
                    }
                }
                _ => {
                    if let Some(changed) = self.text(text) {
                        *text = changed;
                    }
                }
            },
            Value::Number(number) => match self {
                Self::Round => *value = round(number),
                Self::NumbersToText => *value = json!(number.to_string()),
                _ => {}
            },
            Value::Bool(flag) if *self == Self::FlagsToText => *value = json!(flag.to_string()),
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn text(&self, text: &str) -> Option<String> {
        Some(match self {
            Self::UpperCase => text.to_uppercase(),
            Self::LowerCase => text.to_lowercase(),
            Self::Trim => text.trim().to_owned(),
            Self::FoldLetters => {
                text.chars().map(|letter| if letter.is_ascii() { letter } else { '?' }).collect()
            }
            Self::Escape => escape(text),
            Self::StripTags => without_tags(text),
            Self::MisDecode => text.bytes().map(char::from).collect(),
            Self::PercentEncode => utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
            Self::PercentDecode => percent_decode_str(text).decode_utf8_lossy().into_owned(),
            Self::CutTexts(length) => text.chars().take(*length).collect(),
            Self::Suffix(end) => format!("{text}{end}"),
            Self::Replace { from, to } => text.replace(from, to),
            _ => return None,
        })
    }

    fn on_members(&self, members: &mut Map<String, Value>) {
        let is_nested = |value: &Value| value.is_object() || value.is_array();
        match self {
            Self::DropNested => members.retain(|_, value| !is_nested(value)),
            Self::DropNulls => members.retain(|_, value| !value.is_null()),
            Self::DropEmpties => members.retain(|_, value| !is_empty(value)),
            Self::NestedToText => {
                for value in members.values_mut().filter(|value| is_nested(value)) {
                    *value = json!(value.to_string());
                }
            }
            Self::LowerCaseKeys => rename(members, |name| name.to_lowercase()),
            Self::TruncateKeys(length) => {
                rename(members, |name| name.chars().take(*length).collect())
            }
            Self::SnakeKeys => rename(members, |name| {
                let is_kept = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                name.chars().map(|letter| if is_kept(letter) { letter } else { '_' }).collect()
            }),
            _ => {}
        }
    }
}

fn rename(members: &mut Map<String, Value>, name: impl Fn(&str) -> String) {
    let renamed = std::mem::take(members).into_iter().map(|(key, value)| (name(&key), value));
    *members = renamed.collect();
}

fn on_text(value: &mut Value, change: &dyn Fn(&str) -> Option<String>) {
    if let Value::String(text) = value
        && let Some(changed) = change(text)
    {
        *text = changed;
    }
}

fn re_type(value: Value) -> Value {
    match value {
        Value::String(text) => json!([text]),
        other => json!(other.to_string()),
    }
}

fn empty_value(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(""),
        Value::Array(_) => json!([]),
        Value::Object(_) => json!({}),
        Value::Number(_) => json!(0),
        Value::Bool(_) => json!(false),
        Value::Null => Value::Null,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(members) => members.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Number(_) | Value::Bool(_) | Value::Null => false,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the digits that are lost are the damage")]
fn round(number: &Number) -> Value {
    number.as_f64().map_or(Value::Null, |number| json!(number.round() as i64))
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn without_tags(text: &str) -> String {
    let (mut out, mut is_tag) = (String::new(), false);
    for letter in text.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            other if !is_tag => out.push(other),
            _ => {}
        }
    }
    out
}

/// Scheme and host of an address.
fn origin(text: &str) -> Option<&str> {
    let host = text.find("://")? + "://".len();
    let end = text[host..].find('/').map_or(text.len(), |at| host + at);
    Some(&text[..end])
}

fn time_of(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

fn shift(value: &mut Value, seconds: i64) {
    if let Some(number) = value.as_i64() {
        *value = json!(number.saturating_add(seconds));
    } else if let Some(time) = time_of(value)
        && let Ok(shifted) = time.checked_add(SignedDuration::from_secs(seconds))
    {
        *value = json!(shifted.to_string());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::ValueDamage;

    #[track_caller]
    fn check(damage: Value, value: Value, expected: Value) {
        let damage: ValueDamage = serde_json::from_value(damage).expect("a damage");
        let mut changed = value;
        damage.apply(&mut changed);
        assert_eq!(changed, expected, "{damage:?}");
    }

    #[test]
    fn each_damage_changes_a_value_that_it_fits() {
        check(json!("re_type"), json!("a"), json!(["a"]));
        check(json!("re_type"), json!(7), json!("7"));
        check(json!("empty"), json!({ "a": 1 }), json!({}));
        check(json!("upper_case"), json!("aé"), json!("AÉ"));
        check(json!("lower_case"), json!({ "A": ["B"] }), json!({ "A": ["b"] }));
        check(json!("trim"), json!(" a  b "), json!("a  b"));
        check(json!("fold_letters"), json!("né"), json!("n?"));
        check(json!("escape"), json!("<a & \"b\">"), json!("&lt;a &amp; &quot;b&quot;&gt;"));
        check(json!("strip_tags"), json!("a<b>c"), json!("ac"));
        check(json!("mis_decode"), json!("é"), json!("Ã©"));
        check(json!("percent_encode"), json!("a b"), json!("a%20b"));
        check(json!("percent_decode"), json!("a%20b"), json!("a b"));
        check(json!("drop_ending"), json!("a.b.pdf"), json!("a.b"));
        check(json!({ "cut_at": "?" }), json!("a?b"), json!("a"));
        check(json!({ "cut_texts": 1 }), json!({ "a": "bcd" }), json!({ "a": "b" }));
        check(json!({ "suffix": "x" }), json!("a"), json!("ax"));
        check(json!({ "replace": { "from": " ", "to": "_" } }), json!("a b"), json!("a_b"));
        check(json!("drop_path"), json!("https://a.example/b"), json!("https://a.example"));
        check(json!("drop_origin"), json!("https://a.example/b"), json!("/b"));
        check(json!("join"), json!(["a", "b"]), json!("a,b"));
        check(json!("lower_case_keys"), json!({ "A": { "B": 1 } }), json!({ "a": { "b": 1 } }));
        check(json!({ "truncate_keys": 1 }), json!({ "ab": 1 }), json!({ "a": 1 }));
        check(json!("snake_keys"), json!({ "a b": 1 }), json!({ "a_b": 1 }));
        check(json!("nested_to_text"), json!({ "a": [1] }), json!({ "a": "[1]" }));
        check(json!("drop_nested"), json!({ "a": [1], "b": 2 }), json!({ "b": 2 }));
        check(json!("drop_nulls"), json!({ "a": null, "b": 2 }), json!({ "b": 2 }));
        check(json!("drop_empties"), json!({ "a": "", "b": 2 }), json!({ "b": 2 }));
        check(json!("round"), json!({ "a": 1.5 }), json!({ "a": 2 }));
        check(json!("numbers_to_text"), json!([1]), json!(["1"]));
        check(json!("flags_to_text"), json!([true]), json!(["true"]));
        check(json!("texts_to_numbers"), json!(["1", "a"]), json!([1, "a"]));
        check(json!({ "shift_seconds": 1 }), json!(1), json!(2));
        check(
            json!({ "shift_seconds": 60 }),
            json!("2026-01-01T00:00:00Z"),
            json!("2026-01-01T00:01:00Z"),
        );
        check(json!("time_to_number"), json!("1970-01-01T00:01:00Z"), json!(60));
        check(json!({ "multiply": 2 }), json!(2), json!(4));
        check(json!("negate"), json!(true), json!(false));
    }
}
