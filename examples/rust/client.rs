//! A small client of the Legal Request Service that behaves well. It keeps its token and renews it.
//! It waits as long as `Retry-After` says, and reads every page. It builds a request from the workflow's
//! schema, and waits for a status.

use std::time::{Duration, Instant};

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Map, Value, json};

/// A token this close to its end could expire before the call arrives.
const RENEW_BEFORE: Duration = Duration::from_secs(60);
/// Lets the support of the service find our calls.
const USER_AGENT: &str = "legal-request-example/1.0";
const TIMEOUT: Duration = Duration::from_secs(30);
const RETRY_AFTER_DEFAULT: Duration = Duration::from_secs(60);
const RETRIES_MAX: u32 = 3;
const POLL: Duration = Duration::from_millis(100);
const POLLS_MAX: u32 = 100;

/// Any error, as text.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A client and its token.
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    client_id: String,
    client_secret: String,
    token: Option<(String, Instant)>,
}

impl Client {
    /// A client of the service at `base_url`.
    pub(crate) fn new(
        base_url: &str,
        client_id: &str,
        client_secret: &str,
    ) -> Result<Self, Failure> {
        // Fails if another part of the program has installed a TLS provider. Either one will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            http: reqwest::Client::builder()
                .user_agent(USER_AGENT)
                .timeout(TIMEOUT)
                .no_proxy()
                .build()?,
            base_url: base_url.to_owned(),
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
            token: None,
        })
    }

    /// Every member of a list, page after page.
    pub(crate) async fn every(&mut self, path: &str) -> Result<Vec<Value>, Failure> {
        let mut all = Vec::new();
        for page in 1_u64.. {
            let page_path = format!("{path}?page={page}");
            let response = self.call(Method::GET, &page_path, Ok).await?;
            all.extend(response["data"].as_array().into_iter().flatten().cloned());
            if response["pagination"]["total_pages"].as_u64().is_none_or(|pages| page >= pages) {
                break;
            }
        }
        Ok(all)
    }

    /// Creates a request with every field that the schema of its workflow requires. Returns its id.
    pub(crate) async fn create(
        &mut self,
        workflow_id: &str,
        values: &Value,
        paper: &'static [u8],
    ) -> Result<String, Failure> {
        let path = format!("/v1/workflows/{workflow_id}/schema");
        let schema = self.call(Method::GET, &path, Ok).await?;
        let fill =
            |call: RequestBuilder| Ok(call.multipart(form(&schema, workflow_id, values, paper)?));
        let created = self.call(Method::POST, "/v1/requests", fill).await?;
        Ok(created["data"]["id"].as_str().ok_or("the response has no id")?.to_owned())
    }

    /// Reads a request until it has this status.
    pub(crate) async fn wait_for(&mut self, id: &str, status: &str) -> Result<(), Failure> {
        let path = format!("/v1/requests/{id}");
        for _ in 0..POLLS_MAX {
            let response = self.call(Method::GET, &path, Ok).await?;
            if response["data"]["attributes"]["status"] == status {
                return Ok(());
            }
            tokio::time::sleep(POLL).await;
        }
        Err(format!("{id} did not become {status}").into())
    }

    /// One call with a token. A token that expired early is renewed once.
    async fn call(
        &mut self,
        method: Method,
        path: &str,
        fill: impl Fn(RequestBuilder) -> Result<RequestBuilder, Failure>,
    ) -> Result<Value, Failure> {
        let mut is_renewed = false;
        loop {
            let token = self.access_token().await?;
            let call = || {
                let url = format!("{}{path}", self.base_url);
                fill(self.http.request(method.clone(), url).bearer_auth(&token))
            };
            let (status, body) = read(send(call).await?).await?;
            let is_over = matches!(body["type"].as_str(), Some("token_expired" | "token_revoked"));
            if is_over && !is_renewed {
                self.token = None;
                is_renewed = true;
                continue;
            }
            return if status.is_success() { Ok(body) } else { Err(refusal(status, &body)) };
        }
    }

    async fn access_token(&mut self) -> Result<String, Failure> {
        if let Some((token, renew_at)) = &self.token
            && Instant::now() < *renew_at
        {
            return Ok(token.clone());
        }
        let call = || {
            let fields = [
                ("grant_type", "client_credentials"),
                ("client_id", &self.client_id),
                ("client_secret", &self.client_secret),
                ("scope", "read write"),
            ];
            Ok(self.http.post(format!("{}/oauth/token", self.base_url)).form(&fields))
        };
        let (status, body) = read(send(call).await?).await?;
        if !status.is_success() {
            return Err(refusal(status, &body));
        }
        let token = body["access_token"].as_str().ok_or("the response has no access_token")?;
        let life = Duration::from_secs(body["expires_in"].as_u64().unwrap_or_default());
        self.token = Some((token.to_owned(), Instant::now() + life.saturating_sub(RENEW_BEFORE)));
        Ok(token.to_owned())
    }
}

/// Sends a call. Beyond the rate limit it waits for `Retry-After`, and sends the call again.
async fn send(call: impl Fn() -> Result<RequestBuilder, Failure>) -> Result<Response, Failure> {
    let mut response = call()?.send().await?;
    for _ in 0..RETRIES_MAX {
        if response.status() != StatusCode::TOO_MANY_REQUESTS {
            break;
        }
        let retry_after =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let seconds = retry_after.and_then(|text| text.parse().ok());
        tokio::time::sleep(seconds.map_or(RETRY_AFTER_DEFAULT, Duration::from_secs)).await;
        response = call()?.send().await?;
    }
    Ok(response)
}

async fn read(response: Response) -> Result<(StatusCode, Value), Failure> {
    let status = response.status();
    // A proxy may send another body.
    let body = response.bytes().await?;
    Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
}

/// A problem that the service reported (§7).
fn refusal(status: StatusCode, body: &Value) -> Failure {
    let text = |names: [&str; 2]| names.iter().find_map(|name| body[name].as_str()).unwrap_or("?");
    let kind = text(["type", "error"]);
    format!("{status} {kind}: {}", text(["detail", "error_description"])).into()
}

fn form(
    schema: &Value,
    workflow_id: &str,
    values: &Value,
    paper: &'static [u8],
) -> Result<Form, Failure> {
    let mut form = Form::new().text("workflow_id", workflow_id.to_owned());
    for name in schema["required_fields"].as_array().into_iter().flatten() {
        let name = name.as_str().ok_or("a required field is not text")?.to_owned();
        let options = &schema["fields_properties"][&name]["properties"]["options"];
        form = match name.as_str() {
            "workflow_id" => form,
            "file" => {
                form.part(name, Part::bytes(paper).file_name("terms.txt").mime_str("text/plain")?)
            }
            "variables" => form.text(name, variables(schema).to_string()),
            "internal_signer_emails[]" => options
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .fold(form, |form, email| form.text(name.clone(), email.to_owned())),
            _ => {
                let value = options[0].as_str().or_else(|| values[&name].as_str());
                let value = value.ok_or_else(|| format!("there is no value for {name}"))?;
                form.text(name.clone(), value.to_owned())
            }
        };
    }
    Ok(form)
}

/// The first option of each required variable, or a value of its type.
fn variables(schema: &Value) -> Value {
    let names = schema["required_variables"].as_array().into_iter().flatten();
    let value = |name: &str| {
        let properties = &schema["variables_properties"][name]["properties"];
        match (properties["options"].get(0), properties["type"].as_str()) {
            (Some(option), _) => option.clone(),
            (None, Some("number")) => json!(12),
            (None, Some("boolean")) => json!(true),
            (None, Some("date")) => json!("2026-01-31"),
            (None, _) => json!("As agreed"),
        }
    };
    let values: Map<String, Value> =
        names.filter_map(Value::as_str).map(|name| (name.to_owned(), value(name))).collect();
    values.into()
}
