//! The console with a full journal.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::driver::Browser;
use super::served::Mock;

/// The number of calls that the journal keeps.
const CALLS: usize = 10_000;
/// The number of calls that are sent before their responses are read.
const PIPELINED: usize = 100;
/// The most rows of the page. It shows the newest calls.
const ROWS_MAX: u64 = 200;
/// The longest time in milliseconds that the page may block while calls arrive. Other tests run at the same time.
const BUSY_MAX: u64 = 5_000;

/// Sends calls one after the other on one connection. Every fourth is for an object that does not exist.
fn send(mock: &Mock, token: &str, count: usize) {
    let mut stream = TcpStream::connect(("127.0.0.1", mock.port)).expect("the mock listens");
    let head = format!("host: 127.0.0.1:{}\r\nauthorization: Bearer {token}\r\n\r\n", mock.port);
    let mut buffer = vec![0; 1 << 16];
    for first in (0..count).step_by(PIPELINED) {
        let calls = (first..count.min(first + PIPELINED)).map(|number| match number % 4 {
            0 => format!("GET /v1/requests/unknown{number} HTTP/1.1\r\n{head}"),
            _ => format!("GET /v1/webhooks HTTP/1.1\r\n{head}"),
        });
        let calls: Vec<String> = calls.collect();
        stream.write_all(calls.concat().as_bytes()).expect("it reads");
        let (mut responses, mut rest) = (0, String::new());
        while responses < calls.len() {
            let length = stream.read(&mut buffer).expect("it answers");
            assert!(length > 0, "the connection ended");
            rest.push_str(&String::from_utf8_lossy(&buffer[..length]));
            responses += rest.matches("HTTP/1.1 ").count();
            // A marker may be split between two pieces.
            rest = rest[rest.rfind("HTTP/1.1 ").map_or(0, |at| at + 9)..].to_owned();
        }
    }
}

#[test]
fn ten_thousand_calls_leave_the_page_usable() {
    let (browser, mock) = (Browser::start(), Mock::start(&[], &[]));
    let token = mock.token();
    browser.open(&mock.page("#/calls"));
    browser.wait("document.querySelector('#connection')?.dataset.state === 'live'");
    browser.run(
        "window.busy = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((one) => { busy = Math.max(busy, one.duration); }))
          .observe({ entryTypes: ['longtask'] });",
    );
    send(&mock, &token, CALLS);
    // The page shows the last call, even if it missed others.
    browser.wait_text("tbody tr:first-child .serial", &(CALLS + 1).to_string());
    browser.wait_text("#count", "of 10,000 calls");
    let rows = browser.count("tbody tr");
    assert!((100..=ROWS_MAX).contains(&rows), "{rows} rows");
    let serials =
        "[...document.querySelectorAll('tbody .serial a')].map((one) => Number(one.innerText))";
    browser.wait(&format!(
        "{serials}.every((serial, at, all) => at === 0 || all[at - 1] === serial + 1)"
    ));
    let busy = browser.run("return busy").as_f64().unwrap_or_default();
    assert!(busy < BUSY_MAX as f64, "the page was busy for {busy} ms");

    // A row in view does not move while new ones arrive.
    browser.run("document.querySelectorAll('tbody tr')[40].scrollIntoView({ block: 'center' })");
    browser.run("window.row = document.querySelectorAll('tbody tr')[40]; window.top0 = row.getBoundingClientRect().top");
    send(&mock, &token, 20);
    browser.wait_text("tbody tr:first-child .serial", &(CALLS + 21).to_string());
    browser.wait("row.isConnected && Math.abs(row.getBoundingClientRect().top - top0) < 2");

    // The page adds more rows on request, but never all of them.
    for _ in 0..6 {
        let before = browser.count("tbody tr");
        browser.run("document.querySelector('.more:not([hidden])')?.click()");
        if browser.run("return document.querySelector('.more').hidden") == true {
            break;
        }
        browser.wait(&format!("document.querySelectorAll('tbody tr').length > {before}"));
    }
    let rows = browser.count("tbody tr");
    assert!(rows > ROWS_MAX && rows <= 2_000, "{rows} rows");

    // The filter applies to all calls, not only to those that are shown.
    browser.run("document.querySelector('#filter').value = ''");
    browser.run("document.querySelector('#filter').focus()");
    browser.press("status=404 path=/v1/requests/unknown4*");
    browser.press(super::driver::ENTER);
    browser.wait("[...document.querySelectorAll('tbody .what')].every((one) => one.innerText.includes('/unknown4'))");
    browser.wait_text("#count", "279 calls");
    assert_eq!(browser.complaints(), [""; 0]);
}
