//! The console shows hostile values of clients as text.

use serde_json::{Value, json};

use super::driver::Browser;
use super::filled::{VIEWS, open_view};
use super::served::Mock;

/// Markup, quotes, and marks that change the direction of a text without an end.
const HOSTILE: &str =
    "<script>struck=1</script><img src=x onerror=struck=2>\"'`&lt;\u{202e}\u{2067}fdp";
/// A part of it whose direction does not change.
const MARKUP: &str = "<script>struck=1</script><img src=x onerror=struck=2>";
/// The length of the longest value.
const LONG: usize = 1 << 20;
/// The longest text of the page. The longest value in the journal is the body of a response.
const TEXT_MAX: u64 = 70_000;

/// Counts elements that content must not create and listeners in attributes, and measures the longest text.
const FOUND: &str = "
const all = [...document.querySelectorAll('body *')];
const inner = [...document.querySelectorAll('main *, #strip *, #notice *')];
const made = inner.filter((one) => one.matches('script, img, iframe, object, embed, link, style, base, video, audio, marquee'));
const listeners = all.filter((one) => one.getAttributeNames().some((name) => name.startsWith('on') || name === 'srcdoc'));
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let longest = 0;
while (walker.nextNode()) longest = Math.max(longest, walker.currentNode.length);
return { struck: window.struck ?? null, made: made.map((one) => one.outerHTML.slice(0, 80)),
  listeners: listeners.map((one) => one.outerHTML.slice(0, 80)), longest,
  wide: document.documentElement.scrollWidth - innerWidth };";

/// A mock in which every field that the console shows has a hostile value.
fn hostile_mock() -> (Mock, String) {
    let mock = Mock::start(&[], &[]);
    let application =
        json!({ "client_secret": "a-secret-of-sixteen", "scopes": ["read", "write"] });
    let client_id = "%3Cscript%3Estruck=3%3C%2Fscript%3E";
    mock.admin("PUT", &format!("/applications/{client_id}"), application);
    let own = mock.admin("POST", "/tokens", json!({ "client_id": "<script>struck=3</script>" }));
    let own = own["access_token"].as_str().expect("a token").to_owned();
    let head = [format!("user-agent: {HOSTILE}"), format!("idempotency-key: {HOSTILE}")];
    let head = head.each_ref().map(String::as_str);
    let query = "name=\"'%3Cscript%3Estruck=4%3C/script%3E";
    mock.call(&format!("GET /v1/requests?{query}"), &own, &head, b"");
    mock.call("GET /v1/requests/%3Cscript%3Estruck=5%3C%2Fscript%3E\"'", &own, &head, b"");

    let token = mock.token();
    let name = HOSTILE.replace('"', "%22");
    let file = format!(
        "--b0\r\ncontent-disposition: form-data; name=\"support_documents[]\"; filename=\"{name}.pdf\"\r\n\
         content-type: application/pdf\r\n\r\n%PDF-1.4\r\n"
    );
    let made = mock.create_with(&token, HOSTILE, HOSTILE, &file);
    let id =
        made.json()["data"]["id"].as_str().unwrap_or_else(|| panic!("{}", made.json())).to_owned();
    let document = format!(
        "--b0\r\ncontent-disposition: form-data; name=\"metadata\"\r\n\r\n{}\r\n{}--b0--\r\n",
        json!({ HOSTILE: HOSTILE, "long": "A".repeat(40_000) }),
        file.replace("support_documents[]", "file"),
    );
    let form = ["content-type: multipart/form-data; boundary=b0"];
    mock.call("POST /v1/repository_documents", &token, &form, document.as_bytes());

    let receiver =
        format!("http://127.0.0.1:{}/__admin/receiver?{query}", mock.port).replace('"', "%22");
    let webhook =
        json!({ "name": HOSTILE, "url": receiver, "auth_type": "bearer", "token": "s3cret" });
    mock.webhook(&token, &webhook);
    let path = format!("/legal_requests/{id}");
    mock.admin("POST", &format!("{path}/comments"), json!({ "comment": HOSTILE }));
    let long = format!("{HOSTILE}{}", "A".repeat(LONG));
    mock.admin("POST", &format!("{path}/comments"), json!({ "comment": long }));
    mock.admin("POST", &format!("{path}/status"), json!({ "status": "signed", "force": true }));
    mock.admin("POST", "/deliveries/settle", json!({}));
    mock.admin("POST", "/receiver", json!({ HOSTILE: HOSTILE, "long": "A".repeat(LONG / 2) }));
    mock.admin("POST", "/faults", json!({ "kind": "close", "path": format!("/v1/{HOSTILE}*") }));
    mock.admin("POST", "/sandboxes", Value::Null);
    (mock, id)
}

#[test]
fn hostile_values_stay_text() {
    let (browser, (mock, id)) = (Browser::start(), hostile_mock());
    let calls = mock.admin("GET", "/exchanges", Value::Null);
    let serials = calls["exchanges"].as_array().expect("calls").iter().map(|one| &one["serial"]);
    let mut places: Vec<String> = VIEWS.iter().map(|view| format!("#/{view}")).collect();
    places.extend(serials.map(|serial| format!("#/calls/{serial}")));
    places.push(format!("#/requests/{id}"));
    // A filter comes from the address, so a link can have a hostile one.
    places.push("#/calls?path=%3Cscript%3Estruck=6%3C/script%3E%25".to_owned());
    places.push("#/calls/%3Cimg%20src=x%20onerror=struck=7%3E".to_owned());
    places.push("#/requests/%3Cimg%20src=x%20onerror=struck=8%3E%25".to_owned());
    places.push("#/%3Cscript%3E/%E0%A4%A".to_owned());
    let mut seen = String::new();
    for width in [1280, 400] {
        browser.size(width, 860);
        for place in &places {
            open_view(&browser, &mock, place);
            let found = browser.run(FOUND);
            assert_eq!(found["struck"], Value::Null, "{place}");
            assert_eq!((&found["made"], &found["listeners"]), (&json!([]), &json!([])), "{place}");
            assert!(found["longest"].as_u64() < Some(TEXT_MAX), "{place}: {}", found["longest"]);
            assert!(found["wide"].as_i64() <= Some(0), "{place} at {width}: {}", found["wide"]);
            seen.push_str(&format!("\n== {place}\n{}", browser.text("main")));
        }
    }
    // The page shows the values.
    let shown = |place: &str, what: &str| {
        let found = seen.split("\n== ").any(|part| part.starts_with(place) && part.contains(what));
        assert!(found, "{place} never shows {what}");
    };
    shown("#/requests\n", MARKUP);
    shown(&format!("#/requests/{id}\n"), MARKUP);
    shown(&format!("#/requests/{id}\n"), "1,046,");
    shown("#/faults\n", MARKUP);
    shown("#/deliveries\n", "answered 200");
    shown("#/calls\n", "<script>struck=3</script>");
    shown("#/calls/", MARKUP);
    let scripts = seen.matches("<script>struck=1").count();
    assert!(scripts > 8, "only {scripts} hostile values were shown");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_right_to_left_text_does_not_change_the_text_around_it() {
    let (browser, (mock, _)) = (Browser::start(), hostile_mock());
    browser.open(&mock.page("#/requests"));
    browser.wait_text("tbody", MARKUP);
    // The columns are below their headings, and text after a name reads from left to right.
    let turned = "return [...document.querySelectorAll('tbody tr')].filter((row) => [...row.children].some((cell, at) =>
        Math.abs(cell.getBoundingClientRect().left - document.querySelectorAll('thead th')[at].getBoundingClientRect().left) > 1)
        || getComputedStyle(row).direction !== 'ltr').length";
    assert_eq!(browser.run(turned), 0);
    browser.click("tbody tr");
    browser.wait_text(".subtitle", "created");
    let subtitle = browser.text(".subtitle");
    assert!(subtitle.contains("signed") && subtitle.contains("created"), "{subtitle}");
}
