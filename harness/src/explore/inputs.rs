//! Strategies for single inputs: ids, words, texts, JSON values, hosts.
//!
//! No drawn text contains `@` or `<`. So every e-mail address is below `.invalid`, and no drawn text is a name of the
//! scenario language.

use std::net::Ipv4Addr;

use moot_fixtures::contract::{CREATE_REQUEST_FIELDS, LegalRequestStatus, Operation};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;
use serde::Deserialize;
use serde_json::{Value, json};

/// The number of first members of a list that can be chosen.
const SLICES: usize = 4;

/// An id that no object has. It is too long to exist by chance.
const PLAIN_ID: &str = "[a-z][A-Za-z0-9]{15,32}";
/// An id that must be escaped in a path. It contains no separator, and does not begin with a dot.
const NASTY_ID: &str = "[A-Za-z0-9_~ß漢😀'\"&+;:=!$*(),-][A-Za-z0-9_.~ß漢😀'\"&+;:=!$*(),-]{2,59}";
/// A value of a query parameter.
const QUERY: &str = "[A-Za-z0-9 _.ß漢&+;:=%/?#-]{0,24}";
/// A text of a form.
const TEXT: &str = "[A-Za-z0-9 .,'\"ßé漢😀&+;:=(){}|~\\[\\]\\\\/-]{0,60}";
/// A short word.
const WORD: &str = "[a-z]{1,12}";

/// A kind of input, by its name in the files of acts, or a list of values.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InputKind {
    PlainId,
    NastyId,
    Query,
    Text,
    Word,
    Json,
    NoObject,
    PrivateHost,
    UnknownEmail,
    /// A list of the API: its `id` (`list_workflows`), its `path`, and the `row` of its requirements
    /// (`list-workflows`).
    List,
    /// At most one of the first members of a list, as a slice of JSONPath.
    Slice,
    /// The status of a legal request.
    Status,
    /// Another status than `draft`: its `value`, and a pattern of its `words`.
    StatusAfterDraft,
    /// A field of a legal request, or sometimes an unknown field.
    RequestField,
    /// A JSON object: its `text`, and its `value`.
    Metadata,
    /// One of these values.
    #[serde(untagged)]
    OneOf(Vec<Value>),
}

impl InputKind {
    pub(super) fn strategy(&'static self) -> BoxedStrategy<Value> {
        match self {
            Self::PlainId => PLAIN_ID.prop_map(Value::from).boxed(),
            Self::NastyId => NASTY_ID.prop_map(Value::from).boxed(),
            Self::Query => QUERY.prop_map(Value::from).boxed(),
            Self::Text => TEXT.prop_map(Value::from).boxed(),
            Self::Word => WORD.prop_map(Value::from).boxed(),
            Self::Json => json_value().boxed(),
            Self::NoObject => no_object().prop_map(Value::from).boxed(),
            Self::PrivateHost => private_host().prop_map(Value::from).boxed(),
            Self::UnknownEmail => {
                WORD.prop_map(|name| format!("{name}@example.invalid").into()).boxed()
            }
            Self::List => select(&Operation::LISTS).prop_map(list).boxed(),
            Self::Slice => (0..SLICES).prop_map(|row| format!("{row}:{}", row + 1).into()).boxed(),
            Self::Status => {
                select(&LegalRequestStatus::ALL).prop_map(|it| it.as_str().into()).boxed()
            }
            Self::StatusAfterDraft => {
                let all = LegalRequestStatus::ALL.into_iter();
                let others: Vec<LegalRequestStatus> =
                    all.filter(|it| *it != LegalRequestStatus::Draft).collect();
                let with_words = |status: LegalRequestStatus| {
                    let value = status.as_str();
                    json!({ "value": value, "words": value.replace('_', "[ _-]") })
                };
                select(others).prop_map(with_words).boxed()
            }
            Self::RequestField => {
                let known: Vec<&str> =
                    CREATE_REQUEST_FIELDS.into_iter().map(|(name, _)| name).collect();
                prop_oneof![2 => select(known).prop_map(Value::from), 1 => WORD.prop_map(Value::from)]
                    .boxed()
            }
            Self::OneOf(values) => select(values.as_slice()).boxed(),
            Self::Metadata => btree_map(WORD, json_value(), 0..4)
                .prop_map(|members| {
                    let value = json!(members);
                    json!({ "text": value.to_string(), "value": value })
                })
                .boxed(),
        }
    }
}

fn list(operation: Operation) -> Value {
    let id = operation.as_str();
    json!({ "id": id, "path": operation.path(), "row": id.replace('_', "-") })
}

/// One of these, as an owned text.
fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(texts).prop_map(str::to_owned)
}

/// A text that is neither a JSON object nor blank. Some are other JSON values.
fn no_object() -> impl Strategy<Value = String> {
    let is_no_object = |text: &String| {
        !text.trim().is_empty()
            && serde_json::from_str::<Value>(text).map_or(true, |value| !value.is_object())
    };
    prop_oneof![
        2 => TEXT.prop_filter("a JSON object", is_no_object),
        1 => one_of(&["[]", "\"purpose\"", "7", "null", "true", "{\"purpose\": "]),
    ]
}

/// A JSON value, two levels deep. Numbers are integers, because services write fractions in different ways.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        TEXT.prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map(WORD, inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

/// Hosts inside a private network, in the notations that a URL allows.
fn private_host() -> impl Strategy<Value = String> {
    let networks = vec![[10, 0], [127, 0], [172, 16], [172, 31], [192, 168], [169, 254]];
    let ipv4 = (select(networks), any::<u8>(), any::<u8>())
        .prop_map(|([a, b], c, d)| Ipv4Addr::new(a, b, c, d));
    let host = prop_oneof![
        ipv4.clone().prop_map(|address| address.to_string()),
        ipv4.clone().prop_map(|address| address.to_bits().to_string()),
        ipv4.clone().prop_map(|address| format!("{:#x}", address.to_bits())),
        ipv4.prop_map(|address| format!("[{}]", address.to_ipv6_mapped())),
        any::<u16>().prop_map(|end| format!("[fd00::{end:x}]")),
        any::<u16>().prop_map(|end| format!("[fe80::{end:x}]")),
        one_of(&["localhost", "[::1]", "0.0.0.0"]),
    ];
    (host, one_of(&["", ":80", ":443", ":8443"])).prop_map(|(host, port)| host + &port)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::{NASTY_ID, QUERY, TEXT, no_object, private_host};

    proptest! {
        #[test]
        fn no_drawn_text_is_a_name_or_an_email_address(
            id in NASTY_ID, query in QUERY, text in TEXT, other in no_object(), host in private_host(),
        ) {
            assert!(![id, query, text, other, host].concat().contains(['<', '@']));
        }
    }
}
