//! A mock with a console, and a client for it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::driver::{HttpResponse, http};
use crate::support::binary;

/// A running `moot mock`. It ends when this is dropped.
pub(super) struct Mock {
    process: Child,
    pub(super) port: u16,
    ready: Value,
}

impl Mock {
    /// Starts a mock on a free port.
    pub(super) fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::start_at(0, arguments, variables)
    }

    /// Starts a mock on this port.
    pub(super) fn start_at(port: u16, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut process = Command::new(binary())
            .args(["mock", "--seed", "7", "--format", "json", "--rate-limit", "off"])
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .args(arguments)
            .env_remove("MOOT_ADMIN_TOKEN")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the mock starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says that it is ready");
        let ready: Value = serde_json::from_str(&line).expect("a line of JSON");
        let listen = ready["listen"].as_str().and_then(|listen| listen.rsplit_once(':'));
        let port = listen.and_then(|(_, port)| port.parse().ok()).expect("a port");
        Self { process, port, ready }
    }

    /// The address of a view: `#/calls`.
    pub(super) fn page(&self, view: &str) -> String {
        format!("{}{view}", self.ready["console"].as_str().expect("the address of the console"))
    }

    /// A call of the control plane, which must succeed.
    #[track_caller]
    pub(super) fn admin(&self, method: &str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let line = format!("{method} /__admin{path}");
        let head = ["content-type: application/json"];
        let response = http(self.port, &line, &head, body.as_bytes());
        assert!((200..300).contains(&response.status), "{line}: {}", response.json());
        response.json()
    }

    /// A token of the first application.
    #[track_caller]
    pub(super) fn token(&self) -> String {
        let client_id = &self.ready["applications"][0]["client_id"];
        let token = self.admin("POST", "/tokens", json!({ "client_id": client_id }));
        token["access_token"].as_str().expect("a token").to_owned()
    }

    /// A call of a client.
    pub(super) fn call(&self, line: &str, token: &str, head: &[&str], body: &[u8]) -> HttpResponse {
        let authorization = format!("authorization: Bearer {token}");
        http(self.port, line, &[&[authorization.as_str()], head].concat(), body)
    }

    /// Creates a legal request with this name of the counterparty, and returns its id.
    #[track_caller]
    pub(super) fn create(&self, token: &str, counterparty: &str) -> String {
        let response = self.try_create(token, counterparty);
        let json = response.json();
        json["data"]["id"].as_str().unwrap_or_else(|| panic!("not created: {json}")).to_owned()
    }

    pub(super) fn try_create(&self, token: &str, counterparty: &str) -> HttpResponse {
        self.create_with(token, counterparty, "Sample Works Ltd", "")
    }

    /// Creates a legal request. `parts` are further parts of its form.
    pub(super) fn create_with(
        &self,
        token: &str,
        counterparty: &str,
        organization: &str,
        parts: &str,
    ) -> HttpResponse {
        let variables = json!({ "purpose": "Test", "duration": 12, "duration_unit": "months" });
        let fields = [
            ("workflow_id", "wfMutualNda1"),
            ("requester_email", "requester@northwind.example"),
            ("counterparty_name", counterparty),
            ("counterparty_email", "ada@sample.example"),
            ("counterparty_organization_name", organization),
            ("internal_signer_email", "legal@northwind.example"),
            ("variables", &variables.to_string()),
        ];
        let mut form = parts.to_owned();
        for (name, value) in fields {
            form.push_str(&format!(
                "--b0\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            ));
        }
        form.push_str("--b0--\r\n");
        let head = ["content-type: multipart/form-data; boundary=b0"];
        self.call("POST /v1/requests", token, &head, form.as_bytes())
    }

    /// Registers a webhook.
    #[track_caller]
    pub(super) fn webhook(&self, token: &str, webhook: &Value) {
        let head = ["content-type: application/json"];
        let body = webhook.to_string();
        let response = self.call("POST /v1/webhooks", token, &head, body.as_bytes());
        assert_eq!(response.status, 201, "{}", response.json());
    }

    /// Kills it.
    pub(super) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.kill();
    }
}
