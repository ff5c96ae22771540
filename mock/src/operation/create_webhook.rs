//! Registers a webhook (§4.14). The answer `webhook_create_endpoint` has its path.
//!
//! The specification does not show the payload. Ours is `{name, url, events?, auth_type?, token? |
//! username? + password?}`.

use std::sync::Arc;

use moot_fixtures::contract::{Answers, EXECUTION_COMPLETE};
use serde_json::{Map, Value};
use url::Url;

use super::Context;
use crate::value::address;
use crate::value::limits::{URL_LENGTH_MAX, WEBHOOK_NAME_LENGTH_MAX, WEBHOOKS_PER_COMPANY_MAX};
use crate::value::message::call::Body;
use crate::value::message::fields;
use crate::value::message::json::DataJson;
use crate::value::message::problem::{Problem, shown};
use crate::world::Outcome;
use crate::world::state::change::Change;
use crate::world::state::resource::Webhook;
use crate::world::state::resource::webhook::Credential;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let answers = context.answers();
    let payload = payload(context)?;
    let name = required(&payload, "name")?;
    let url = required(&payload, "url")?;
    if name.chars().count() > WEBHOOK_NAME_LENGTH_MAX {
        return Err(invalid("name", "has at most 255 characters"));
    }
    check_url(answers, url)?;
    let events = events(answers, &payload)?;
    let (auth_type, credential) = authentication(answers, &payload)?;

    let registered = context.world.state().webhooks.index.rows(company, None);
    let is_full = registered.is_some_and(|rows| rows.len() >= WEBHOOKS_PER_COMPANY_MAX);
    let fresh = context.world.fresh_webhook().filter(|_| !is_full);
    let (row, id) = fresh.ok_or_else(|| {
        Problem::webhook_creation("This company has as many webhooks as it can; delete one first.")
    })?;
    let (name, url) = (name.to_owned(), url.to_owned());
    let record = Webhook { id, company, name, url, auth_type, events, credential };
    let response = context.responder.json(201, &DataJson { data: record.json() });
    let changes = vec![Change::PutWebhook { row, record: Arc::new(record) }];
    Ok(Outcome { changes, ..Outcome::unchanged(response) })
}

fn payload(context: &Context<'_>) -> Result<Map<String, Value>, Problem> {
    const WANTED: &str = "application/json";
    let malformed = || Problem::parameter_missing("The body must be a JSON object.");
    if context.content_type().is_some() && !context.has_content_type(WANTED) {
        return Err(Problem::wrong_media_type(context.answers(), WANTED));
    }
    match &context.call.body {
        Body::Whole(bytes) => serde_json::from_slice(bytes).map_err(|_| malformed()),
        Body::Empty | Body::Multipart(_) => Err(malformed()),
        Body::Broken(fault) => Err(fields::broken(*fault, context.answers())),
    }
}

fn invalid(member: &str, what: &str) -> Problem {
    Problem::webhook_creation(format!("`{member}` {what}."))
}

/// The text of a member. An empty text and `null` count as absent.
fn text<'p>(payload: &'p Map<String, Value>, member: &str) -> Result<Option<&'p str>, Problem> {
    match payload.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(invalid(member, "must be a string")),
    }
}

fn required<'p>(payload: &'p Map<String, Value>, member: &str) -> Result<&'p str, Problem> {
    text(payload, member)?
        .ok_or_else(|| Problem::parameter_missing(format!("`{member}` is required.")))
}

fn check_url(answers: &Answers, text: &str) -> Result<(), Problem> {
    if text.len() > URL_LENGTH_MAX {
        return Err(invalid("url", "has at most 2,048 characters"));
    }
    let url = Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| invalid("url", "must be an absolute http or https address"))?;
    // `Url::parse` drops some control characters, but the stored address would still have them.
    if text.chars().any(char::is_control) {
        return Err(invalid("url", "must not have control characters"));
    }
    if address::is_cloud_metadata(&url) {
        return Err(invalid("url", "must not be the metadata service of a cloud"));
    }
    if answers.webhook_https_only && url.scheme() != "https" && !address::is_loopback(&url) {
        return Err(invalid("url", "must be an https address"));
    }
    Ok(())
}

fn events(answers: &Answers, payload: &Map<String, Value>) -> Result<Vec<String>, Problem> {
    let asked = match payload.get("events") {
        None | Some(Value::Null) => return Ok(vec![EXECUTION_COMPLETE.to_owned()]),
        Some(Value::Array(asked)) if !asked.is_empty() => asked,
        Some(_) => return Err(invalid("events", "must be a list of event names, not empty")),
    };
    let mut events: Vec<String> = Vec::new();
    for event in asked {
        let known = |name: &&str| {
            *name == EXECUTION_COMPLETE || answers.event_kinds.iter().any(|kind| kind == name)
        };
        let name = event.as_str().filter(known).ok_or_else(|| {
            let mut kinds = vec![EXECUTION_COMPLETE];
            kinds.extend(answers.event_kinds.iter().map(String::as_str));
            invalid("events", &format!("may name {}", kinds.join(", ")))
        })?;
        if !events.iter().any(|known| known == name) {
            events.push(name.to_owned());
        }
    }
    Ok(events)
}

/// The authentication of deliveries. Without `auth_type`, it follows from the sent credentials.
fn authentication(
    answers: &Answers,
    payload: &Map<String, Value>,
) -> Result<(String, Credential), Problem> {
    let token = text(payload, "token")?;
    let username = text(payload, "username")?;
    let password = text(payload, "password")?;
    let suggested = match (token, username) {
        (Some(_), _) => "bearer",
        (None, Some(_)) => "basic",
        (None, None) => "none",
    };
    let auth_type = text(payload, "auth_type")?;
    let allowed = &answers.webhook_auth_types;
    if let Some(unknown) = auth_type.filter(|asked| !allowed.iter().any(|known| known == asked)) {
        let what = format!("may be {}, not `{}`", allowed.join(", "), shown(unknown));
        return Err(invalid("auth_type", &what));
    }
    let auth_type = auth_type.unwrap_or(suggested);
    let needed = |member: &str, value: Option<&str>| {
        value.map(str::to_owned).ok_or_else(|| {
            let detail = format!("`{member}` is required for auth_type `{auth_type}`.");
            Problem::parameter_missing(detail)
        })
    };
    let credential = match auth_type {
        "bearer" => Credential::Bearer(needed("token", token)?),
        "basic" => Credential::Basic {
            username: needed("username", username)?,
            password: needed("password", password)?,
        },
        _ => Credential::None,
    };
    check_credential(&credential)?;
    Ok((auth_type.to_owned(), credential))
}

/// Refuses credentials that can't be sent in a header. A token is ASCII; user name and password are
/// UTF-8 (RFC 7617 §2).
fn check_credential(credential: &Credential) -> Result<(), Problem> {
    match credential {
        Credential::Bearer(token) if !token.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
            Err(invalid("token", "must be printable ASCII, since it is sent in a header"))
        }
        Credential::Basic { username, .. }
            if username.chars().any(|c| c.is_control() || c == ':') =>
        {
            Err(invalid("username", "must not have colons or control characters"))
        }
        Credential::Basic { password, .. } if password.chars().any(char::is_control) => {
            Err(invalid("password", "must not have control characters"))
        }
        Credential::None | Credential::Bearer(_) | Credential::Basic { .. } => Ok(()),
    }
}
