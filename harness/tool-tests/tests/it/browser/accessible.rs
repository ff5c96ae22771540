//! The console with assistive technology: axe-core finds nothing in any view and theme. Then pictures are taken, for
//! people to look at.

use serde_json::{Value, json};

use super::driver::Browser;
use super::served::Mock;

const AXE: &str = include_str!("../../../assets/axe-core/axe.min.js");
const RULES: &str = "axe.run(document, { resultTypes: ['violations'] }).then(
  (found) => arguments[arguments.length - 1](found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).slice(0, 3).join(' | ')}`)),
  (error) => arguments[arguments.length - 1]([String(error)]))";

/// A world in which each view has something to show.
fn filled(mock: &Mock) -> String {
    let token = mock.token();
    let hook = json!({ "name": "Own", "url": format!("http://127.0.0.1:{}/__admin/receiver", mock.port),
        "auth_type": "bearer", "token": "receiver-token" });
    let json_head = ["content-type: application/json"];
    mock.call("POST /v1/webhooks", &token, &json_head, hook.to_string().as_bytes());
    let id = mock.create(&token, "Ada Sample");
    mock.call(&format!("GET /v1/requests/{id}"), &token, &[], b"");
    mock.call("GET /v1/requests/unknown0", &token, &[], b"");
    mock.call("GET /v1/workflows", "no-token", &[], b"");
    mock.admin("PUT", "/receiver", json!({ "statuses": [503, 200] }));
    let signed = json!({ "status": "signed", "force": true, "comment": "Signed by hand" });
    mock.admin("POST", &format!("/legal_requests/{id}/status"), signed);
    mock.admin("POST", "/deliveries/settle", Value::Null);
    mock.admin("PUT", "/settings", json!({ "progression": "timed:3600" }));
    mock.create(&token, "Ben Sample");
    mock.admin(
        "POST",
        "/faults",
        json!({ "kind": "status", "status": 503, "operation": "list_webhooks" }),
    );
    mock.call("GET /v1/webhooks", &token, &[], b"");
    mock.admin("PUT", "/rate_limit", json!({ "mode": "enforce", "exhaust": "192.0.2.1" }));
    mock.admin("POST", "/sandboxes", json!({ "lease_seconds": 3600, "clock": "frozen" }));
    id
}

#[test]
fn axe_finds_nothing_in_any_view_and_theme() {
    let mock = Mock::start(&["--clock", "frozen:2026-03-05T14:30:00Z"], &[]);
    let id = filled(&mock);
    let browser = Browser::start();
    let views = [
        ("calls", "#/calls".to_owned(), "list_webhooks"),
        ("call", "#/calls/4".to_owned(), "Next such call"),
        ("requests", "#/requests".to_owned(), "Mutual NDA"),
        ("request", format!("#/requests/{id}"), "Time line"),
        ("clock", "#/clock".to_owned(), "initial_review"),
        ("deliveries", "#/deliveries".to_owned(), "execution_complete"),
        ("faults", "#/faults".to_owned(), "spent"),
        ("limit", "#/limit".to_owned(), "192.0.2.1"),
        ("conduct", "#/conduct".to_owned(), "Instead"),
        ("sandboxes", "#/sandboxes".to_owned(), "stands still"),
    ];
    let mut violations = Vec::new();
    for (name, view, word) in &views {
        browser.open("about:blank");
        browser.open(&mock.page(view));
        browser.wait_text("main", word);
        browser.wait("document.querySelector('#connection').dataset.state === 'live'");
        for theme in ["light", "dark"] {
            browser.theme(theme);
            browser.run(&format!("if (!window.axe) {{ {AXE} }}"));
            let found = browser.run_async(RULES);
            let found = found.as_array().cloned().unwrap_or_default();
            violations.extend(found.into_iter().map(|found| format!("{name}, {theme}: {found}")));
            for width in [1280, 400] {
                browser.size(width, 860);
                browser.picture(&format!("{name}-{theme}-{width}"));
            }
            browser.size(1280, 860);
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    assert_eq!(browser.complaints(), [""; 0]);
}
