//! Renders a response as stable text: values that differ from run to run are replaced by names.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::kind::{self, is_resource_list};
use crate::shape::merged_shape;
use crate::stored_places::{ITEM, StoredPlaces};
use crate::text::{
    OPAQUE, address, is_random, is_timestamp, printable, replace_word, without_loopback,
};

/// The headers of a snapshot, in this order. The value of `retry-after` is replaced.
const HEADERS_KEPT: [&str; 6] =
    ["content-type", "cache-control", "www-authenticate", "allow", "location", "retry-after"];

/// Replaces a redacted value.
const REDACTED: &str = "[redacted]";

/// Characters of a body that is not JSON.
const TEXT_CHARACTERS_MAX: usize = 4000;

/// The names of changing values within one scenario.
///
/// The same value has the same name in every response of the scenario: `[request:1]`, `[token:2]`.
/// Times and [`StoredPlaces`] values are named for each resource and member. So two resources that were
/// created in the same second, or have the same name, do not share a placeholder by chance. Lists of
/// resources show only the merged shape of their items.
#[derive(Debug, Clone, Default)]
pub struct Placeholders {
    /// The name of each identifier. It is replaced wherever it occurs as a word.
    known: BTreeMap<String, String>,
    /// The names of times and stored values, by resource, member and value.
    own: BTreeMap<(String, String, String), String>,
    /// The number of names of each kind.
    given: BTreeMap<String, u32>,
    /// Fixed texts of the run with their replacements, in the order of replacing.
    fixed: Vec<(String, String)>,
    /// Path of the target's base address, without a slash at its end.
    base_path: Option<String>,
    /// The stored places of the current body.
    stored: StoredPlaces,
    /// The current place in that body.
    path: Vec<String>,
}

/// A response as the service sent it.
#[derive(Debug, Clone, Copy)]
pub struct RawResponse<'a> {
    /// HTTP status.
    pub status: u16,
    /// The headers in their order.
    pub headers: &'a [(String, String)],
    /// The body, if it is JSON.
    pub json: Option<&'a Value>,
    /// The body, if it is not JSON.
    pub text: &'a str,
}

impl Placeholders {
    /// Replaces `text` by `[label]` everywhere, for example the tag of the run.
    pub fn hide(&mut self, text: &str, label: &str) {
        if !text.is_empty() && self.fixed.iter().all(|(known, _)| known != text) {
            self.fixed.push((text.to_owned(), format!("[{label}]")));
        }
    }

    /// Replaces the target's base address by `[base]`, and its path at the beginning of other paths by
    /// `[base-path]`. Each sandbox has another base address.
    pub fn hide_base(&mut self, base_url: &str) {
        self.hide(base_url, "base");
        let path = base_url
            .split_once("://")
            .and_then(|(_, rest)| rest.find('/').map(|at| rest[at..].trim_end_matches('/')));
        self.base_path = path.filter(|path| !path.is_empty()).map(str::to_owned);
    }

    /// The response as text: status line, kept headers, blank line, body with sorted members.
    ///
    /// The values at the places in `stored` are replaced by their type and a number. `redact_pointers`
    /// are JSON Pointers into the body whose values become `[redacted]`. Missing places are ignored.
    ///
    /// ```text
    /// HTTP 201
    /// content-type: application/json
    ///
    /// {
    ///   "data": {
    ///     "attributes": {"name": "[text:1]", "status": "draft"},
    ///     "id": "[request:1]",
    ///     "type": "legal_request"
    ///   }
    /// }
    /// ```
    pub fn response(
        &mut self,
        response: RawResponse<'_>,
        stored: &StoredPlaces,
        redact_pointers: &[String],
    ) -> String {
        stored.clone_into(&mut self.stored);
        let RawResponse { status, headers, .. } = response;
        let shown_body = match response.json {
            Some(value) => {
                let mut value = value.clone();
                for pointer in redact_pointers {
                    if let Some(place) = value.pointer_mut(pointer) {
                        *place = Value::String(REDACTED.to_owned());
                    }
                }
                self.learn(&value, false);
                let shown = self.render(&value, "", "");
                printable(&format!("{shown:#}"))
            }
            None => self.plain_body(response.text),
        };
        let mut out = format!("HTTP {status}\n");
        for name in HEADERS_KEPT {
            for (_, value) in headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name)) {
                let shown = match name {
                    "retry-after" => "[present]".to_owned(),
                    "location" => address(&self.words(value)),
                    _ => self.words(value),
                };
                out.push_str(&format!("{name}: {}\n", printable(&shown)));
            }
        }
        out.push('\n');
        out.push_str(&shown_body);
        out
    }

    /// Names the identifiers of a body, for [`Placeholders::shown`].
    pub fn learn_body(&mut self, body: &Value) {
        self.stored = StoredPlaces::default();
        self.learn(body, false);
    }

    /// A text with the names of all known identifiers, `[request:1]`. A time becomes `[time]`.
    pub fn shown(&self, text: &str) -> String {
        if is_timestamp(text) {
            return "[time]".to_owned();
        }
        match self.known.get(text) {
            Some(name) => name.clone(),
            None => without_loopback(&self.words(text)),
        }
    }

    /// As [`Self::shown`], for a text of a JSON body. Any other text that looks random becomes `[opaque]`.
    pub fn shown_member(&self, text: &str) -> String {
        let shown = self.shown(text);
        if shown == text && is_random(text) { OPAQUE.to_owned() } else { shown }
    }

    fn plain_body(&self, text: &str) -> String {
        if text.is_empty() {
            return "(no body)".to_owned();
        }
        if text.contains(['\u{fffd}', '\0']) {
            return "(binary)".to_owned();
        }
        let shown: String = text.chars().take(TEXT_CHARACTERS_MAX).collect();
        let cut = if shown.len() < text.len() { "\n(cut)" } else { "" };
        format!("{}{cut}", printable(&self.words(&shown)))
    }

    /// First pass: names every identifier, so that texts before it get the name too. Stored values get no
    /// names here, because they may be absent in other runs.
    fn learn(&mut self, value: &Value, is_upload: bool) {
        match value {
            Value::Object(object) => {
                for (member, value) in sorted_members(object) {
                    self.path.push(member.to_owned());
                    let below = member == "data" && object.contains_key("success");
                    match value {
                        _ if self.stored.label(&self.path, &[value]).is_some() => {}
                        Value::String(text) => match kind::of_member(object, member, is_upload) {
                            Some(kind) => self.name(kind, text),
                            None => self.learn_path(text),
                        },
                        other => self.learn(other, below),
                    }
                    self.path.pop();
                }
            }
            Value::Array(items) if !self.is_merged(items) => {
                self.path.push(ITEM.to_owned());
                items.iter().for_each(|item| self.learn(item, false));
                self.path.pop();
            }
            Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => {}
        }
    }

    /// Whether only the merged shape of a list is shown.
    fn is_merged(&self, items: &[Value]) -> bool {
        is_resource_list(items) || self.stored.is_list(&self.path)
    }

    /// Names the identifiers in a path or address: `/v1/requests/{id}`.
    pub fn learn_path(&mut self, text: &str) {
        if !text.starts_with('/') && !text.starts_with("http") {
            return;
        }
        let path = text.split(['?', '#']).next().unwrap_or(text);
        let segments: Vec<&str> = path.split('/').collect();
        for pair in segments.windows(2) {
            if let Some(kind) = kind::of_collection(pair[0]) {
                self.name(kind, pair[1]);
            }
        }
    }

    fn name(&mut self, kind: &str, value: &str) {
        if !value.is_empty() && value != REDACTED && !self.known.contains_key(value) {
            let name = self.next(kind);
            self.known.insert(value.to_owned(), name);
        }
    }

    fn next(&mut self, kind: &str) -> String {
        let given = self.given.entry(kind.to_owned()).or_default();
        *given += 1;
        format!("[{kind}:{given}]")
    }

    /// Second pass: replaces values by their names. `owner` is the id (or token) of the innermost resource.
    fn render(&mut self, value: &Value, owner: &str, member: &str) -> Value {
        let is_redacted = value.as_str() == Some(REDACTED);
        if let Some(label) = self.stored.label(&self.path, &[value]).filter(|_| !is_redacted) {
            return Value::String(self.own(&label, &value.to_string(), owner, member));
        }
        match value {
            Value::Object(object) => {
                let own = ["id", "access_token"].iter().find_map(|m| object.get(*m)?.as_str());
                let owner = own.unwrap_or(owner);
                let mut shown = Map::new();
                for (member, value) in sorted_members(object) {
                    self.path.push(member.to_owned());
                    shown.insert(member.to_owned(), self.render(value, owner, member));
                    self.path.pop();
                }
                Value::Object(shown)
            }
            Value::Array(items) if self.is_merged(items) => {
                merged_shape(items, &self.stored, &self.path)
            }
            Value::Array(items) => {
                self.path.push(ITEM.to_owned());
                let shown = items.iter().map(|item| self.render(item, owner, member)).collect();
                self.path.pop();
                Value::Array(shown)
            }
            Value::String(text) => Value::String(self.text(text, owner, member)),
            Value::Number(number) if number.is_u64() => match member {
                "total_count" | "total_pages" => Value::String("[count]".to_owned()),
                member if member.ends_with("_at") => {
                    Value::String(self.time(&number.to_string(), owner, member))
                }
                _ => value.clone(),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&mut self, text: &str, owner: &str, member: &str) -> String {
        if let Some(name) = self.known.get(text) {
            return name.clone();
        }
        if is_timestamp(text) {
            return self.time(text, owner, member);
        }
        if is_random(text) {
            return OPAQUE.to_owned();
        }
        let shown = self.words(text);
        if member == "agreement_url" { address(&shown) } else { without_loopback(&shown) }
    }

    fn time(&mut self, value: &str, owner: &str, member: &str) -> String {
        if owner.is_empty() {
            return "[time]".to_owned();
        }
        self.own("time", value, owner, member)
    }

    /// The name of a value of one member of one resource.
    fn own(&mut self, kind: &str, value: &str, owner: &str, member: &str) -> String {
        let key = (owner.to_owned(), member.to_owned(), value.to_owned());
        if let Some(name) = self.own.get(&key) {
            return name.clone();
        }
        let name = self.next(kind);
        self.own.insert(key, name.clone());
        name
    }

    /// `text` with the names of all known values. The longest values are replaced first.
    fn words(&self, text: &str) -> String {
        let below = self.base_path.as_ref().and_then(|path| text.strip_prefix(path.as_str()));
        let mut shown = match below {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("[base-path]{rest}"),
            _ => text.to_owned(),
        };
        for (fixed, by) in &self.fixed {
            shown = shown.replace(fixed.as_str(), by);
        }
        let mut known: Vec<(&String, &String)> =
            self.known.iter().filter(|(value, _)| shown.contains(value.as_str())).collect();
        known.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        known.into_iter().fold(shown, |shown, (value, name)| replace_word(&shown, value, name))
    }
}

fn sorted_members(object: &Map<String, Value>) -> BTreeMap<&str, &Value> {
    object.iter().map(|(member, value)| (member.as_str(), value)).collect()
}
