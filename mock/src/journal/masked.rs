//! Texts without the secrets in them: in place of each stands its fingerprint.

use std::borrow::Cow;
use std::hash::Hasher;

use serde_json::Value;
use siphasher::sip::SipHasher13;

/// Names of members and parameters whose values are secrets hold one of these.
const SECRET_NAMES: [&str; 3] = ["token", "secret", "password"];
/// Names that hold one of them, and say only of which kind a secret is.
const HARMLESS_NAMES: [&str; 2] = ["token_type", "token_type_hint"];

/// What a secret is shown as: equal secrets are equal, and nothing leads back.
pub(super) fn fingerprint(secret: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(secret);
    hasher.finish()
}

/// How a fingerprint is shown.
pub(super) fn shown(fingerprint: u64) -> String {
    format!("fingerprint:{fingerprint:016x}")
}

/// A query, or a form, without its secrets; as it is where it has none.
pub(super) fn form(text: &str) -> Cow<'_, str> {
    if !names_secret(text) && !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let pairs = text.split('&').map(|pair| {
        let name = pair.split('=').next().unwrap_or(pair);
        let decoded = form_urlencoded::parse(name.as_bytes()).next();
        if !decoded.is_some_and(|(name, _)| is_secret(&name)) {
            return Cow::Borrowed(pair);
        }
        // The fingerprint is that of the secret itself, as it stands in a header.
        let secret = form_urlencoded::parse(pair.as_bytes()).next().map(|(_, secret)| secret);
        match (pair.contains('='), secret.filter(|secret| !secret.is_empty())) {
            (true, None) => Cow::Borrowed(pair),
            (true, Some(secret)) => {
                Cow::Owned(format!("{name}={}", shown(fingerprint(secret.as_bytes()))))
            }
            (false, _) => Cow::Owned(shown(fingerprint(pair.as_bytes()))),
        }
    });
    Cow::Owned(pairs.collect::<Vec<_>>().join("&"))
}

/// A whole body without its secrets, be it JSON or a form; `None` where it is no text, or where its
/// secrets can't be told from the rest.
pub(super) fn body(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return Some(form(text));
    }
    if !names_secret(text) && !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut json: Value = serde_json::from_str(text).ok()?;
    mask(&mut json);
    Some(Cow::Owned(json.to_string()))
}

fn mask(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(secret) if is_secret(name) => {
                        *secret = shown(fingerprint(secret.as_bytes()));
                    }
                    Value::Number(secret) if is_secret(name) => {
                        let secret = secret.to_string();
                        *value = shown(fingerprint(secret.as_bytes())).into();
                    }
                    value => mask(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether what has this name is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    names_secret(name) && !HARMLESS_NAMES.contains(&name)
}

fn names_secret(text: &str) -> bool {
    let is_in = |name: &str| {
        text.as_bytes().windows(name.len()).any(|at| at.eq_ignore_ascii_case(name.as_bytes()))
    };
    SECRET_NAMES.into_iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::{body, fingerprint, shown};

    fn print(secret: &str) -> String {
        shown(fingerprint(secret.as_bytes()))
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
        let masked = format!(r#"{{"token":"{}"}}"#, print("12"));
        check(r#"{"token":12}"#, Some(&masked));
        check(r#"{"tok\u0065n":"t"}"#, Some(&format!(r#"{{"token":"{}"}}"#, print("t"))));
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_kept() {
        check(r#"{"token":"abc"#, None);
        assert_eq!(body(&[0xFF, 0xFE]), None);
    }
}
