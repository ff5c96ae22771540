//! Controls a browser by the WebDriver protocol of `chromedriver`: JSON over HTTP on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::report::BROWSERS;
use crate::support::program;

/// The time limit for a condition.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// The time between two checks of a condition.
const LOOK: Duration = Duration::from_millis(25);
/// The key of an element's id in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Keys in the notation of WebDriver.
pub(super) const ENTER: &str = "\u{e007}";
pub(super) const ESCAPE: &str = "\u{e00c}";
pub(super) const TAB: &str = "\u{e004}";

/// A response of a server on loopback.
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl HttpResponse {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Sends one request on its own connection. `head` are further lines of its head.
pub(super) fn http(port: u16, line: &str, head: &[&str], body: &[u8]) -> HttpResponse {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    let head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    let text = format!(
        "{line} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\ncontent-length: {length}\r\n{head}\r\n"
    );
    stream.write_all(&[text.as_bytes(), body].concat()).expect("it reads");
    read_response(&mut BufReader::new(stream))
}

/// Reads a response with a `Content-Length`.
fn read_response(stream: &mut BufReader<TcpStream>) -> HttpResponse {
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        let count = stream.read_line(&mut line).expect("it answers");
        let line = line.trim_end().to_ascii_lowercase();
        if status == 0 {
            status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        }
        if let Some(text) = line.strip_prefix("content-length:") {
            length = text.trim().parse().expect("a number");
        }
        if line.is_empty() || count == 0 {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("the whole body");
    HttpResponse { status, body }
}

/// Attempts to start chromedriver. It takes a free port of IPv4, and ends if another program has the same port of IPv6.
const DRIVER_STARTS_MAX: usize = 3;

/// Starts chromedriver. Returns it with its port; `None` if it ended.
fn start_driver(program: &str) -> Option<(Child, u16)> {
    let mut driver = Command::new(program)
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let stdout = driver.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let (_, rest) = line.split_once("started successfully on port ")?;
        rest.trim_end_matches('.').parse().ok()
    });
    let Some(port) = port else {
        driver.wait().expect("it ended");
        return None;
    };
    // Later output must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

/// A browser with one window. It ends when this is dropped.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it, at a size of 1280 × 860.
    pub(super) fn start() -> Self {
        let browser = program(&BROWSERS, "chromium");
        let driver = program(&[&["chromedriver", "--version"]], "chromium-driver");
        let (driver, port) = (0..DRIVER_STARTS_MAX)
            .find_map(|_| start_driver(driver))
            .expect("chromedriver says its port");
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser_started = Self { driver, port, session: String::new(), profile };
        let path = which(browser);
        let data = format!("--user-data-dir={}", browser_started.profile.path().display());
        // Chromium has no sandbox for root. Host names are not resolved.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            &data,
        ];
        let made = browser_started.send(
            "POST",
            "",
            json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": path, "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } }),
        );
        browser_started.session = made["sessionId"].as_str().expect("a session").to_owned();
        browser_started.size(1280, 860);
        browser_started
    }

    #[track_caller]
    fn send(&self, method: &str, path: &str, body: Value) -> Value {
        let session =
            if self.session.is_empty() { String::new() } else { format!("/{}", self.session) };
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let line = format!("{method} /session{session}{path}");
        let response = http(self.port, &line, &["content-type: application/json"], body.as_bytes());
        let json = response.json();
        assert_eq!(response.status, 200, "{line}: {}", json["value"]["message"]);
        json["value"].clone()
    }

    fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.send("POST", "/goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    #[track_caller]
    pub(super) fn open(&self, address: &str) {
        self.send("POST", "/url", json!({ "url": address }));
    }

    /// Opens a tab and switches to it.
    pub(super) fn tab(&self) {
        let tab = self.send("POST", "/window/new", json!({ "type": "tab" }));
        self.send("POST", "/window", json!({ "handle": tab["handle"] }));
    }

    /// Switches to the tab with this number, counted from 0.
    pub(super) fn show_tab(&self, number: usize) {
        let tabs = self.send("GET", "/window/handles", Value::Null);
        self.send("POST", "/window", json!({ "handle": tabs[number] }));
        self.devtools("Page.bringToFront", json!({}));
    }

    pub(super) fn size(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the preferred colour scheme, dark or light.
    pub(super) fn theme(&self, name: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": name }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A screenshot of the window as PNG.
    #[track_caller]
    pub(super) fn picture(&self) -> Vec<u8> {
        let base64 = self.send("GET", "/screenshot", Value::Null);
        BASE64_STANDARD.decode(base64.as_str().expect("a text")).expect("base64")
    }

    /// The result of a script: `return document.title`.
    #[track_caller]
    pub(super) fn run(&self, script: &str) -> Value {
        self.send("POST", "/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// The text of the first element that a selector finds. Empty if there is none.
    #[track_caller]
    pub(super) fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({})?.innerText ?? ''", json!(selector));
        self.run(&script).as_str().unwrap_or_default().to_owned()
    }

    /// The number of elements that a selector finds.
    #[track_caller]
    pub(super) fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll({}).length", json!(selector));
        self.run(&script).as_u64().unwrap_or_default()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(super) fn wait(&self, expression: &str) {
        let script = format!("return Boolean({expression})");
        let end = Instant::now() + WAIT_MAX;
        while self.run(&script) != json!(true) {
            let page = || self.text("body");
            assert!(Instant::now() < end, "it never holds: {expression}\n{}", page());
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until an element is visible and its text has a word. A hidden element also has an `innerText`.
    #[track_caller]
    pub(super) fn wait_text(&self, selector: &str, word: &str) {
        let (selector, word) = (json!(selector), json!(word));
        self.wait(&format!(
            "[document.querySelector({selector})].some((one) => one?.checkVisibility() && one.innerText.includes({word}))"
        ));
    }

    #[track_caller]
    pub(super) fn click(&self, selector: &str) {
        let found =
            self.send("POST", "/element", json!({ "using": "css selector", "value": selector }));
        let element = found[ELEMENT].as_str().expect("an element").to_owned();
        self.send("POST", &format!("/element/{element}/click"), json!({}));
    }

    /// Presses keys one after the other. The element with the focus gets them.
    pub(super) fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [
                    json!({ "type": "keyDown", "value": key }),
                    json!({ "type": "keyUp", "value": key }),
                ]
            })
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.send("POST", "/actions", json!({ "actions": [keyboard] }));
    }

    /// The log messages of the page since the last call, without those about addresses that did not respond.
    pub(super) fn complaints(&self) -> Vec<String> {
        let log = self.send("POST", "/se/log", json!({ "type": "browser" }));
        let messages = log.as_array().into_iter().flatten();
        let messages = messages.filter(|one| one["source"] != "network");
        messages.map(|one| one["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends the browser. A failed test must not leave one running.
        if !self.session.is_empty() {
            let line = format!("DELETE /session/{}", self.session);
            let _ = std::panic::catch_unwind(|| http(self.port, &line, &[], b""));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The path of a program on the PATH.
fn which(program: &str) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|it| it.is_file());
    found.expect("the program is on the PATH").display().to_string()
}
