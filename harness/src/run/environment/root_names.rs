//! The root names of a session: `run`, `target`, `bindings`, `contract`.

use moot_fixtures::contract::{self, LegalRequestStatus, Operation, TokenNeed, WorkflowStatus};
use secrecy::ExposeSecret;
use serde_json::{Map, Value, json};

use crate::client::destination::RequestDestination;
use crate::client::secret_forms;

/// All root names. A secret is `{"$secret": text, "all_but_last": …, "other_case": …}`. Used alone, its value is the
/// text.
pub(crate) fn roots(
    destination: &RequestDestination,
    run_tag: &str,
    now_seconds: i64,
) -> Vec<(String, Value)> {
    let run = json!({ "tag": run_tag, "now_seconds": now_seconds });
    vec![
        ("run".to_owned(), run),
        ("target".to_owned(), target(destination)),
        ("bindings".to_owned(), Value::Object(destination.bindings.clone())),
        ("contract".to_owned(), contract()),
    ]
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
    let operations = |need: &dyn Fn(TokenNeed) -> bool| -> Vec<&str> {
        let all = Operation::ALL.into_iter();
        all.filter(|operation| need(operation.token())).map(Operation::as_str).collect()
    };
    json!({
        "legal_request_statuses": LegalRequestStatus::ALL.map(LegalRequestStatus::as_str),
        "workflow_statuses": WorkflowStatus::ALL.map(WorkflowStatus::as_str),
        "operations_with_bearer": operations(&|need| need != TokenNeed::None),
        "read_operations": operations(&|need| need == TokenNeed::Read),
        "write_operations": operations(&|need| need == TokenNeed::Write),
        "limits": {
            "requests_per_minute_max": contract::REQUESTS_PER_MINUTE_MAX,
            "token_lifetime_seconds": contract::TOKEN_LIFETIME_SECONDS,
            "page_min": contract::PAGE_MIN,
            "page_size_example": contract::PAGE_SIZE_EXAMPLE,
            "support_document_bytes_certain": contract::SUPPORT_DOCUMENT_BYTES_CERTAIN,
        },
    })
}
