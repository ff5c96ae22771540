//! The views of the console on a live mock.

use serde_json::{Value, json};

use super::driver::{Browser, ENTER, ESCAPE, TAB};
use super::served::Mock;

/// Opens the list of calls, and waits until it is shown.
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
    // The filter is in the address, so that a link can have it.
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
fn a_paused_list_counts_new_calls_and_keeps_its_rows() {
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
    // Rows are updated in place, so the focus does not move.
    browser.wait("window.row.isConnected && window.row.contains(document.activeElement)");
}

#[test]
fn rows_that_were_loading_when_the_list_was_paused_are_not_shown() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    mock.call("GET /v1/workflows", &token, &[], b"");
    opened(&browser, &mock, "#/calls");
    browser.wait("document.querySelectorAll('tbody tr').length === 1");
    // The next load is held until `release` is called.
    browser.run(
        "const original = window.fetch;
         window.fetch = async (address, options) => {
           const response = await original(address, options);
           if (!String(address).includes('exchanges?')) return response;
           await new Promise((done) => { window.release = done; });
           window.fetch = original;
           return response;
         };",
    );
    mock.admin("DELETE", "/exchanges", Value::Null);
    browser.wait("Boolean(window.release)");
    browser.run("document.querySelector('tbody a').focus()");
    browser.press("p");
    browser.wait_text("#pause", "Resume · 0 new");
    mock.call("GET /v1/requests", &token, &[], b"");
    browser.wait_text("#pause", "Resume · 1 new");
    browser.run("window.release()");
    mock.call("GET /v1/webhooks", &token, &[], b"");
    browser.wait_text("#pause", "Resume · 2 new");
    browser.wait_text("tbody", "list_workflows");
    assert_eq!(browser.count("tbody tr"), 1);
    // The list is loaded when it resumes: the cleared call is gone.
    browser.press("p");
    browser.wait("!document.querySelector('tbody').innerText.includes('list_workflows')");
    browser.wait("document.querySelectorAll('tbody tr').length === 2");
}

#[test]
fn two_findings_of_one_rule_are_each_shown_once() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    mock.call("GET /v1/webhooks", &token, &[], b"");
    mock.call("GET /v1/repository_documents", &token, &[], b"");
    opened(&browser, &mock, "#/conduct");
    let shown = "[...document.querySelectorAll('.card code')].filter((one) => one.innerText === 'first-page-only').length";
    browser.wait(&format!("{shown} === 2"));
    // The page loads again after a call.
    mock.call("GET /v1/webhooks", &token, &[], b"");
    let with_two_calls = "[...document.querySelectorAll('.card')].some((one) => one.querySelector('code').innerText \
         === 'first-page-only' && one.querySelectorAll('.links a').length === 2)";
    browser.wait(with_two_calls);
    browser.wait(&format!("{shown} === 2"));
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
    // Each button shows the equivalent command.
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
fn a_restart_of_the_mock_loses_and_duplicates_no_call() {
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

/// A browser has only six connections for all pages of a host.
#[test]
fn many_tabs_of_the_console_all_work() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    mock.call("GET /v1/workflows", &token, &[], b"");
    opened(&browser, &mock, "#/calls");
    for _ in 0..8 {
        browser.tab();
        opened(&browser, &mock, "#/calls");
        browser.wait("document.querySelectorAll('tbody tr').length === 1");
    }
    mock.call("GET /v1/requests", &token, &[], b"");
    browser.wait_text("tbody", "list_legal_requests");
    browser.show_tab(0);
    browser.wait_text("tbody", "list_legal_requests");
    mock.call("GET /v1/webhooks", &token, &[], b"");
    browser.wait_text("tbody", "list_webhooks");
}

#[test]
fn the_console_asks_once_for_the_token_and_keeps_it_in_memory() {
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

/// A user of the page makes the response to the next creation fail, after the creation was done.
#[test]
fn the_next_creation_fails_after_it_was_done() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    mock.create(&token, "Ada Sample");
    opened(&browser, &mock, "");
    browser.wait_text("tbody", "create_legal_request");
    browser.click("tbody tr");
    browser.wait("document.querySelector('#next-fault')");
    choose(&browser, "next-fault", "after");
    click_on(&browser, "Arm");
    browser.wait_text(".detail", "is armed: it strikes the next create_legal_request");
    browser.wait_text("#strip-command", "commit_then_fail");
    let count = || mock.admin("GET", "/legal_requests", Value::Null)["count"].as_u64();
    let before = count().expect("a number");
    let failed = mock.try_create(&token, "Grace Sample");
    assert_eq!(failed.status, 500);
    assert_eq!(count(), Some(before + 1), "the work was done");
    browser.wait_text("tbody tr", "fault");
    // Only the next one.
    assert_eq!(mock.try_create(&token, "Edsger Sample").status, 201);
    browser.press("5");
    browser.wait_text("tbody", "1 of 1, spent");
}

/// Chooses the option whose text has a word.
#[track_caller]
fn choose(browser: &Browser, id: &str, word: &str) {
    let (id, word) = (json!(id), json!(word));
    let script = format!(
        "const field = document.getElementById({id});
        const option = [...field.options].find((one) => one.text.includes({word}));
        if (option) {{ field.value = option.value; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }}
        return Boolean(option);"
    );
    assert_eq!(browser.run(&script), true, "no option has {word}");
}

/// Clicks on the button with this text.
#[track_caller]
fn click_on(browser: &Browser, text: &str) {
    let text = json!(text);
    let script = format!(
        "const found = [...document.querySelectorAll('main button')].filter((one) => one.innerText === {text});
        found[0]?.click();
        return found.length;"
    );
    assert_eq!(browser.run(&script), 1, "one button says {text}");
}
