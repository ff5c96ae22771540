//! A JSON body as a map from places to readings. The items of a list share their places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use moot_fixtures::contract::Operation;
use moot_fixtures::stored_places::{self, ITEM, StoredPlace};
use moot_snapshots::Placeholders;
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::name_pairs::NAME;
use crate::exchange::{ReceivedResponse, SentRequest};

/// The resources of §2. Their members have the same place in every response.
const RESOURCES: [&str; 5] =
    ["activity_log", "legal_request", "repository_document", "webhook", "workflow"];

/// The only number of a read that is not stored data.
const PAGE_SIZE: [&str; 2] = ["pagination", "per_page"];
/// The scopes of a token, in any order (§2.8).
const SCOPES: [&str; 1] = ["scope"];

/// The text that replaces an identifier or a name of the request in an error, and the length of the shortest
/// identifier.
const AS_SENT: &str = "(as sent)";
const IDENTIFIER_LENGTH_MIN: usize = 6;
/// The text that replaces addresses in an error.
const EMAILS: &str = "(e-mail)";

/// A word that may be an identifier, and a number.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[A-Za-z0-9_-]+").expect("the pattern is sound"));
/// A text between quotes.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[`\"“]([^`\"”]*)[`\"”]").expect("the pattern is sound"));
/// An address, or a list of them.
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| {
    let address = "[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+";
    Regex::new(&format!("{address}(?:, {address})*")).expect("the pattern is sound")
});
/// A word that may be the name of an event.
static EVENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^[a-z]+([._:-][a-z]+)*$").expect("the pattern is sound"));
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[0-9]+").expect("the pattern is sound"));

/// Limits: the number of places of one body, and the depth.
const PLACES_MAX: usize = 2_000;
const DEPTH_MAX: usize = 24;

/// The compared properties of the value at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PlaceReading {
    pub readings: BTreeSet<ValueReading>,
    /// The place of the object or list around it.
    pub parent: Vec<String>,
    /// Whether it is an item of a list. The list of the other side may be empty.
    pub is_item: bool,
}

/// The compared property of one value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, strum::AsRefStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum ValueReading {
    Null,
    Object,
    /// Another kind (`list`, `text`, `integer`, …), or the value itself if values are compared.
    #[strum(transparent)]
    Shown(String),
}

/// The selection of the compared values of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ComparedValues {
    /// Every value: in errors and in responses to actions and token requests.
    All,
    /// Every value outside `data`, where stored values are.
    OutsideData,
    /// No value, only the shape. Stored data may change between the runs.
    None,
    /// The method and the headers of a delivery, and words of its body, such as the name of an event.
    OfDelivery,
}

/// The places of the body of a response; empty if it is not JSON. Adds the identifiers of the body to `names`. In a
/// resource that the scenario created itself (`is_own`), values of a closed vocabulary are also compared.
pub(super) fn places(
    request: &SentRequest,
    response: &ReceivedResponse,
    is_own: bool,
    names: &mut Placeholders,
) -> BTreeMap<Vec<String>, PlaceReading> {
    let Some(body) = &response.json else { return BTreeMap::new() };
    names.learn_body(body);
    let compared = match (response.status, request.method.as_str()) {
        (400.., _) => ComparedValues::All,
        (_, "GET") => ComparedValues::None,
        (_, _) => ComparedValues::OutsideData,
    };
    let operation = request.operation.filter(|_| response.is_success());
    let schema = operation.and_then(Operation::success_schema);
    let sent = format!("{} {}", request.path, request.body_shown);
    let mut flattener = Flattener {
        names,
        sent: &sent,
        compared,
        places: BTreeMap::new(),
        is_temporary: matches!(response.status, 429 | 503),
        stored: schema.map_or(&[], stored_places::places),
        closed: schema.filter(|_| is_own).map_or(&[], stored_places::closed),
        path: Vec::new(),
    };
    flattener.walk(body, &[], &[]);
    flattener.places
}

/// The places of the deliveries of a step, `{method, headers, body}` each, below `delivery`.
pub(super) fn delivery_places(
    deliveries: &[Value],
    names: &Placeholders,
) -> BTreeMap<Vec<String>, PlaceReading> {
    let mut flattener = Flattener {
        names,
        sent: "",
        compared: ComparedValues::OfDelivery,
        places: BTreeMap::new(),
        is_temporary: false,
        stored: &[],
        closed: &[],
        path: Vec::new(),
    };
    let root = ["delivery".to_owned()];
    deliveries.iter().for_each(|delivery| flattener.walk(delivery, &root, &[]));
    flattener.places
}

struct Flattener<'a> {
    names: &'a Placeholders,
    /// The path and the body of the request. An error may repeat its identifiers, which differ between the sides.
    sent: &'a str,
    compared: ComparedValues,
    /// Whether it is a temporary refusal. Its text may contain a number of seconds that differs in each run.
    is_temporary: bool,
    places: BTreeMap<Vec<String>, PlaceReading>,
    /// Places of stored data in the schema. The keys of a stored object are stored data too.
    stored: &'static [StoredPlace],
    /// Places where values of a closed vocabulary are compared.
    closed: &'static [Vec<String>],
    /// Members from the root, `*` for an item.
    path: Vec<String>,
}

impl Flattener<'_> {
    fn walk(&mut self, value: &Value, place: &[String], parent: &[String]) {
        if self.places.len() >= PLACES_MAX || self.path.len() > DEPTH_MAX {
            return;
        }
        let is_of_delivery = self.compared == ComparedValues::OfDelivery;
        let resource = resource(value).filter(|_| !is_of_delivery).map(|kind| [kind.to_owned()]);
        let place = resource.as_ref().map_or(place, |resource| resource.as_slice());
        let reading = self.reading(value, place);
        let entry = self.places.entry(place.to_owned()).or_default();
        entry.readings.insert(reading);
        entry.parent = parent.to_vec();
        entry.is_item |= self.path.last().is_some_and(|last| last == ITEM);
        match value {
            Value::Object(members) if !self.is_stored() => {
                members.iter().for_each(|(member, value)| self.walk_below(member, value, place));
            }
            Value::Array(items) => {
                items.iter().for_each(|item| self.walk_below(ITEM, item, place));
            }
            _ => {}
        }
    }

    fn walk_below(&mut self, member: &str, value: &Value, parent: &[String]) {
        let mut place = parent.to_vec();
        place.push(member.to_owned());
        self.path.push(member.to_owned());
        self.walk(value, &place, parent);
        self.path.pop();
    }

    /// Whether the current place holds stored data.
    fn is_stored(&self) -> bool {
        self.stored.iter().any(|place| place.path == self.path)
    }

    /// Whether the value at the current place is compared.
    fn is_compared(&self, place: &[String]) -> bool {
        let is_named = match self.compared {
            ComparedValues::All => true,
            ComparedValues::OutsideData => !self.path.iter().any(|member| member == "data"),
            ComparedValues::None => false,
            ComparedValues::OfDelivery => {
                self.path.first().is_some_and(|first| first == "method" || first == "headers")
            }
        };
        is_named || place == PAGE_SIZE || self.closed.contains(&self.path)
    }

    fn reading(&self, value: &Value, place: &[String]) -> ValueReading {
        let is_compared = self.is_compared(place);
        let is_time = self.path.last().is_some_and(|member| member.ends_with("_at"));
        let is_in_list = self.path.iter().any(|member| member == ITEM);
        let shown = match value {
            Value::Null => return ValueReading::Null,
            Value::Object(_) => return ValueReading::Object,
            Value::Array(_) => "list".to_owned(),
            Value::Number(_) if is_time => "(time)".to_owned(),
            Value::Bool(_) | Value::Number(_) if is_compared => value.to_string(),
            Value::Bool(_) => "boolean".to_owned(),
            Value::Number(number) if number.is_f64() => "number".to_owned(),
            Value::Number(_) => "integer".to_owned(),
            Value::String(text) => {
                let shown = self.names.shown_member(text);
                match shown.as_str() {
                    "[time]" => "(time)".to_owned(),
                    _ if is_compared && self.is_temporary => {
                        NUMBER.replace_all(&shown, "#").into_owned()
                    }
                    _ if is_compared && place == SCOPES => sorted_words(&shown),
                    _ if self.compared == ComparedValues::All => as_sent(&shown, self.sent),
                    _ if is_compared => shown,
                    _ if !is_in_list && is_only_name(&shown) => shown,
                    _ if self.compared == ComparedValues::OfDelivery && EVENT.is_match(&shown) => {
                        shown
                    }
                    _ => "text".to_owned(),
                }
            }
        };
        ValueReading::Shown(shown)
    }
}

/// The kind of a resource of §2.
fn resource(value: &Value) -> Option<&'static str> {
    let members: &Map<String, Value> = value.as_object()?;
    let kind = members.get("type")?.as_str()?;
    // Without attributes, as in a problem, `type` is an ordinary value.
    members.get("attributes")?;
    RESOURCES.into_iter().find(|known| *known == kind)
}

fn sorted_words(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    words.join(" ")
}

/// Whether a text is only a name: `[request:1]`.
fn is_only_name(text: &str) -> bool {
    NAME.find(text).is_some_and(|name| name.as_str() == text)
}

/// A text without the identifiers and names of the request, and without addresses: an error lists those that a field
/// takes, which are stored data. Identifiers are words with a digit or a capital letter.
fn as_sent(text: &str, sent: &str) -> String {
    let is_drawn = |word: &str| {
        word.len() >= IDENTIFIER_LENGTH_MIN
            && word.chars().skip(1).any(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
            && sent.contains(word)
    };
    let hidden = |is_hidden: bool, whole: &str| match is_hidden {
        true => AS_SENT.to_owned(),
        false => whole.to_owned(),
    };
    let text = ADDRESSES.replace_all(text, EMAILS);
    let is_name = |text: &str| text.contains(' ') && sent.contains(text);
    let text =
        QUOTED.replace_all(&text, |quoted: &Captures<'_>| hidden(is_name(&quoted[1]), &quoted[0]));
    let text = WORD.replace_all(&text, |word: &Captures<'_>| hidden(is_drawn(&word[0]), &word[0]));
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use moot_fixtures::contract::Operation;
    use moot_snapshots::Placeholders;
    use serde_json::{Value, json};

    use super::{ValueReading, as_sent, places};
    use crate::exchange::samples;

    fn segments(place: &str) -> Vec<String> {
        place.split('/').map(str::to_owned).collect()
    }

    /// Asserts the reading at each of these places of a success.
    #[track_caller]
    fn check(operation: Operation, is_own: bool, body: &Value, expected: &[(&str, Option<&str>)]) {
        let request = samples::request(operation);
        let response = samples::response(Some(body.clone()));
        let found = places(&request, &response, is_own, &mut Placeholders::default());
        for (place, reading) in expected {
            let found = found
                .get(&segments(place))
                .map(|it| it.readings.iter().map(ValueReading::as_ref).collect());
            assert_eq!(found, reading.map(|text| BTreeSet::from([text])), "{place}");
        }
    }

    #[test]
    fn a_closed_vocabulary_is_compared_if_the_scenario_created_the_resource() {
        let attributes = json!({ "name": "NDA", "description": null, "status": "draft" });
        let body = json!({ "data": { "id": "a1b2c3", "type": "legal_request", "attributes": attributes } });
        let status = "legal_request/attributes/status";
        let name = ("legal_request/attributes/name", Some("text"));
        check(Operation::GetLegalRequest, true, &body, &[(status, Some("draft")), name]);
        check(Operation::GetLegalRequest, false, &body, &[(status, Some("text")), name]);
    }

    #[test]
    fn the_scopes_of_a_token_have_no_order() {
        for scope in ["read write", "write read"] {
            let body = json!({ "access_token": "t", "scope": scope });
            let expected = ("scope", Some("read write"));
            check(Operation::CreateAccessToken, false, &body, &[expected]);
        }
    }

    #[test]
    fn the_keys_of_stored_data_are_not_compared_and_others_are() {
        let attributes = json!({
            "custom_fields": { "department": "legal" },
            "metadata": { "pages": 3 },
        });
        let data = json!({ "id": "a", "type": "repository_document", "attributes": attributes });
        let body = json!({ "data": data });
        let below = |member: &str| format!("repository_document/attributes/{member}");
        let (free, own) = (below("custom_fields"), below("metadata/pages"));
        let expected = [
            (free.as_str(), Some("object")),
            (own.as_str(), Some("integer")),
            (&*below("custom_fields/department"), None),
        ];
        check(Operation::GetRepositoryDocument, false, &body, &expected);
        let schema = json!({ "data": { "fields_properties": { "x": {} }, "required_fields": [] } });
        let expected =
            [("data/fields_properties", Some("object")), ("data/fields_properties/x", None)];
        check(Operation::GetWorkflowSchema, false, &schema, &expected);
    }

    #[test]
    fn only_identifiers_and_names_that_were_sent_and_addresses_are_hidden_in_an_error() {
        let sent = "/v1/requests/wfFremd7 workflow_id=a1b2c3&email name=Mutual NDA";
        for (text, expected) in [
            ("no workflow `wfFremd7`.", "no workflow `(as sent)`."),
            ("no workflow `wfOther8`.", "no workflow `wfOther8`."),
            ("a1b2c3 of workflow_id", "(as sent) of workflow_id"),
            ("Größe, “a1b2c3”", "Größe, “(as sent)”"),
            ("requests", "requests"),
            ("`id`: no `Mutual NDA`.", "`id`: no (as sent)."),
            ("no workflow `Sales NDA`.", "no workflow `Sales NDA`."),
            (
                "`x@a.example` is none of y@a.example, z@a.example.",
                "`(e-mail)` is none of (e-mail).",
            ),
        ] {
            assert_eq!(as_sent(text, sent), expected);
        }
    }
}
