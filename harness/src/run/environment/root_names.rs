//! The root names of a session: `run`, `target`, `bindings`, `contract`.

use moot_fixtures::contract::{LegalRequestStatus, Operation, TokenNeed};
use secrecy::ExposeSecret;
use serde_json::{Map, Value, json};

use crate::client::destination::RequestDestination;
use crate::client::secret_forms;
use crate::scenario::names::Names;

/// All root names. A secret is `{"$secret": text, "all_but_last": …, "other_case": …}`. Used alone, its value is the
/// text.
pub(crate) fn roots(
    destination: &RequestDestination,
    run_tag: &str,
    now_seconds: i64,
    pages_max: u64,
) -> Names {
    let mut names = Names::default();
    let run = json!({ "tag": run_tag, "now_seconds": now_seconds, "pages_max": pages_max });
    names.set("run", run);
    names.set("target", target(destination));
    let mut bindings = destination.bindings.clone();
    if let Some(address) = bindings.get("document_url").and_then(Value::as_str) {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        bindings.insert("document_url_by_http".to_owned(), format!("http://{rest}").into());
    }
    names.set("bindings", Value::Object(bindings));
    names.set("contract", contract());
    names
}

fn target(destination: &RequestDestination) -> Value {
    let mut target: Map<String, Value> = destination
        .applications
        .iter()
        .map(|(role, application)| {
            let secret = application.client_secret.expose_secret();
            let members = json!({
                "client_id": application.client_id,
                "client_secret": secret_forms::as_name(secret),
                "basic": secret_forms::basic(&application.client_id, secret),
                "wrong_basic": secret_forms::wrong_basic(&application.client_id, secret),
                "basic_without_secret": secret_forms::basic(&application.client_id, ""),
                "scopes": application.scopes.as_str(),
            });
            (role.clone(), members)
        })
        .collect();
    let base_url = destination.base.as_str().trim_end_matches('/');
    target.insert("base_url".to_owned(), Value::String(base_url.to_owned()));
    Value::Object(target)
}

fn contract() -> Value {
    let with_bearer =
        Operation::ALL.into_iter().filter(|operation| operation.token() != TokenNeed::None);
    json!({
        "legal_request_statuses": LegalRequestStatus::ALL.map(LegalRequestStatus::as_str),
        "operations_with_bearer": with_bearer.map(Operation::as_str).collect::<Vec<_>>(),
    })
}
