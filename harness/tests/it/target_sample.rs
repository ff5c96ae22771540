//! Samples for tests of targets: requests, and a deployment on a loopback server.

use std::path::Path;
use std::sync::Arc;

use moot_harness::client::{ClientBody, ClientRequest, FormPart, target_file};
use moot_harness::exchange::masks::Masks;
use moot_harness::run::environment::{Environment, OpenError, TargetOptions};
use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A request without body.
pub(crate) fn call(method: &str, path: &str) -> ClientRequest {
    ClientRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        operation: None,
        headers: Vec::new(),
        keeps_token: false,
        body: ClientBody::Empty,
        application: "main".to_owned(),
        tag_scenario: "sample/scenario".into(),
    }
}

/// A request with a token.
pub(crate) fn call_with(method: &str, path: &str, token: &str) -> ClientRequest {
    let headers = vec![("Authorization".to_owned(), format!("Bearer {token}"))];
    ClientRequest { headers, ..call(method, path) }
}

/// A request with text parts.
pub(crate) fn upload(path: &str, parts: &[(&str, &str)]) -> ClientRequest {
    let parts = parts.iter().map(|(name, value)| FormPart::text(*name, *value)).collect();
    ClientRequest { body: ClientBody::Multipart(parts), ..call("POST", path) }
}

/// A request with a JSON body.
pub(crate) fn json_call(path: &str, body: &serde_json::Value) -> ClientRequest {
    let body = ClientBody::bytes("application/json", body.to_string());
    ClientRequest { body, ..call("POST", path) }
}

/// A server that issues tokens `token-1`, `token-2`, … and has no workflows.
pub(crate) async fn service() -> MockServer {
    let server = MockServer::start().await;
    let issued = std::sync::atomic::AtomicU32::new(0);
    Mock::given(method("POST"))
        .and(path("/api/oauth/token"))
        .respond_with(move |_: &wiremock::Request| {
            let number = issued.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
            ResponseTemplate::new(200).set_body_json(json!({
                "access_token": format!("token-{number}"), "expires_in": 7200,
            }))
        })
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .and(path("/api/v1/workflows"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({
            "data": [], "pagination": { "total_pages": 0 },
        })))
        .mount(&server)
        .await;
    server
}

/// Opens this address as a deployment without a pace. `more` is added to the target file. The ledger is in `folder`.
pub(crate) async fn open(
    base_url: &str,
    more: &str,
    folder: &Path,
    masks: &Arc<Masks>,
) -> Result<Environment, OpenError> {
    open_with(base_url, more, folder, masks, TargetOptions::default()).await
}

/// As [`open`], with this use of the target.
pub(crate) async fn open_with(
    base_url: &str,
    more: &str,
    folder: &Path,
    masks: &Arc<Masks>,
    options: TargetOptions,
) -> Result<Environment, OpenError> {
    let text = format!(
        "base_url: {base_url}\n\
         applications: {{ main: {{ client_id: id, client_secret: top-secret-value }} }}\n\
         admin: none\n\
         limits:\n  requests_per_minute: 0\n  token_requests_per_minute: 0\n  \
         created_objects_max: 2\n\
         ledger: ledger.ndjson\n{more}\n"
    );
    let file = target_file::from_text(&text, &folder.join("target.yaml"), &|_| None)
        .unwrap_or_else(|error| panic!("the sample is sound, but: {error}"));
    let options = TargetOptions { run_tag: "t1".to_owned(), ..options };
    Environment::over_http(file, options, masks.clone()).await
}
