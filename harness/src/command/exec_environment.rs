//! The environment variables of a command under `moot exec`.

use std::path::Path;

use serde_json::Value;
use tokio::process::Command;

use super::serve::ADMIN_TOKEN;

/// All variables. If the world has no value for a variable, it is removed. So the command does not use
/// a value of another service by mistake.
const NAMES: [&str; 15] = [
    "MOOT_BASE_URL",
    "MOOT_TOKEN_URL",
    "MOOT_ADMIN_URL",
    "MOOT_SEED",
    "MOOT_CLIENT_ID",
    "MOOT_CLIENT_SECRET",
    "MOOT_READER_CLIENT_ID",
    "MOOT_READER_CLIENT_SECRET",
    "MOOT_WRITER_CLIENT_ID",
    "MOOT_WRITER_CLIENT_SECRET",
    "MOOT_OTHER_CLIENT_ID",
    "MOOT_OTHER_CLIENT_SECRET",
    "MOOT_REQUESTER_EMAIL",
    "MOOT_GENERATED_WORKFLOW_ID",
    "MOOT_THIRD_PARTY_WORKFLOW_ID",
];

/// A part of the type of workflows for a document of the counterparty. The rest of the type is open.
const THIRD_PARTY: &str = "third";
/// This address is never called through a proxy.
const LOOPBACK: &str = "127.0.0.1";

/// The file with the certificate of the mock, which a client must trust.
const CA_FILE: &str = "MOOT_CA_FILE";

/// Sets the variables from the description of the mock, with the token of its control plane and its
/// certificate, if it has them.
pub(super) fn set(
    command: &mut Command,
    description: &Value,
    admin_token: Option<&str>,
    certificate: Option<&Path>,
) {
    match admin_token {
        Some(token) => command.env(ADMIN_TOKEN, token),
        None => command.env_remove(ADMIN_TOKEN),
    };
    match certificate {
        Some(file) => command.env(CA_FILE, file),
        None => command.env_remove(CA_FILE),
    };
    for name in NAMES {
        match value(name, description) {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    for name in ["NO_PROXY", "no_proxy"] {
        let all = match std::env::var(name) {
            Ok(others) if !others.is_empty() => format!("{others},{LOOPBACK}"),
            Ok(_) | Err(_) => LOOPBACK.to_owned(),
        };
        command.env(name, all);
    }
}

/// The variables of a client that is not started here: all that the world has a value for.
pub(super) fn variables(description: &Value) -> Vec<(&'static str, String)> {
    let values = NAMES.iter().map(|name| Some((*name, value(name, description)?)));
    values.flatten().collect()
}

fn value(name: &str, description: &Value) -> Option<String> {
    let ours = &description["applications"][0]["company"];
    match name {
        "MOOT_BASE_URL" => text(&description["base_url"]),
        "MOOT_TOKEN_URL" => text(&description["token_url"]),
        "MOOT_ADMIN_URL" => text(&description["admin_url"]),
        "MOOT_SEED" => Some(description["seed"].to_string()),
        "MOOT_REQUESTER_EMAIL" => text(&description["users"][ours.as_str()?][0]),
        "MOOT_GENERATED_WORKFLOW_ID" => {
            workflow(description, ours, |kind| !kind.contains(THIRD_PARTY))
        }
        "MOOT_THIRD_PARTY_WORKFLOW_ID" => {
            workflow(description, ours, |kind| kind.contains(THIRD_PARTY))
        }
        _ => credential(name, description, ours),
    }
}

/// A member of an application: of our company with exactly these scopes, or of the other company with
/// the most scopes.
fn credential(name: &str, description: &Value, ours: &Value) -> Option<String> {
    let (role, member) = match name.strip_suffix("CLIENT_ID") {
        Some(role) => (role, "client_id"),
        None => (name.strip_suffix("CLIENT_SECRET")?, "client_secret"),
    };
    let all = description["applications"].as_array()?.iter();
    let scopes = |one: &Value| one["scopes"].as_array().map_or(0, Vec::len);
    let may = |one: &Value, scope: &str| one["scopes"][0] == scope && scopes(one) == 1;
    let mut own = all.clone().filter(|one| &one["company"] == ours);
    let found = match role {
        "MOOT_" => own.find(|one| scopes(one) > 1),
        "MOOT_READER_" => own.find(|one| may(one, "read")),
        "MOOT_WRITER_" => own.find(|one| may(one, "write")),
        _ => all.rev().filter(|one| &one["company"] != ours).max_by_key(|one| scopes(one)),
    };
    text(&found?[member])
}

/// The first published workflow of our company with a type like this.
fn workflow(description: &Value, ours: &Value, is_wanted: fn(&str) -> bool) -> Option<String> {
    let found = description["workflows"].as_array()?.iter().find(|one| {
        let is_of_type = one["type"].as_str().is_some_and(is_wanted);
        &one["company"] == ours && one["status"] == "published" && is_of_type
    });
    text(&found?["id"])
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
