//! Strategies for single inputs: ids, words, texts, JSON values, hosts.
//!
//! No drawn text holds `@` or `<`. So an e-mail address is always below `.invalid`, and a drawn text is
//! never a name of the scenario language.

use std::net::Ipv4Addr;

use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Value, json};

/// Members of a list, and workflows, are chosen among this many.
pub(super) const ROWS: usize = 4;

/// An id that no object has. It is too long to be hit by chance.
pub(super) const PLAIN_ID: &str = "[a-z][A-Za-z0-9]{15,32}";
/// An id that must be escaped in a path. It holds no separator, and begins with no dot.
pub(super) const NASTY_ID: &str =
    "[A-Za-z0-9_~ß漢😀'\"&+;:=!$*(),-][A-Za-z0-9_.~ß漢😀'\"&+;:=!$*(),-]{2,59}";
/// A value of a query parameter.
pub(super) const QUERY: &str = "[A-Za-z0-9 _.ß漢&+;:=%/?#-]{0,24}";
/// A text of a form.
pub(super) const TEXT: &str = "[A-Za-z0-9 .,'\"ßé漢😀&+;:=(){}|~\\[\\]\\\\/-]{0,60}";
/// A short word.
pub(super) const WORD: &str = "[a-z]{1,12}";

/// One of these, as an owned text.
pub(super) fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(texts).prop_map(str::to_owned)
}

/// An e-mail address that belongs to nobody.
pub(super) fn unknown_email() -> impl Strategy<Value = String> {
    WORD.prop_map(|name| format!("{name}@example.invalid"))
}

/// A text that is not a JSON object, and is not blank. Some are other JSON values.
pub(super) fn no_object() -> impl Strategy<Value = String> {
    let is_no_object = |text: &String| {
        !text.trim().is_empty()
            && serde_json::from_str::<Value>(text).map_or(true, |value| !value.is_object())
    };
    prop_oneof![
        2 => TEXT.prop_filter("a JSON object", is_no_object),
        1 => one_of(&["[]", "\"purpose\"", "7", "null", "true", "{\"purpose\": "]),
    ]
}

/// A JSON value, two levels deep. Numbers are whole: services write fractions in different ways.
pub(super) fn json_value() -> impl Strategy<Value = Value> {
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
pub(super) fn private_host() -> impl Strategy<Value = String> {
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
