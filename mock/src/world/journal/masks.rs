//! Masks the secrets in texts: each is replaced by its fingerprint.

use std::borrow::Cow;

use serde_json::Value;
use siphasher::sip::SipHasher13;

/// A name that contains one of these names a secret.
const SECRET_NAMES: [&str; 3] = ["token", "secret", "password"];

/// Names that contain `token` and whose values are no secrets.
const HARMLESS_NAMES: [&str; 2] = ["token_type", "token_type_hint"];

/// The text in place of a secret. Equal secrets have equal fingerprints, and the secret cannot be computed from it.
pub(super) fn fingerprint(secret: &[u8]) -> String {
    format!("fingerprint:{:016x}", SipHasher13::new().hash(secret))
}

/// A query or a form with its secrets masked. Other pairs stay as sent.
pub(super) fn form(text: &str) -> String {
    let pairs: Vec<Cow<'_, str>> = text.split('&').map(pair).collect();
    pairs.join("&")
}

fn pair(sent: &str) -> Cow<'_, str> {
    let (name, value) = form_urlencoded::parse(sent.as_bytes()).next().unwrap_or_default();
    if !names_secret(&name) {
        return sent.into();
    }
    match sent.split_once('=') {
        None => fingerprint(sent.as_bytes()).into(),
        Some((_, "")) => sent.into(),
        // The fingerprint of the decoded secret equals that of the same secret in a header.
        Some((name, _)) => format!("{name}={}", fingerprint(value.as_bytes())).into(),
    }
}

/// A whole body, JSON or a form, with its secrets masked. `None` if it is not text, or not valid JSON: then secrets
/// cannot be found in it.
pub(super) fn body(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return Some(Cow::Owned(form(text)));
    }
    if !has_secret_name(text) && !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut json: Value = serde_json::from_str(text).ok()?;
    mask(&mut json, false);
    serde_json::to_string(&json).ok().map(Cow::Owned)
}

/// A field of a multipart form, masked if its name is that of a secret; `None` if it is not text.
pub(super) fn field<'b>(name: &str, bytes: &'b [u8]) -> Option<Cow<'b, str>> {
    if names_secret(name) {
        return Some(Cow::Owned(fingerprint(bytes)));
    }
    std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
}

/// Masks the secrets in a value. `is_secret`: the value itself is one, with all its parts.
fn mask(json: &mut Value, is_secret: bool) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                mask(value, is_secret || names_secret(name));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, is_secret)),
        Value::String(text) if is_secret => *text = fingerprint(text.as_bytes()),
        Value::Number(number) if is_secret => {
            *json = fingerprint(number.to_string().as_bytes()).into();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a member or field with this name is a secret.
fn names_secret(name: &str) -> bool {
    has_secret_name(name) && !HARMLESS_NAMES.contains(&name)
}

fn has_secret_name(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|name| text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::{body, fingerprint};

    fn print(secret: &str) -> String {
        fingerprint(secret.as_bytes())
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(body(text.as_bytes()).as_deref(), expected, "{text}");
    }

    #[test]
    fn secrets_of_a_form_are_fingerprints_of_what_they_are() {
        check("grant_type=client_credentials&page=2", Some("grant_type=client_credentials&page=2"));
        let masked = format!("client_id=a&client_secret={}", print("s p"));
        check("client_id=a&client_secret=s+p", Some(&masked));
        let masked = format!("client%5Fsecret={}", print("s"));
        check("client%5Fsecret=s", Some(&masked));
        check("token_type_hint=access_token", Some("token_type_hint=access_token"));
        check("my secret", Some(&print("my secret")));
    }

    #[test]
    fn secrets_in_json_are_fingerprints_wherever_they_stand() {
        check(r#"{"name":"x"}"#, Some(r#"{"name":"x"}"#));
        let masked = format!(r#"{{"a":[{{"password":"{}"}}],"token_type":"Bearer"}}"#, print("p"));
        check(r#"{"a":[{"password":"p"}],"token_type":"Bearer"}"#, Some(&masked));
        let masked = format!(
            r#"{{"access_token":"{}","token_type":"Bearer","expires_in":7200,"scope":"read"}}"#,
            print("t")
        );
        let response =
            r#"{"access_token":"t","token_type":"Bearer","expires_in":7200,"scope":"read"}"#;
        check(response, Some(&masked));
        let masked = format!(
            r#"{{"access_token":"{}","token_type":"Bearer","refresh_token":"{}"}}"#,
            print("t"),
            print("r")
        );
        let response = r#"{"access_token":"t","token_type":"Bearer","refresh_token":"r"}"#;
        check(response, Some(&masked));
        let masked = format!(r#"{{"token":"{}"}}"#, print("12"));
        check(r#"{"token":12}"#, Some(&masked));
        check(r#"{"tok\u0065n":"t"}"#, Some(&format!(r#"{{"token":"{}"}}"#, print("t"))));
        let masked = format!(r#"{{"token":["{}",{{"value":"{}"}}]}}"#, print("a"), print("b"));
        check(r#"{"token":["a",{"value":"b"}]}"#, Some(&masked));
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_kept() {
        check(r#"{"token":"abc"#, None);
        assert_eq!(body(&[0xFF, 0xFE]), None);
    }
}
