//! A JSON body as places and what stands there; the items of a list share their places.

use std::collections::{BTreeMap, BTreeSet};

use moot_snapshots::Placeholders;
use serde_json::{Map, Value};

use super::exchanges::is_name;
use crate::exchange::{ReceivedResponse, SentRequest};

/// Members whose keys a client or a workflow chooses: only that they are objects is compared.
const OPEN_MEMBERS: [&str; 6] = [
    "additional_data",
    "custom_fields",
    "fields_properties",
    "metadata",
    "variables",
    "variables_properties",
];

/// Resources of §2: their members have the same place wherever one stands.
const RESOURCES: [&str; 5] =
    ["activity_log", "legal_request", "repository_document", "webhook", "workflow"];

/// The one number of a read that is no stored data.
const PAGE_SIZE: &str = "pagination/per_page";

/// Places kept of one body, and how deep it is looked into.
const PLACES_MAX: usize = 2_000;
const DEPTH_MAX: usize = 24;

/// Where the items of a list stand.
const ITEM: &str = "*";

/// What stands at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceReading {
    /// Kinds (`object`, `list`, `text`, `integer`, `null`, …) or, where words count, the values.
    pub readings: BTreeSet<String>,
    /// The place around it.
    pub parent: String,
    /// Whether it is the item of a list, of which there may be none.
    pub is_item: bool,
}

/// How much of a body counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// Every value: what an error, an action or a token request says.
    Words,
    /// Every value but stored ones, which stand below `data`.
    WordsBesideData,
    /// Only the shape: what is stored is another thing tomorrow.
    Shape,
}

/// The places of an answer's body; none where it is no JSON. Identifiers in it are learnt by `names`.
pub(super) fn places(
    request: &SentRequest,
    response: &ReceivedResponse,
    names: &mut Placeholders,
) -> BTreeMap<String, PlaceReading> {
    let Some(body) = &response.json else { return BTreeMap::new() };
    names.learn_body(body);
    let counts = match (response.status, request.method.as_str()) {
        (400.., _) => Counts::Words,
        (_, "GET") => Counts::Shape,
        (_, _) => Counts::WordsBesideData,
    };
    let is_of_the_moment = matches!(response.status, 429 | 503);
    let mut flattener = Flattener { names, places: BTreeMap::new(), is_of_the_moment };
    let root = At { place: "", parent: "", member: "", is_item: false, in_list: false, depth: 0 };
    flattener.walk(body, root, counts);
    flattener.places
}

struct Flattener<'a> {
    names: &'a Placeholders,
    /// A refusal for a while: the seconds in its words are others in each run.
    is_of_the_moment: bool,
    places: BTreeMap<String, PlaceReading>,
}

#[derive(Clone, Copy)]
struct At<'a> {
    place: &'a str,
    parent: &'a str,
    member: &'a str,
    is_item: bool,
    in_list: bool,
    depth: usize,
}

impl Flattener<'_> {
    fn walk(&mut self, value: &Value, at: At<'_>, counts: Counts) {
        if self.places.len() >= PLACES_MAX || at.depth > DEPTH_MAX {
            return;
        }
        let place = match resource(value) {
            Some(kind) => kind,
            None => at.place,
        };
        let reading = self.reading(value, At { place, ..at }, counts);
        let entry = self.places.entry(place.to_owned()).or_default();
        entry.readings.insert(reading);
        at.parent.clone_into(&mut entry.parent);
        entry.is_item |= at.is_item;
        let depth = at.depth + 1;
        match value {
            Value::Object(members) if !OPEN_MEMBERS.contains(&at.member) => {
                for (member, value) in members {
                    let below = joined(place, member);
                    let counts = match (counts, member.as_str()) {
                        (Counts::WordsBesideData, "data") => Counts::Shape,
                        (counts, _) => counts,
                    };
                    let is_item = false;
                    let at = At { place: &below, parent: place, member, is_item, depth, ..at };
                    self.walk(value, at, counts);
                }
            }
            Value::Array(items) => {
                let below = joined(place, ITEM);
                for item in items {
                    let at = At {
                        place: &below,
                        parent: place,
                        member: ITEM,
                        is_item: true,
                        in_list: true,
                        depth,
                    };
                    self.walk(item, at, counts);
                }
            }
            Value::Object(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => {}
        }
    }

    fn reading(&self, value: &Value, at: At<'_>, counts: Counts) -> String {
        let counts_here = counts != Counts::Shape || at.place == PAGE_SIZE;
        match value {
            Value::Null => "null".to_owned(),
            Value::Object(_) => "object".to_owned(),
            Value::Array(_) => "list".to_owned(),
            Value::Number(_) if at.member.ends_with("_at") => "(time)".to_owned(),
            Value::Bool(_) | Value::Number(_) if counts_here => value.to_string(),
            Value::Bool(_) => "boolean".to_owned(),
            Value::Number(number) if number.is_f64() => "number".to_owned(),
            Value::Number(_) => "integer".to_owned(),
            Value::String(text) => {
                let shown = self.names.shown(text);
                match shown.as_str() {
                    "[time]" => "(time)".to_owned(),
                    _ if counts_here && self.is_of_the_moment => without_digits(&shown),
                    _ if counts_here => shown,
                    // The same resource as before, or another one.
                    _ if !at.in_list && is_only_name(&shown) => shown,
                    _ => "text".to_owned(),
                }
            }
        }
    }
}

/// The kind of a resource of §2.
fn resource(value: &Value) -> Option<&'static str> {
    let members: &Map<String, Value> = value.as_object()?;
    let kind = members.get("type")?.as_str()?;
    // Elsewhere, as in a problem, `type` is a value like any other.
    members.get("attributes")?;
    RESOURCES.into_iter().find(|known| *known == kind)
}

/// Whether a text is nothing but the name of an identifier: `[request:1]`.
fn is_only_name(text: &str) -> bool {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(is_name)
}

fn without_digits(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }) {
        if c != '#' || !out.ends_with('#') {
            out.push(c);
        }
    }
    out
}

fn joined(place: &str, member: &str) -> String {
    if place.is_empty() { member.to_owned() } else { format!("{place}/{member}") }
}
