//! A mock with data for every view.

use serde_json::{Value, json};

use super::driver::Browser;
use super::served::Mock;

/// The views of a live mock.
pub(super) const VIEWS: [&str; 9] = [
    "calls",
    "requests",
    "clock",
    "deliveries",
    "faults",
    "limit",
    "conduct",
    "drills",
    "sandboxes",
];

/// A mock with calls, legal requests, deliveries, faults and a sandbox.
pub(super) struct FilledMock {
    pub(super) mock: Mock,
    /// A legal request with a delivery.
    pub(super) request: String,
    /// The number of the refused call.
    pub(super) refused: u64,
}

impl FilledMock {
    pub(super) fn start() -> Self {
        let mock = Mock::start(&[], &[]);
        let token = mock.token();
        mock.call("GET /v1/workflows", &token, &["user-agent: contract-client/2.4"], b"");
        let receiver = format!("http://127.0.0.1:{}/__admin/receiver", mock.port);
        mock.webhook(&token, &json!({ "name": "executions", "url": receiver, "auth_type": "bearer", "token": "s3cret" }));
        let request = mock.create(&token, "Ada Sample");
        let path = format!("/legal_requests/{request}");
        for status in ["sent_for_signature", "signed"] {
            let comment = format!("The counterparty: {status}");
            let body = json!({ "status": status, "force": true, "comment": comment });
            mock.admin("POST", &format!("{path}/status"), body);
        }
        mock.admin("POST", "/deliveries/settle", json!({}));
        mock.admin("PUT", "/settings", json!({ "progression": "timed:3600" }));
        mock.create(&token, "Grace Sample");
        let get = |path: &str| mock.call(&format!("GET {path}"), &token, &[], b"");
        get(&format!("/v1/requests/{request}"));
        get("/v1/requests?page=2&page_size=25");
        get("/v1/requests/unknown0");
        let refused = mock.admin("GET", "/exchanges?limit=1", Value::Null);
        let refused = refused["exchanges"][0]["serial"].as_u64().expect("a number");
        mock.admin(
            "POST",
            "/faults",
            json!({ "kind": "status", "status": 503, "operation": "list_workflows" }),
        );
        get("/v1/workflows");
        mock.admin(
            "POST",
            "/faults",
            json!({ "kind": "commit_then_fail", "operation": "create_legal_request" }),
        );
        mock.call("GET /v1/webhooks", "expired", &[], b"");
        mock.admin("POST", "/sandboxes", json!({ "lease_seconds": 3600 }));
        Self { mock, request, refused }
    }

    /// The addresses of all views, of one call and of one legal request.
    pub(super) fn addresses(&self) -> Vec<String> {
        let views = VIEWS.iter().map(|view| format!("#/{view}"));
        let ones = [format!("#/calls/{}", self.refused), format!("#/requests/{}", self.request)];
        views.chain(ones).collect()
    }
}

/// Opens a view again, and waits until it has loaded its data.
#[track_caller]
pub(super) fn open_view(browser: &Browser, mock: &Mock, place: &str) {
    browser.open("about:blank");
    browser.open(&mock.page(place));
    browser
        .wait("['live', 'refused'].includes(document.querySelector('#connection')?.dataset.state)");
    let trouble = "#notice:not([hidden])";
    let shown = match place.trim_start_matches("#/").split_once('/') {
        Some(("calls", _)) => ".detail h2",
        Some(("requests", _)) => ".picture svg",
        _ => match place.trim_start_matches("#/") {
            "limit" => "main .subtitle:not(:empty)",
            "conduct" => "main .card, main .empty:not([hidden])",
            "drills" => "main code",
            "sandboxes" => "main [data-name=conduct]:not(:empty)",
            "calls" | "requests" | "clock" | "deliveries" | "faults" => {
                "main tbody tr, main .empty:not([hidden])"
            }
            _ => "main h1",
        },
    };
    browser.wait(&format!("document.querySelector('{shown}, {trouble}')"));
    browser.wait("![...document.querySelectorAll('main p')].some((one) => one.innerText === '…')");
}
