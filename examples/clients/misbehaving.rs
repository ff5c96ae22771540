//! A client that breaks one rule of conduct on purpose, and no other `must` rule.
//!
//! It drives the mock by its control plane where a rule needs a situation, such as a 429.

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

/// Anything that can go wrong.
pub(crate) type Trouble = Box<dyn std::error::Error + Send + Sync>;

/// Where the service is, and who calls it: the variables of `moot exec`.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) base_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) reader_id: String,
    pub(crate) reader_secret: String,
    pub(crate) requester_email: String,
    /// Of a workflow that generates its document.
    pub(crate) workflow_id: String,
}

/// The rules that this client can break. `hook-slow` needs a receiver that takes its time.
pub(crate) const RULES: [&str; 39] = [
    "no-token",
    "token-in-address",
    "two-token-ways",
    "secret-in-address",
    "two-client-ways",
    "token-call-form",
    "token-per-call",
    "dead-token",
    "token-endpoint-hammered",
    "wide-scope",
    "forbidden-repeated",
    "token-to-download",
    "impatient-retry",
    "no-back-off",
    "retry-storm",
    "refused-repeated",
    "blind-repeat",
    "creation-repeated",
    "emptied-repeat",
    "trusts-idempotency-key",
    "over-the-limit",
    "reads-id-shape",
    "unknown-address",
    "unknown-parameter",
    "first-page-only",
    "past-the-end",
    "polls-fast",
    "polls-the-dead",
    "schema-unread",
    "field-not-listed",
    "unknown-field",
    "signer-not-offered",
    "unpublished-used",
    "bad-json-field",
    "connection-per-call",
    "nameless",
    "hook-refuses",
    "hook-redirects",
    "hook-open",
];

const LIST: &str = "/v1/requests";
const USER_AGENT: &str = "misbehaving-client/1.0";

/// Breaks a rule.
pub(crate) async fn misbehave(service: &Service, rule: &str) -> Result<(), Trouble> {
    let client = Client::new(service, rule)?;
    match rule {
        "no-token"
        | "secret-in-address"
        | "two-client-ways"
        | "token-call-form"
        | "token-per-call"
        | "token-endpoint-hammered"
        | "forbidden-repeated" => client.with_odd_token_calls(rule).await,
        "schema-unread" => {
            let token = client.token("read write").await?;
            client.create(&token, client.fields("One")).await.map(drop)
        }
        _ => {
            let client = Signed { token: client.token("read write").await?, client };
            client.misbehave(rule).await
        }
    }
}

struct Client {
    service: Service,
    http: reqwest::Client,
}

impl Client {
    fn new(service: &Service, rule: &str) -> Result<Self, Trouble> {
        // Another part of the program may have installed a TLS provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut http = reqwest::Client::builder().no_proxy();
        if rule != "nameless" {
            http = http.user_agent(USER_AGENT);
        }
        if rule == "connection-per-call" {
            http = http.pool_max_idle_per_host(0);
        }
        Ok(Self { service: service.clone(), http: http.build()? })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.service.base_url))
    }

    fn token_request(&self, fields: &[(&str, &str)]) -> RequestBuilder {
        self.request(Method::POST, "/oauth/token").form(fields)
    }

    fn credentials<'a>(&'a self, scope: &'a str) -> [(&'a str, &'a str); 4] {
        [
            ("grant_type", "client_credentials"),
            ("client_id", &self.service.client_id),
            ("client_secret", &self.service.client_secret),
            ("scope", scope),
        ]
    }

    async fn token(&self, scope: &str) -> Result<String, Trouble> {
        token_in(sent(self.token_request(&self.credentials(scope))).await?)
    }

    async fn list(&self, token: &str) -> Result<Value, Trouble> {
        sent(self.request(Method::GET, LIST).bearer_auth(token)).await
    }

    /// Asks the control plane for a situation.
    async fn control(&self, method: Method, path: &str, body: Value) -> Result<Value, Trouble> {
        let admin = reqwest::Client::builder().no_proxy().build()?;
        let url = format!("{}/__admin{path}", self.service.base_url);
        let answer = admin.request(method, url).json(&body).send().await?.error_for_status()?;
        json_of(answer).await
    }

    /// The fields of a request by the schema of the workflow.
    fn fields(&self, counterparty: &str) -> Vec<(String, String)> {
        let variables =
            json!({ "purpose": "talks", "duration": 1, "duration_unit": "years" }).to_string();
        let fields = [
            ("workflow_id", self.service.workflow_id.as_str()),
            ("requester_email", &self.service.requester_email),
            ("counterparty_name", counterparty),
            ("counterparty_email", "signer@granite.invalid"),
            ("counterparty_organization_name", "Granite Works Kft"),
            ("internal_signer_email", "legal@northwind.example"),
            ("variables", &variables),
        ];
        fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    async fn create(&self, token: &str, fields: Vec<(String, String)>) -> Result<Value, Trouble> {
        sent(self.creation(token, fields)).await
    }

    fn creation(&self, token: &str, fields: Vec<(String, String)>) -> RequestBuilder {
        let form =
            fields.into_iter().fold(Form::new(), |form, (name, value)| form.text(name, value));
        self.request(Method::POST, LIST).bearer_auth(token).multipart(form)
    }

    async fn with_odd_token_calls(&self, rule: &str) -> Result<(), Trouble> {
        let Service { client_id, client_secret, reader_id, reader_secret, .. } = &self.service;
        let fields = self.credentials("read");
        match rule {
            "no-token" => drop(sent(self.request(Method::GET, LIST)).await?),
            "secret-in-address" => {
                let query =
                    self.token_request(&fields[..2]).query(&[("client_secret", client_secret)]);
                sent(query).await?;
            }
            "two-client-ways" => {
                let both = self.token_request(&fields).basic_auth(client_id, Some(client_secret));
                sent(both).await?;
            }
            "token-call-form" => {
                let body = json!({ "grant_type": "client_credentials", "client_id": client_id });
                sent(self.request(Method::POST, "/oauth/token").json(&body)).await?;
            }
            "token-per-call" => {
                for _ in 0..3 {
                    let token = self.token("read").await?;
                    self.list(&token).await?;
                }
            }
            "token-endpoint-hammered" => {
                for _ in 0..4 {
                    let wrong = [fields[0], fields[1], ("client_secret", "wrong"), fields[3]];
                    sent(self.token_request(&wrong)).await?;
                }
            }
            _ => {
                let reader = [
                    fields[0],
                    ("client_id", reader_id),
                    ("client_secret", reader_secret),
                    fields[3],
                ];
                let token = token_in(sent(self.token_request(&reader)).await?)?;
                for _ in 0..3 {
                    let delete = self.request(Method::DELETE, "/v1/webhooks/any");
                    sent(delete.bearer_auth(&token)).await?;
                }
            }
        }
        Ok(())
    }
}

/// A client with its token.
struct Signed {
    client: Client,
    token: String,
}

impl Signed {
    async fn get(&self, path: &str) -> Result<Value, Trouble> {
        sent(self.client.request(Method::GET, path).bearer_auth(&self.token)).await
    }

    async fn get_times(&self, path: &str, times: usize) -> Result<(), Trouble> {
        for _ in 0..times {
            self.get(path).await?;
        }
        Ok(())
    }

    async fn fault(&self, fault: Value) -> Result<(), Trouble> {
        self.client.control(Method::POST, "/faults", fault).await.map(drop)
    }

    async fn read_schema(&self, workflow_id: &str) -> Result<(), Trouble> {
        self.get(&format!("/v1/workflows/{workflow_id}/schema")).await.map(drop)
    }

    /// Creates a request, with one field replaced or added.
    async fn create_with(
        &self,
        counterparty: &str,
        name: &str,
        value: &str,
    ) -> Result<Value, Trouble> {
        let mut fields = self.client.fields(counterparty);
        fields.retain(|(known, _)| known != name);
        fields.push((name.to_owned(), value.to_owned()));
        self.client.create(&self.token, fields).await
    }

    async fn create(&self, counterparty: &str) -> Result<Value, Trouble> {
        self.client.create(&self.token, self.client.fields(counterparty)).await
    }

    async fn upload(&self, file: &'static [u8], metadata: &str) -> Result<Value, Trouble> {
        let part = Part::bytes(file).file_name("terms.txt").mime_str("text/plain")?;
        let form = Form::new().part("file", part).text("metadata", metadata.to_owned());
        let call = self.client.request(Method::POST, "/v1/repository_documents");
        sent(call.bearer_auth(&self.token).multipart(form)).await
    }

    async fn misbehave(&self, rule: &str) -> Result<(), Trouble> {
        match rule {
            "token-in-address" | "two-token-ways" | "dead-token" | "wide-scope"
            | "token-to-download" => self.with_token(rule).await,
            "impatient-retry" | "no-back-off" | "retry-storm" | "refused-repeated"
            | "emptied-repeat" | "over-the-limit" => self.with_retries(rule).await,
            "hook-refuses" | "hook-redirects" | "hook-open" => self.with_webhooks(rule).await,
            "reads-id-shape"
            | "unknown-address"
            | "unknown-parameter"
            | "first-page-only"
            | "past-the-end"
            | "polls-fast"
            | "connection-per-call"
            | "nameless" => self.with_lists(rule).await,
            _ => self.with_requests(rule).await,
        }
    }

    async fn with_token(&self, rule: &str) -> Result<(), Trouble> {
        let in_query =
            self.client.request(Method::GET, LIST).query(&[("access_token", &self.token)]);
        match rule {
            "token-in-address" => drop(sent(in_query).await?),
            "two-token-ways" => drop(sent(in_query.bearer_auth(&self.token)).await?),
            "dead-token" => {
                let which = json!({ "token": self.token });
                self.client.control(Method::POST, "/tokens/expire", which).await?;
                self.get_times(LIST, 3).await?;
            }
            "wide-scope" => self.get_times(LIST, 10).await?,
            _ => {
                let documents = self.get("/v1/repository_documents").await?;
                let url = documents["data"][0]["attributes"]["agreement_url"].as_str();
                let download = self.client.http.get(url.ok_or("there is no document")?);
                download.bearer_auth(&self.token).send().await?;
            }
        }
        Ok(())
    }

    async fn with_retries(&self, rule: &str) -> Result<(), Trouble> {
        let busy = |times: usize| json!({ "kind": "status", "status": 503, "operation": "list_legal_requests", "times": times });
        match rule {
            "impatient-retry" => {
                let limit = json!({ "kind": "status", "status": 429, "retry_after_seconds": 2 });
                self.fault(limit).await?;
                self.get_times(LIST, 2).await
            }
            "no-back-off" => {
                self.fault(busy(4)).await?;
                self.get_times(LIST, 4).await
            }
            "retry-storm" => {
                self.fault(busy(6)).await?;
                self.get_times(LIST, 6).await
            }
            "refused-repeated" => self.get_times("/v1/requests/unknown", 3).await,
            "emptied-repeat" => {
                self.fault(json!({ "kind": "status", "status": 503 })).await?;
                self.upload(b"Their standard terms.\n", "{}").await?;
                self.get("/v1/repository_documents?page=3").await?;
                self.upload(b"", "{}").await.map(drop)
            }
            _ => self.get_times(LIST, 601).await,
        }
    }

    async fn with_lists(&self, rule: &str) -> Result<(), Trouble> {
        match rule {
            "reads-id-shape" => {
                for id in ["1", "2", "3"] {
                    self.get(&format!("{LIST}/{id}")).await?;
                }
                Ok(())
            }
            "unknown-address" => self.get("/v1/request").await.map(drop),
            "unknown-parameter" => self.get("/v1/requests?state=signed").await.map(drop),
            "first-page-only" => self.get(LIST).await.map(drop),
            "past-the-end" => {
                self.get("/v1/requests?page=50").await?;
                self.get("/v1/requests?page=51").await.map(drop)
            }
            "polls-fast" => self.get_times(LIST, 10).await,
            "connection-per-call" => self.get_times(LIST, 21).await,
            _ => self.get_times(LIST, 3).await,
        }
    }

    async fn with_requests(&self, rule: &str) -> Result<(), Trouble> {
        self.read_schema(&self.client.service.workflow_id).await?;
        match rule {
            "blind-repeat" => {
                self.fault(json!({ "kind": "commit_then_fail", "status": 504 })).await?;
                self.create("One").await?;
                self.create("One").await?;
            }
            "creation-repeated" => {
                for _ in 0..3 {
                    self.create("One").await?;
                }
            }
            "trusts-idempotency-key" => {
                for counterparty in ["One", "Two"] {
                    let creation =
                        self.client.creation(&self.token, self.client.fields(counterparty));
                    sent(creation.header("Idempotency-Key", "k1")).await?;
                }
            }
            "polls-the-dead" => {
                let id = id_of(&self.create("One").await?)?;
                let path = format!("/legal_requests/{id}/status");
                let declined = json!({ "status": "declined", "force": true });
                self.client.control(Method::POST, &path, declined).await?;
                self.get_times(&format!("{LIST}/{id}"), 6).await?;
            }
            "field-not-listed" => {
                for counterparty in ["One", "Two", "Three"] {
                    self.create_with(counterparty, "counterparty_signer_name", "Sam Signer")
                        .await?;
                }
            }
            "unknown-field" => drop(self.create_with("One", "counterparty_mail", "x").await?),
            "signer-not-offered" => {
                for counterparty in ["One", "Two", "Three"] {
                    self.create_with(
                        counterparty,
                        "internal_signer_email",
                        "ceo@northwind.example",
                    )
                    .await?;
                }
            }
            "unpublished-used" => {
                let all = self.get("/v1/workflows?status=unpublished").await?;
                let id = all["data"][0]["id"].as_str().ok_or("all are published")?.to_owned();
                for counterparty in ["One", "Two", "Three"] {
                    self.create_with(counterparty, "workflow_id", &id).await?;
                }
            }
            "bad-json-field" => {
                for metadata in ["{'a': 1}", "a", "[1]"] {
                    self.upload(b"Their standard terms.\n", metadata).await?;
                }
            }
            unknown => return Err(format!("no rule `{unknown}`").into()),
        }
        Ok(())
    }

    async fn with_webhooks(&self, rule: &str) -> Result<(), Trouble> {
        let url = format!("{}/__admin/receiver", self.client.service.base_url);
        let mut hook =
            json!({ "name": "events", "url": url, "auth_type": "bearer", "token": "s3" });
        if rule == "hook-open" {
            hook = json!({ "name": "events", "url": url, "auth_type": "none" });
        }
        let register = self.client.request(Method::POST, "/v1/webhooks").json(&hook);
        sent(register.bearer_auth(&self.token)).await?;
        let statuses = match rule {
            "hook-refuses" => json!([404]),
            "hook-redirects" => json!([302]),
            _ => json!([200]),
        };
        self.client.control(Method::PUT, "/receiver", json!({ "statuses": statuses })).await?;
        self.read_schema(&self.client.service.workflow_id).await?;
        let id = id_of(&self.create("One").await?)?;
        let signed = json!({ "status": "signed", "force": true });
        self.client.control(Method::POST, &format!("/legal_requests/{id}/status"), signed).await?;
        self.client.control(Method::POST, "/deliveries/settle", json!({})).await.map(drop)
    }
}

async fn sent(call: RequestBuilder) -> Result<Value, Trouble> {
    json_of(call.send().await?).await
}

async fn json_of(answer: Response) -> Result<Value, Trouble> {
    Ok(serde_json::from_slice(&answer.bytes().await?).unwrap_or_default())
}

fn token_in(answer: Value) -> Result<String, Trouble> {
    Ok(answer["access_token"].as_str().ok_or("no token came")?.to_owned())
}

fn id_of(created: &Value) -> Result<String, Trouble> {
    Ok(created["data"]["id"].as_str().ok_or("nothing was created")?.to_owned())
}
