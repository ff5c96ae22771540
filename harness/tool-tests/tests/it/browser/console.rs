//! The console: walks through its views against a live mock.

use serde_json::{Value, json};

use super::driver::{Browser, ENTER, ESCAPE, TAB};
use super::served::Mock;

/// Opens the list of calls and waits until it is there.
#[track_caller]
fn opened(browser: &Browser, mock: &Mock, view: &str) {
    browser.open("about:blank");
    browser.open(&mock.page(view));
    browser.wait("document.querySelector('#connection')?.dataset.state === 'live'");
}

#[test]
fn a_new_user_finds_out_why_a_call_was_refused() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    opened(&browser, &mock, "");
    browser.wait_text("main", "No call yet");
    mock.call("GET /v1/workflows", &token, &[], b"");
    mock.call("GET /v1/requests/unknown0", &token, &[], b"");
    browser.wait_text("main", "request_not_found");
    assert_eq!(browser.count("tbody tr"), 2);
    browser.click("tbody tr:first-child");
    browser.wait_text(".detail", "§4.7");
    for word in ["existence", "demo-main", "/v1/requests/unknown0", "\"status\": 404"] {
        browser.wait_text(".detail", word);
    }
    // The filter is in the address, so that it can be sent to somebody.
    browser.open(&mock.page("#/calls?status=2xx"));
    browser.wait("document.querySelectorAll('tbody tr').length === 1");
    browser.wait_text("tbody tr", "list_workflows");
    mock.call("GET /v1/requests/unknown1", &token, &[], b"");
    mock.call("GET /v1/requests", &token, &[], b"");
    browser.wait_text("tbody", "list_legal_requests");
    assert_eq!(browser.count("tbody tr"), 2, "the filter holds for what comes later");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_paused_list_says_what_waits_and_keeps_its_rows() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    mock.call("GET /v1/workflows", &token, &[], b"");
    opened(&browser, &mock, "#/calls");
    browser.wait("document.querySelectorAll('tbody tr').length === 1");
    browser.run("document.querySelector('tbody a').focus(); window.row = document.querySelector('tbody tr')");
    browser.press("p");
    browser.wait_text("#pause", "Resume · 0 new");
    mock.call("GET /v1/requests", &token, &[], b"");
    mock.call("GET /v1/webhooks", &token, &[], b"");
    browser.wait_text("#pause", "Resume · 2 new");
    assert_eq!(browser.count("tbody tr"), 1);
    browser.press("p");
    browser.wait("document.querySelectorAll('tbody tr').length === 3");
    // Rows are patched: the focus is where it was.
    browser.wait("window.row.isConnected && window.row.contains(document.activeElement)");
}

#[test]
fn a_request_is_declined_by_keyboard_alone() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let id = mock.create(&mock.token(), "Ada Sample");
    let path = format!("/legal_requests/{id}");
    let force = json!({ "status": "sent_for_signature", "force": true });
    mock.admin("POST", &format!("{path}/status"), force);
    opened(&browser, &mock, "");
    browser.press("2");
    browser.wait_text("tbody", &id);
    browser.press("j");
    browser.wait(&format!("document.activeElement.innerText === {}", json!(id)));
    browser.press(ENTER);
    browser.wait_text("main", "Play the other side");
    browser.wait(
        "[...document.querySelectorAll('main button')].some(one => one.innerText === 'Declined')",
    );
    for _ in 0..40 {
        if browser.run("return document.activeElement.innerText") == "Declined" {
            break;
        }
        browser.press(TAB);
    }
    browser.wait("document.activeElement.innerText === 'Declined'");
    // Each button shows the command that does the same.
    browser.wait_text("#strip-command", &format!("__admin{path}/status"));
    browser.press(ENTER);
    browser.wait_text(".subtitle", "declined");
    assert_eq!(mock.admin("GET", &path, Value::Null)["status"], "declined");
    browser.wait_text("main", "Status changed to declined");
    browser.press("?");
    browser.wait("document.querySelector('#keys').open");
    browser.press(ESCAPE);
    browser.wait("!document.querySelector('#keys').open");
}

#[test]
fn the_next_creation_fails_after_it_was_done() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    mock.create(&token, "Ada Sample");
    opened(&browser, &mock, "#/calls/2");
    browser.wait_text(".detail", "Next such call");
    browser.run("const choice = document.querySelector('#next-fault'); choice.value = [...choice.options].find(one => one.text.includes('after the work is done')).value");
    browser.run("[...document.querySelectorAll('.detail button')].find(one => one.innerText === 'Arm').click()");
    browser.wait_text(".detail", "is armed");
    let counted = || mock.admin("GET", "/legal_requests?limit=1", Value::Null)["count"].as_u64();
    let before = counted();
    assert_eq!(mock.try_create(&token, "Ben Sample").status, 500);
    assert_eq!(counted(), before.map(|count| count + 1), "the work is done");
    browser.wait_text("tbody", "fault commit_then_fail");
    browser.open(&mock.page("#/faults"));
    browser.wait_text("tbody", "1 of 1, spent");
}

#[test]
fn the_clock_the_limit_and_sandboxes_follow_their_buttons() {
    let (browser, mock) =
        (Browser::start(), Mock::start(&["--clock", "frozen:2026-03-05T14:30:00Z"], &[]));
    mock.admin("PUT", "/settings", json!({ "progression": "timed:3600" }));
    let id = mock.create(&mock.token(), "Ada Sample");
    opened(&browser, &mock, "#/clock");
    browser.wait_text("#now", "2026-03-05 14:30:00");
    browser.wait_text("tbody", "draft -> initial_review");
    let press = |label: &str| {
        browser.run(&format!(
            "[...document.querySelectorAll('main button')].find(one => one.innerText === {}).click()",
            json!(label)
        ));
    };
    press("To the next thing due");
    browser.wait_text("#now", "2026-03-05 15:30:00");
    browser.wait_text("main", "draft -> initial_review");
    let shown = mock.admin("GET", &format!("/legal_requests/{id}"), Value::Null);
    assert_eq!(shown["status"], "initial_review");
    browser.open(&mock.page("#/limit"));
    browser.wait_text("main", "mode off");
    press("Enforce");
    browser.wait_text("main", "mode enforce");
    browser.open(&mock.page("#/sandboxes"));
    browser.wait_text("main", "New sandbox");
    press("New sandbox");
    browser.wait_text("tbody", "1 h left");
    browser.click("tbody a");
    browser.wait_text("#world", "sandbox s1");
    browser.wait_text("main", "No call yet");
}

#[test]
fn a_restart_of_the_mock_loses_and_doubles_nothing() {
    let (browser, mut mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    for _ in 0..3 {
        mock.call("GET /v1/workflows", &token, &[], b"");
    }
    opened(&browser, &mock, "#/calls");
    browser.wait("document.querySelectorAll('tbody tr').length === 3");
    mock.kill();
    browser.wait_text("#connection", "no connection");
    let again = Mock::start_at(mock.port, &[], &[]);
    let token = again.token();
    again.call("GET /v1/requests", &token, &[], b"");
    again.call("GET /v1/webhooks", &token, &[], b"");
    browser.wait_text("#connection", "live");
    browser.wait("document.querySelectorAll('tbody tr').length === 2");
    browser.wait_text("tbody", "list_webhooks");
    again.call("GET /v1/workflows", &token, &[], b"");
    browser.wait("document.querySelectorAll('tbody tr').length === 3");
}

#[test]
fn hostile_values_stay_text() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    let markup = "<img src=x onerror=alert(1)><script>document.title='taken'</script>";
    let id = mock.create(&token, &format!("{markup} \u{202e}gnp.exe"));
    let agent = format!("user-agent: {markup}");
    let body = format!("{{\"name\": \"{markup}\", \"url\": \"{}\"}}", "x".repeat(1 << 20));
    let head = [agent.as_str(), "content-type: application/json"];
    mock.call("POST /v1/webhooks", &token, &head, body.as_bytes());
    mock.call(
        "GET /v1/%3Cscript%3Ealert(1)%3C%2Fscript%3E?q=%22%3E%3Csvg%20onload=alert(1)%3E",
        &token,
        &head,
        b"",
    );
    mock.admin("POST", &format!("/legal_requests/{id}/comments"), json!({ "comment": markup }));
    for view in [
        "#/calls",
        "#/calls/2",
        "#/calls/3",
        "#/calls/4",
        "#/requests",
        &format!("#/requests/{id}"),
        "#/conduct",
    ] {
        opened(&browser, &mock, view);
        browser.wait("document.querySelector('main h1')");
        browser.wait("!document.querySelector('.detail')?.innerText.startsWith('…')");
        assert_eq!(browser.count("main script, main img, main svg[onload]"), 0, "{view}");
        assert_ne!(browser.run("return document.title"), "taken", "{view}");
        let width = browser.run("return document.documentElement.scrollWidth - innerWidth");
        assert!(width.as_i64() <= Some(0), "{view} is wider than the window: {width}");
    }
    opened(&browser, &mock, &format!("#/requests/{id}"));
    browser.wait_text("main", markup);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn ten_thousand_calls_stay_usable() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    opened(&browser, &mock, "#/calls");
    mock.call_often(&token, 10_000);
    browser.wait_text("#count", "10,000 calls");
    assert_eq!(browser.count("tbody tr"), 200);
    mock.call("GET /v1/requests/last0000", &token, &[], b"");
    browser.wait_text("tbody tr:first-child", "last0000");
    browser.run("document.querySelector('.more').click()");
    browser.wait("document.querySelectorAll('tbody tr').length === 400");
}

#[test]
fn a_token_is_asked_for_once_and_kept_in_memory() {
    let mock = Mock::start(&[], &[("MOOT_ADMIN_TOKEN", "admin-token")]);
    let browser = Browser::start();
    browser.open(&mock.page("#/calls"));
    browser.wait("document.querySelector('#token').open");
    browser.press("wrong");
    browser.press(ENTER);
    browser.wait_text("#token-wrong", "refused");
    browser.press("admin-token");
    browser.press(ENTER);
    browser.wait_text("main", "No call yet");
    browser.wait("document.querySelector('#connection').dataset.state === 'live'");
    assert_eq!(
        browser.run("return localStorage.length + sessionStorage.length + document.cookie.length"),
        0
    );
    let address = browser.run("return location.href");
    assert!(!address.to_string().contains("admin-token"), "{address}");
    browser.press("5");
    browser.wait_text("main", "No fault is armed");
    assert_eq!(browser.run("return document.querySelector('#token').open"), false);
}
