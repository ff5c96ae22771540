//! Is the body of a response valid JSON, without secrets and internals, and empty where it must be?

use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::AnsweredExchange;
use crate::verdict::check::document::is_json;
use crate::verdict::check::value_text::shortened;
use crate::verdict::check::{Judgement, MismatchKind, sound_json};

/// Does a body that is sent as JSON parse, as UTF-8, with no member twice (RFC 8259 §2, §4, §8.1)?
pub(super) fn valid_json(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    // 204 and HEAD have no body. The body of a response of the rate limiter is free.
    let body = answered.whole_body().filter(|body| !body.is_empty())?;
    let is_sent_as_json = is_json(&answered.media_type()?);
    (is_sent_as_json && !answered.is_limit()).then(|| sound_json::judge(body))
}

/// Is the response without the client secret, and without tokens except a new one (RFC 6750 §5.3)?
pub(super) fn secrets(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let body = answered.whole_body().filter(|body| !body.is_empty())?;
    let text = match (answered.operation(), answered.response.json.as_deref()) {
        // A download may have any content.
        (Some(Operation::DownloadAgreement), _) => return None,
        (Some(Operation::CreateAccessToken), Some(Value::Object(members))) => {
            let others = members.iter().filter(|(name, _)| *name != "access_token");
            others.map(|(_, value)| format!("{value}\n")).collect()
        }
        _ => String::from_utf8_lossy(body).into_owned(),
    };
    Some(match answered.exchange.masks.within(&text).labelled().first() {
        None => Judgement::Holds,
        Some((_, label)) => {
            let message = "the response repeats a secret of the client";
            Judgement::fails(MismatchKind::Forbidden, message, "no secret", format!("[{label}]"))
        }
    })
}

/// Parts of stack traces and database messages that clients do not send.
const MARKS: [&str; 24] = [
    "Traceback (most recent call last)",
    "Exception in thread",
    "\tat ",
    "\\tat ",
    "\n    at ",
    "\\n    at ",
    "at java.",
    "at com.",
    "at org.",
    ".java:",
    ".rb:",
    ".py\", line",
    ".php on line",
    "node_modules/",
    "goroutine ",
    "panicked at",
    "System.NullReferenceException",
    "NoMethodError",
    "ActiveRecord::",
    "SQLSTATE",
    "PG::",
    "ORA-0",
    "SELECT * FROM",
    "syntax error at or near",
];

/// Is an error without internals of the service, such as a stack trace (RFC 9457 §5)?
pub(super) fn internals(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let body = answered.whole_body().filter(|_| answered.status() >= 400)?;
    let text = String::from_utf8_lossy(body);
    Some(match MARKS.iter().find_map(|mark| text.find(mark)) {
        None => Judgement::Holds,
        Some(at) => {
            let message = "an error shows internals of the service: a stack trace or a query";
            let actual = shortened(&text[at..]);
            Judgement::fails(MismatchKind::Forbidden, message, "a text for clients", actual)
        }
    })
}

/// Is a token response without a refresh token (RFC 6749 §4.4.3)?
pub(super) fn no_refresh_token(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let body = answered.response.json.as_deref()?;
    answered.is_new_token().then(|| match body.get("refresh_token") {
        None | Some(Value::Null) => Judgement::Holds,
        Some(_) => {
            let message = "the token response has a refresh token";
            Judgement::fails(MismatchKind::Present, message, "no refresh_token", "refresh_token")
                .at("/refresh_token")
        }
    })
}

/// Is the body of the response to a deletion empty (§4.13)?
pub(super) fn no_body(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    if answered.operation() != Some(Operation::DeleteWebhook) || !answered.is_success() {
        return None;
    }
    let body = &answered.response.body;
    if body.is_empty() {
        return Some(Judgement::Holds);
    }
    let (message, actual) =
        ("the response to a deletion has a body", shortened(&String::from_utf8_lossy(body)));
    Some(Judgement::fails(MismatchKind::Present, message, "an empty body", actual))
}
