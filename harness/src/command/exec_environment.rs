//! The environment variables by which a command under `moot exec` or `moot drill` finds the mock.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;
use tokio::process::Command;

use super::serve::ADMIN_TOKEN;

/// Part of the type of workflows for a document of the counterparty. The specification leaves the rest of it open.
const THIRD_PARTY: &str = "third";
/// The address of the mock, which must not be called through a proxy.
const LOOPBACK: &str = "127.0.0.1";

/// Variable with the file of the mock's certificate, which a client must trust.
const CA_FILE: &str = "MOOT_CA_FILE";

/// Sets the variables from the description of the mock, its control plane token and its certificate. A variable without
/// a value is removed, so that the command does not use one of another service by mistake.
pub(super) fn set(
    command: &mut Command,
    description: &Value,
    admin_token: Option<&str>,
    certificate: Option<&Path>,
) {
    let own = [
        (ADMIN_TOKEN, admin_token.map(OsString::from)),
        (CA_FILE, certificate.map(OsString::from)),
    ];
    let described = variables(description).map(|(name, value)| (name, value.map(OsString::from)));
    for (name, value) in own.into_iter().chain(described) {
        match value {
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

/// The value of one variable; empty if the world has none.
pub(super) fn variable(description: &Value, name: &str) -> String {
    let mut all = variables(description).into_iter();
    all.find(|(known, _)| *known == name).and_then(|(_, value)| value).unwrap_or_default()
}

/// All variables with their values. "Our" company is that of the first application.
pub(super) fn variables(description: &Value) -> [(&'static str, Option<String>); 15] {
    let ours = &description["applications"][0]["company"];
    let applications = || description["applications"].as_array().into_iter().flatten();
    let own = || applications().filter(|one| &one["company"] == ours);
    let scopes = |one: &Value| one["scopes"].as_array().map_or(0, Vec::len);
    let may_only = |scope: &str| own().find(|one| one["scopes"][0] == scope && scopes(one) == 1);
    let main = own().find(|one| scopes(one) > 1);
    let (reader, writer) = (may_only("read"), may_only("write"));
    let others = applications().rev().filter(|one| &one["company"] != ours);
    let other = others.max_by_key(|one| scopes(one));
    let member = |one: Option<&Value>, name: &str| text(&one?[name]);
    let workflow = |is_wanted| workflow(description, ours, is_wanted);
    [
        ("MOOT_BASE_URL", text(&description["base_url"])),
        ("MOOT_TOKEN_URL", text(&description["token_url"])),
        ("MOOT_ADMIN_URL", text(&description["admin_url"])),
        ("MOOT_SEED", Some(description["seed"].to_string())),
        ("MOOT_CLIENT_ID", member(main, "client_id")),
        ("MOOT_CLIENT_SECRET", member(main, "client_secret")),
        ("MOOT_READER_CLIENT_ID", member(reader, "client_id")),
        ("MOOT_READER_CLIENT_SECRET", member(reader, "client_secret")),
        ("MOOT_WRITER_CLIENT_ID", member(writer, "client_id")),
        ("MOOT_WRITER_CLIENT_SECRET", member(writer, "client_secret")),
        ("MOOT_OTHER_CLIENT_ID", member(other, "client_id")),
        ("MOOT_OTHER_CLIENT_SECRET", member(other, "client_secret")),
        ("MOOT_REQUESTER_EMAIL", text(&description["users"][ours.as_str().unwrap_or_default()][0])),
        ("MOOT_GENERATED_WORKFLOW_ID", workflow(|kind| !kind.contains(THIRD_PARTY))),
        ("MOOT_THIRD_PARTY_WORKFLOW_ID", workflow(|kind| kind.contains(THIRD_PARTY))),
    ]
}

/// The first published workflow of our company with a wanted type.
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
