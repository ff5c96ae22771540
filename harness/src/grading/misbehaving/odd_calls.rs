//! Calls that break a rule in any situation: each rule has a few calls of its own.

use http::StatusCode;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::client::{CallBody, CallOutcome, TrialClient};
use super::service::{MisbehaviourError, ServicePlace};

const LIST: &str = "/v1/requests";
const FILE: &[u8] = b"Their standard terms.\n";

/// The rules that are broken here.
pub(super) const RULES: [&str; 29] = [
    "no-token",
    "token-in-address",
    "two-token-ways",
    "secret-in-address",
    "two-client-ways",
    "token-call-form",
    "token-per-call",
    "token-endpoint-hammered",
    "wide-scope",
    "forbidden-repeated",
    "token-to-download",
    "refused-repeated",
    "creation-repeated",
    "trusts-idempotency-key",
    "over-the-limit",
    "reads-id-shape",
    "unknown-address",
    "unknown-parameter",
    "first-page-only",
    "past-the-end",
    "polls-fast",
    "schema-unread",
    "field-not-listed",
    "unknown-field",
    "signer-not-offered",
    "unpublished-used",
    "bad-json-field",
    "connection-per-call",
    "nameless",
];

/// Breaks a rule.
pub(super) async fn run(mut client: TrialClient, rule: &str) -> Result<(), MisbehaviourError> {
    match rule {
        "no-token"
        | "secret-in-address"
        | "two-client-ways"
        | "token-call-form"
        | "token-per-call"
        | "token-endpoint-hammered"
        | "forbidden-repeated" => with_tokens(&client, rule).await,
        "token-in-address" | "two-token-ways" | "wide-scope" | "token-to-download" => {
            let token = client.token().await?;
            with_a_token(&client, &token, rule).await
        }
        "refused-repeated"
        | "over-the-limit"
        | "reads-id-shape"
        | "unknown-address"
        | "unknown-parameter"
        | "first-page-only"
        | "past-the-end"
        | "polls-fast"
        | "connection-per-call"
        | "nameless" => with_reads(&client.token().await?, &client, rule).await,
        _ => with_creations(&mut client, rule).await,
    }
}

async fn with_tokens(client: &TrialClient, rule: &str) -> Result<(), MisbehaviourError> {
    let ServicePlace { client_id, client_secret, reader_id, reader_secret, .. } = &client.service;
    let fields = client.credentials("read");
    match rule {
        "no-token" => drop(sent(client.request(Method::GET, LIST)).await?),
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
                get(client, &token, LIST).await?;
            }
        }
        "token-endpoint-hammered" => {
            for _ in 0..4 {
                let wrong = [fields[0], fields[1], ("client_secret", "wrong"), fields[3]];
                sent(client.token_request(&wrong)).await?;
            }
        }
        _ => {
            let reader =
                [fields[0], ("client_id", reader_id), ("client_secret", reader_secret), fields[3]];
            let token = token_in(&sent(client.token_request(&reader)).await?)?;
            for _ in 0..3 {
                let delete = client.request(Method::DELETE, "/v1/webhooks/any");
                sent(delete.bearer_auth(&token)).await?;
            }
        }
    }
    Ok(())
}

async fn with_a_token(
    client: &TrialClient,
    token: &str,
    rule: &str,
) -> Result<(), MisbehaviourError> {
    let in_query = client.request(Method::GET, LIST).query(&[("access_token", token)]);
    match rule {
        "token-in-address" => drop(sent(in_query).await?),
        "two-token-ways" => drop(sent(in_query.bearer_auth(token)).await?),
        "wide-scope" => get_times(client, token, LIST, 10).await?,
        _ => {
            let documents = get(client, token, "/v1/repository_documents").await?;
            let url = documents["data"][0]["attributes"]["agreement_url"].as_str();
            let download = client.http.get(url.ok_or("there is no document")?);
            download.bearer_auth(token).send().await?;
        }
    }
    Ok(())
}

async fn with_reads(
    token: &str,
    client: &TrialClient,
    rule: &str,
) -> Result<(), MisbehaviourError> {
    let (path, times) = match rule {
        "reads-id-shape" => {
            for id in ["1", "2", "3"] {
                get(client, token, &format!("{LIST}/{id}")).await?;
            }
            return Ok(());
        }
        "past-the-end" => {
            get(client, token, "/v1/requests?page=50").await?;
            ("/v1/requests?page=51", 1)
        }
        "unknown-address" => ("/v1/request", 1),
        "unknown-parameter" => ("/v1/requests?state=signed", 1),
        "first-page-only" => (LIST, 1),
        "refused-repeated" => ("/v1/requests/unknown", 3),
        "polls-fast" => (LIST, 150),
        "connection-per-call" => (LIST, 21),
        "over-the-limit" => (LIST, 601),
        _ => (LIST, 3),
    };
    get_times(client, token, path, times).await
}

async fn with_creations(client: &mut TrialClient, rule: &str) -> Result<(), MisbehaviourError> {
    if rule == "schema-unread" {
        return create(client, "One", None).await;
    }
    let schema = format!("/v1/workflows/{}/schema", client.service.workflow_id);
    client.get(&schema).await?;
    let replaced = match rule {
        "field-not-listed" => ("counterparty_signer_name", "Sam Signer".to_owned()),
        "signer-not-offered" => ("internal_signer_email", "ceo@northwind.example".to_owned()),
        "unknown-field" => {
            return create(client, "One", Some(("counterparty_mail", "x".to_owned()))).await;
        }
        "unpublished-used" => {
            let all = client.get("/v1/workflows?status=unpublished").await?;
            let id = all["data"][0]["id"].as_str().ok_or("all are published")?;
            ("workflow_id", id.to_owned())
        }
        "creation-repeated" => {
            for _ in 0..3 {
                create(client, "One", None).await?;
            }
            return Ok(());
        }
        "trusts-idempotency-key" => return with_keys(client).await,
        _ => {
            for metadata in ["{'a': 1}", "a", "[1]"] {
                upload(client, metadata).await?;
            }
            return Ok(());
        }
    };
    for counterparty in ["One", "Two", "Three"] {
        create(client, counterparty, Some(replaced.clone())).await?;
    }
    Ok(())
}

/// Creates a request, with one field replaced or added.
async fn create(
    client: &mut TrialClient,
    counterparty: &str,
    replaced: Option<(&str, String)>,
) -> Result<(), MisbehaviourError> {
    let mut fields = client.fields(&Value::Null, counterparty);
    if let Some((name, value)) = replaced {
        fields.retain(|(known, _)| known != name);
        fields.push((name.to_owned(), value));
    }
    answered(client.send(&Method::POST, LIST, &CallBody::Parts(fields, None)).await?)
}

async fn upload(client: &mut TrialClient, metadata: &str) -> Result<(), MisbehaviourError> {
    let fields = vec![("metadata".to_owned(), metadata.to_owned())];
    let content = CallBody::Parts(fields, Some(("terms.txt".to_owned(), FILE.to_vec())));
    answered(client.send(&Method::POST, "/v1/repository_documents", &content).await?)
}

async fn with_keys(client: &mut TrialClient) -> Result<(), MisbehaviourError> {
    let token = client.token().await?;
    for counterparty in ["One", "Two"] {
        let fields = client.fields(&Value::Null, counterparty);
        let mut form = reqwest::multipart::Form::new();
        for (name, value) in fields {
            form = form.text(name, value);
        }
        let creation = client.request(Method::POST, LIST).bearer_auth(&token).multipart(form);
        sent(creation.header("Idempotency-Key", "k1")).await?;
    }
    Ok(())
}

/// Any answer will do, also a refusal.
fn answered(outcome: CallOutcome) -> Result<(), MisbehaviourError> {
    match outcome {
        CallOutcome::Answered(answer) if answer.status == StatusCode::UNAUTHORIZED => {
            Err(answer.refused())
        }
        CallOutcome::Answered(_) => Ok(()),
        CallOutcome::Lost(why) => Err(why.into()),
    }
}

async fn get(client: &TrialClient, token: &str, path: &str) -> Result<Value, MisbehaviourError> {
    sent(client.request(Method::GET, path).bearer_auth(token)).await
}

async fn get_times(
    client: &TrialClient,
    token: &str,
    path: &str,
    times: usize,
) -> Result<(), MisbehaviourError> {
    for _ in 0..times {
        get(client, token, path).await?;
    }
    Ok(())
}

/// The JSON of the answer; null if it is none.
async fn sent(call: RequestBuilder) -> Result<Value, MisbehaviourError> {
    let bytes = call.send().await?.bytes().await?;
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

fn token_in(answer: &Value) -> Result<String, MisbehaviourError> {
    Ok(answer["access_token"].as_str().ok_or("no token came")?.to_owned())
}
