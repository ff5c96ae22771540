//! Calls that break a rule in any situation. Each rule has its own calls.

use http::StatusCode;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::client::{CallOutcome, DOCUMENTS, FILE, LIST, TrialClient, form};
use super::service::{MisbehaviourError, ServicePlace};

/// Rules that reads break: the rule, the path, and the number of reads.
const READS: [(&str, &str, usize); 14] = [
    ("wide-scope", LIST, 10),
    ("refused-repeated", "/v1/requests/unknown", 3),
    ("over-the-limit", LIST, 601),
    ("reads-id-shape", "/v1/requests/1", 1),
    ("reads-id-shape", "/v1/requests/2", 1),
    ("reads-id-shape", "/v1/requests/3", 1),
    ("unknown-address", "/v1/request", 1),
    ("unknown-parameter", "/v1/requests?state=signed", 1),
    ("first-page-only", LIST, 1),
    ("past-the-end", "/v1/requests?page=50", 1),
    ("past-the-end", "/v1/requests?page=51", 1),
    ("polls-fast", LIST, 150),
    ("connection-per-call", LIST, 21),
    ("nameless", LIST, 3),
];

/// A rule, a counterparty for each creation, and a field that is replaced or added.
type CreationRow = (&'static str, &'static [&'static str], Option<(&'static str, &'static str)>);

/// Rules that creations break.
const CREATIONS: [CreationRow; 5] = [
    ("schema-unread", &["One"], None),
    ("creation-repeated", &["One", "One", "One"], None),
    ("unknown-field", &["One"], Some(("counterparty_mail", "x"))),
    (
        "field-not-listed",
        &["One", "Two", "Three"],
        Some(("counterparty_signer_name", "Sam Signer")),
    ),
    (
        "signer-not-offered",
        &["One", "Two", "Three"],
        Some(("internal_signer_email", "ceo@northwind.example")),
    ),
];

/// Breaks a rule. Returns `false` if no calls here break it.
pub(super) async fn run(client: &mut TrialClient, rule: &str) -> Result<bool, MisbehaviourError> {
    Ok(with_tokens(client, rule).await?
        || with_reads(client, rule).await?
        || with_creations(client, rule).await?)
}

async fn with_tokens(client: &mut TrialClient, rule: &str) -> Result<bool, MisbehaviourError> {
    let service = client.service.clone();
    let ServicePlace { client_id, client_secret, reader_id, reader_secret, .. } = &service;
    let application = |id, secret| {
        [
            ("grant_type", "client_credentials"),
            ("client_id", id),
            ("client_secret", secret),
            ("scope", "read"),
        ]
    };
    let fields = application(client_id, client_secret);
    match rule {
        "no-token" => drop(sent(client.request(Method::GET, LIST)).await?),
        "token-in-address" | "two-token-ways" => {
            let token = client.token().await?;
            let call = client.request(Method::GET, LIST).query(&[("access_token", &token)]);
            sent(if rule == "two-token-ways" { call.bearer_auth(token) } else { call }).await?;
        }
        "secret-in-address" => {
            let query =
                client.token_request(&fields[..2]).query(&[("client_secret", client_secret)]);
            sent(query).await?;
        }
        "two-client-ways" => {
            let both = client.token_request(&fields).basic_auth(client_id, Some(client_secret));
            sent(both).await?;
        }
        "token-call-form" => {
            let body = json!({ "grant_type": "client_credentials", "client_id": client_id });
            sent(client.request(Method::POST, "/oauth/token").json(&body)).await?;
        }
        "token-per-call" => {
            for _ in 0..3 {
                let token = token_in(&sent(client.token_request(&fields)).await?)?;
                sent(client.request(Method::GET, LIST).bearer_auth(token)).await?;
            }
        }
        "token-endpoint-hammered" => {
            for _ in 0..4 {
                sent(client.token_request(&application(client_id, "wrong"))).await?;
            }
        }
        "forbidden-repeated" => {
            let reader = client.token_request(&application(reader_id, reader_secret));
            let token = token_in(&sent(reader).await?)?;
            for _ in 0..3 {
                let delete = client.request(Method::DELETE, "/v1/webhooks/any");
                sent(delete.bearer_auth(&token)).await?;
            }
        }
        "token-to-download" => {
            let documents = read(client, DOCUMENTS).await?;
            let url = documents["data"][0]["attributes"]["agreement_url"].as_str();
            let download = client.http.get(url.ok_or("there is no document")?);
            download.bearer_auth(client.token().await?).send().await?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

async fn with_reads(client: &mut TrialClient, rule: &str) -> Result<bool, MisbehaviourError> {
    let reads = READS.iter().filter(|(broken, ..)| *broken == rule);
    for (_, path, times) in reads.clone() {
        for _ in 0..*times {
            read(client, path).await?;
        }
    }
    Ok(reads.count() > 0)
}

async fn with_creations(client: &mut TrialClient, rule: &str) -> Result<bool, MisbehaviourError> {
    if let Some((_, counterparties, replaced)) = CREATIONS.iter().find(|it| it.0 == rule) {
        if rule != "schema-unread" {
            read_schema(client).await?;
        }
        for counterparty in *counterparties {
            create(client, counterparty, *replaced).await?;
        }
        return Ok(true);
    }
    match rule {
        "unpublished-used" => {
            read_schema(client).await?;
            let all = client.get("/v1/workflows?status=unpublished").await?;
            let id = all["data"][0]["id"].as_str().ok_or("no workflow is unpublished")?;
            for counterparty in ["One", "Two", "Three"] {
                create(client, counterparty, Some(("workflow_id", id))).await?;
            }
        }
        "trusts-idempotency-key" => {
            read_schema(client).await?;
            for counterparty in ["One", "Two"] {
                let fields = form(&client.fields(&Value::Null, counterparty), None);
                let with_key = client.request(Method::POST, LIST).header("Idempotency-Key", "k1");
                sent(with_key.bearer_auth(client.token().await?).multipart(fields)).await?;
            }
        }
        "bad-json-field" => {
            for metadata in ["{'a': 1}", "a", "[1]"] {
                let fields = [("metadata".to_owned(), metadata.to_owned())];
                let content =
                    |call: RequestBuilder| call.multipart(form(&fields, Some(("terms.txt", FILE))));
                answered(client.send(&Method::POST, DOCUMENTS, content).await?)?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

async fn read_schema(client: &mut TrialClient) -> Result<(), MisbehaviourError> {
    let path = format!("/v1/workflows/{}/schema", client.service.workflow_id);
    client.get(&path).await.map(drop)
}

/// Creates a legal request, with one field replaced or added.
async fn create(
    client: &mut TrialClient,
    counterparty: &str,
    replaced: Option<(&str, &str)>,
) -> Result<(), MisbehaviourError> {
    let mut fields = client.fields(&Value::Null, counterparty);
    if let Some((name, value)) = replaced {
        fields.retain(|(known, _)| known != name);
        fields.push((name.to_owned(), value.to_owned()));
    }
    let content = |call: RequestBuilder| call.multipart(form(&fields, None));
    answered(client.send(&Method::POST, LIST, content).await?)
}

/// Accepts any response but 401, also other refusals.
fn answered(outcome: CallOutcome) -> Result<(), MisbehaviourError> {
    match outcome {
        CallOutcome::Answered(response) if response.status == StatusCode::UNAUTHORIZED => {
            Err(response.refused())
        }
        CallOutcome::Answered(_) => Ok(()),
        CallOutcome::Lost(why) => Err(why.into()),
    }
}

/// Reads once, and accepts any response.
async fn read(client: &mut TrialClient, path: &str) -> Result<Value, MisbehaviourError> {
    let token = client.token().await?;
    sent(client.request(Method::GET, path).bearer_auth(token)).await
}

/// The body of the response; null if it is not JSON.
async fn sent(call: RequestBuilder) -> Result<Value, MisbehaviourError> {
    let bytes = call.send().await?.bytes().await?;
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

fn token_in(response: &Value) -> Result<String, MisbehaviourError> {
    Ok(response["access_token"].as_str().ok_or("no token came")?.to_owned())
}
