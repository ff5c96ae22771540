//! The forms of a client secret: its encodings, and the wrong secrets that scenarios derive from it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::scenario::near_miss;

/// Every form of an application's secret that must not be shown, with the suffix of its label.
pub(crate) fn of_secret(client_id: &str, secret: &str) -> Vec<(String, &'static str)> {
    let rows = [
        (secret.to_owned(), "CLIENT_SECRET"),
        (all_but_last(secret), "CLIENT_SECRET_ALL_BUT_LAST"),
        (other_case(secret), "CLIENT_SECRET_OTHER_CASE"),
    ];
    let near = near_miss::near_misses(secret).map(|(_, text)| (text, "CLIENT_SECRET_NEAR_MISS"));
    let mut forms = Vec::new();
    for (text, label) in rows.into_iter().chain(near) {
        let form: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let percent =
            percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC)
                .to_string();
        forms.extend([
            (basic(client_id, &text), label),
            (form, label),
            (percent, label),
            (text, label),
        ]);
    }
    forms
}

/// The credentials of HTTP Basic (RFC 7617 §2).
pub(crate) fn basic(client_id: &str, secret: &str) -> String {
    BASE64_STANDARD.encode(format!("{client_id}:{secret}"))
}

/// The credentials of HTTP Basic with a secret that lacks its last character.
pub(crate) fn wrong_basic(client_id: &str, secret: &str) -> String {
    basic(client_id, &all_but_last(secret))
}

/// A secret as a value for scenarios. The derived wrong secrets are its members.
pub(crate) fn as_name(secret: &str) -> Value {
    json!({
        "$secret": secret,
        "all_but_last": all_but_last(secret),
        "other_case": other_case(secret),
        "near_misses": near_miss::rows(secret),
    })
}

/// The secret without its last character.
fn all_but_last(secret: &str) -> String {
    let mut characters = secret.chars();
    characters.next_back();
    characters.as_str().to_owned()
}

/// The secret with each ASCII letter in the other case. If it has no letter, its first character is replaced, so that
/// the result always differs.
fn other_case(secret: &str) -> String {
    let turned: String = secret.chars().map(near_miss::other_case).collect();
    if turned != secret {
        return turned;
    }
    let first = if secret.starts_with('0') { '1' } else { '0' };
    std::iter::once(first).chain(secret.chars().skip(1)).collect()
}
