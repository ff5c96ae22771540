//! The differences between two recorded texts. The same change has the same text in every snapshot.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Changes that are reported for one pair of texts.
const CHANGES_MAX: usize = 40;

/// Characters of a value in the text of a change.
const VALUE_CHARACTERS_MAX: usize = 60;

/// One difference between the accepted text and the new one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SnapshotChange {
    /// The changed place.
    pub place: ChangedPlace,
    /// The change in words, for example: ``` `legal_request/attributes/priority` is new ```. The same change
    /// has the same words in every snapshot.
    pub text: String,
    /// The new value, if it is a single one: `403`, `max-age=60`.
    pub value: Option<String>,
}

/// A place of a recorded text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedPlace {
    /// The HTTP status. Another status means another response.
    Status,
    /// A header, in lower case.
    Header(String),
    /// JSON Pointer into the body, with `*` for the index of a list; empty for the whole body.
    Body(String),
}

/// The differences between two recorded texts: status, headers, body. If the status differs, the rest
/// is not compared, because it belongs to another response.
pub(crate) fn changes(old: &str, new: &str) -> Vec<SnapshotChange> {
    let (old_status, old_headers, old_body) = parts(old);
    let (status, new_headers, body) = parts(new);
    if old_status != status {
        let text = format!("the status is {status}, was {old_status}");
        let value = Some(status.to_owned());
        return vec![SnapshotChange { place: ChangedPlace::Status, text, value }];
    }
    let mut all = headers(&old_headers, &new_headers);
    match (serde_json::from_str(old_body), serde_json::from_str(body)) {
        (Ok(old), Ok(new)) => all.extend(in_body(&old, &new)),
        (Err(_), Err(_)) if old_body == body => {}
        (_, _) => all.push(at_body(&ChangePosition::default(), "is another text")),
    }
    all
}

/// The differences between two bodies. A value that comes or goes renumbers the placeholders after it, so another
/// number is a difference only if it is the only one.
fn in_body(old: &Value, new: &Value) -> Vec<SnapshotChange> {
    let (mut all, mut renumbered) = (Vec::new(), Vec::new());
    members(old, new, &ChangePosition::default(), &mut all, &mut renumbered);
    if all.is_empty() { renumbered } else { all }
}

/// The status, the headers and the body of a recorded text.
fn parts(text: &str) -> (&str, Vec<(&str, &str)>, &str) {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    let headers = lines.filter_map(|line| line.split_once(": ")).collect();
    (first.strip_prefix("HTTP ").unwrap_or(first), headers, body)
}

fn headers(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<SnapshotChange> {
    let value = |all: &[(&str, &str)], name: &str| {
        let values = all.iter().filter(|(known, _)| *known == name).map(|(_, value)| *value);
        Some(values.collect::<Vec<_>>().join(", ")).filter(|value| !value.is_empty())
    };
    let mut names: Vec<&str> = old.iter().chain(new).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter_map(|name| {
            let (was, is) = (value(old, name), value(new, name));
            let what = match (&was, &is) {
                (was, is) if was == is => return None,
                (None, _) => "is new".to_owned(),
                (_, None) => "is gone".to_owned(),
                (Some(was), Some(is)) => format!("is {}, was {}", shorten(is), shorten(was)),
            };
            let place = ChangedPlace::Header(name.to_owned());
            Some(SnapshotChange { place, text: format!("header `{name}` {what}"), value: is })
        })
        .collect()
}

/// A position in two bodies.
#[derive(Clone, Default)]
struct ChangePosition {
    /// JSON Pointer into the body.
    pointer: String,
    /// The path from the innermost resource, which begins with its type. So it is the same in a list
    /// and alone.
    name: String,
}

impl ChangePosition {
    fn below(&self, segment: &str) -> Self {
        let segment = segment.replace('~', "~0").replace('/', "~1");
        Self {
            pointer: format!("{}/{segment}", self.pointer),
            name: format!("{}/{segment}", self.name),
        }
    }
}

/// Adds the differences at and below a position. Those between the numbers of placeholders go to `renumbered`.
fn members(
    old: &Value,
    new: &Value,
    at: &ChangePosition,
    all: &mut Vec<SnapshotChange>,
    renumbered: &mut Vec<SnapshotChange>,
) {
    if all.len() + renumbered.len() >= CHANGES_MAX || old == new {
        return;
    }
    match (old, new) {
        (Value::Object(was), Value::Object(is)) => {
            let at = match resource(old).filter(|kind| resource(new) == Some(kind)) {
                Some(kind) => ChangePosition { name: kind.to_owned(), ..at.clone() },
                None => at.clone(),
            };
            let is_of_another_type = was.get("type") != is.get("type");
            for (name, value) in was {
                match is.get(name) {
                    // The placeholder of an id follows from the type, whose change is reported.
                    Some(other)
                        if is_of_another_type && name == "id" && are_placeholders(value, other) => {
                    }
                    Some(other) => members(value, other, &at.below(name), all, renumbered),
                    None => all.push(at_body(&at.below(name), "is gone")),
                }
            }
            for name in is.keys().filter(|name| !was.contains_key(*name)) {
                all.push(at_body(&at.below(name), "is new"));
            }
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            for (value, other) in was.iter().zip(is) {
                members(value, other, &at.below("*"), all, renumbered);
            }
        }
        (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
            all.push(at_body(at, "is of another shape"));
        }
        (was, is) => {
            let (is, was) = (is.to_string(), was.to_string());
            let changes = if unnumbered(&is) == unnumbered(&was) { renumbered } else { all };
            changes.push(at_body(at, &format!("is {}, was {}", shorten(&is), shorten(&was))));
        }
    }
}

/// A text without the numbers of its placeholders: `[request]` for `[request:1]`.
fn unnumbered(text: &str) -> String {
    let plain = |part: &str| match part.rsplit_once(':') {
        Some((kind, number))
            if kind.contains('[') && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            kind.to_owned()
        }
        _ => part.to_owned(),
    };
    text.split(']').map(plain).collect::<Vec<_>>().join("]")
}

/// Whether both are placeholders, such as `[request:1]`.
fn are_placeholders(old: &Value, new: &Value) -> bool {
    let is_one = |value: &Value| {
        value.as_str().is_some_and(|text| text.starts_with('[') && text.ends_with(']'))
    };
    is_one(old) && is_one(new)
}

/// The type of a resource. A resource is an object with an id.
fn resource(value: &Value) -> Option<&str> {
    value.get("id").and(value.get("type")).and_then(Value::as_str)
}

fn at_body(at: &ChangePosition, what: &str) -> SnapshotChange {
    let place = if at.name.is_empty() { "the body".to_owned() } else { format!("`{}`", at.name) };
    SnapshotChange {
        place: ChangedPlace::Body(at.pointer.clone()),
        text: format!("{place} {what}"),
        value: None,
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= VALUE_CHARACTERS_MAX {
        return text.to_owned();
    }
    let start: String = text.chars().take(VALUE_CHARACTERS_MAX).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::{ChangedPlace, changes};

    const LIST: &str = "HTTP 200\ncontent-type: application/json\n\n{\"data\": [{\"attributes\": \
                        {\"name\": \"[text]\"}, \"id\": \"[request]\", \"type\": \"legal_request\"}]}";
    const ONE: &str = "HTTP 200\ncontent-type: application/json\n\n{\"data\": {\"attributes\": \
                       {\"name\": \"[text:1]\"}, \"id\": \"[request:1]\", \"type\": \
                       \"legal_request\"}}";

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str]) {
        let texts: Vec<String> = changes(old, new).into_iter().map(|change| change.text).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_member_is_named_from_its_resource_in_a_list_and_alone() {
        let more = |text: &str| text.replace("{\"name\"", "{\"priority\": \"high\", \"name\"");
        let new = "`legal_request/attributes/priority` is new";
        check(LIST, &more(LIST), &[new]);
        check(ONE, &more(ONE), &[new]);
        check(&more(ONE), ONE, &["`legal_request/attributes/priority` is gone"]);
        let place = changes(LIST, &more(LIST)).remove(0).place;
        assert_eq!(place, ChangedPlace::Body("/data/*/attributes/priority".to_owned()));
        check(ONE, ONE, &[]);
    }

    #[test]
    fn another_status_is_the_only_change_and_a_header_is_one() {
        check(LIST, "HTTP 403\n\n{\"detail\": \"no\"}", &["the status is 403, was 200"]);
        let cached = LIST.replace("application/json", "application/json\ncache-control: private");
        check(LIST, &cached, &["header `cache-control` is new"]);
        check(&cached, LIST, &["header `cache-control` is gone"]);
        let text = LIST.replace("application/json", "text/json");
        check(LIST, &text, &["header `content-type` is text/json, was application/json"]);
    }

    #[test]
    fn another_value_shape_or_text_is_said() {
        let null = ONE.replace("\"[text:1]\"", "null");
        check(ONE, &null, &["`legal_request/attributes/name` is null, was \"[text:1]\""]);
        let object = ONE.replace("\"[text:1]\"", "{}");
        check(ONE, &object, &["`legal_request/attributes/name` is of another shape"]);
        check("HTTP 204\n\n(no body)", "HTTP 204\n\ngone", &["the body is another text"]);
    }

    #[test]
    fn another_number_of_a_placeholder_is_a_difference_only_alone() {
        let attributes = "{\"comment\": \"[text:1]\", \"name\": \"[text:2]\"}";
        let two = ONE.replace("{\"name\": \"[text:1]\"}", attributes);
        let gone = "`legal_request/attributes/comment` is gone";
        check(&two, ONE, &[gone]);
        let null = two.replace("\"[text:1]\"", "null").replace("[text:2]", "[text:1]");
        check(&two, &null, &["`legal_request/attributes/comment` is null, was \"[text:1]\""]);
        let other = ONE.replace("[text:1]", "[text:2]");
        check(ONE, &other, &["`legal_request/attributes/name` is \"[text:2]\", was \"[text:1]\""]);
        let cached = other.replace("application/json", "application/json\ncache-control: private");
        check(
            ONE,
            &cached,
            &[
                "header `cache-control` is new",
                "`legal_request/attributes/name` is \"[text:2]\", was \"[text:1]\"",
            ],
        );
    }

    #[test]
    fn the_name_of_an_id_follows_from_its_type() {
        let other = ONE.replace("legal_request", "request").replace("[request:1]", "[id:1]");
        check(ONE, &other, &["`/data/type` is \"request\", was \"legal_request\""]);
        let plain = ONE.replace("legal_request", "request").replace("\"[request:1]\"", "7");
        let id = "`/data/id` is 7, was \"[request:1]\"";
        check(ONE, &plain, &[id, "`/data/type` is \"request\", was \"legal_request\""]);
        let named = ONE.replace("[request:1]", "[id:1]");
        check(ONE, &named, &["`legal_request/id` is \"[id:1]\", was \"[request:1]\""]);
    }
}
