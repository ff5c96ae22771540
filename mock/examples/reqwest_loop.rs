//! The reference for the harness in `bench/run`: the same calls in a reqwest loop, each judged by its status
//! and one value. `reqwest_loop BASE_URL CHECKS IN_FLIGHT ID`. Exits with 1 if a check fails.

use std::error::Error;
use std::process::ExitCode;

use futures_util::{StreamExt, stream};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

const FORM: &str =
    "grant_type=client_credentials&client_id=bench&client_secret=bench-secret&scope=read+write";
const KINDS: usize = 10;

type Failure = Box<dyn Error>;

/// Where the calls go.
struct Target<'a> {
    client: Client,
    base_url: &'a str,
    token: String,
    /// The id of an existing request.
    id: &'a str,
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    // A client needs a TLS provider, even though only plain http is called.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base_url, checks, in_flight, id] = arguments.as_slice() else {
        return Err("usage: reqwest_loop BASE_URL CHECKS IN_FLIGHT ID".into());
    };
    let client = Client::builder().no_proxy().build()?;
    let mut target = Target { client, base_url, token: String::new(), id };
    let issued: Value = target.token_call().send().await?.json().await?;
    target.token = issued["access_token"].as_str().ok_or("no token")?.to_owned();
    let (checks, in_flight): (usize, usize) = (checks.parse()?, in_flight.parse()?);
    let failed = stream::iter(0..checks)
        .map(|number| target.holds(number))
        .buffer_unordered(in_flight)
        .filter(|holds| std::future::ready(!*holds))
        .count()
        .await;
    println!("{checks} checks, {failed} failed");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Target<'_> {
    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.base_url))
    }

    fn get_as_main(&self, path: &str) -> RequestBuilder {
        self.get(path).bearer_auth(&self.token)
    }

    fn token_call(&self) -> RequestBuilder {
        self.client
            .post(format!("{}/oauth/token", self.base_url))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(FORM)
    }

    /// Makes the call with this number and judges the response.
    async fn holds(&self, number: usize) -> bool {
        let (request, status, pointer, expected) = match number % KINDS {
            0 => (self.token_call(), 200, "/token_type", json!("Bearer")),
            1 => (self.get_as_main("/v1/requests"), 200, "/pagination/current_page", json!(1)),
            2 => {
                (self.get_as_main("/v1/requests?page=2"), 200, "/pagination/current_page", json!(2))
            }
            3 => {
                let draft = self.get_as_main("/v1/requests?status=draft");
                (draft, 200, "/data/0/attributes/status", json!("draft"))
            }
            4 => {
                let one = self.get_as_main(&format!("/v1/requests/{}", self.id));
                (one, 200, "/data/id", json!(self.id))
            }
            5 => (self.get_as_main("/v1/requests/nope"), 404, "/type", json!("request_not_found")),
            6 => (self.get("/v1/requests"), 401, "/type", json!("invalid_token")),
            7 => {
                (self.get("/v1/requests").bearer_auth("bad"), 401, "/type", json!("invalid_token"))
            }
            8 => (self.get_as_main("/v1/workflows"), 200, "/data/0/type", json!("workflow")),
            _ => (self.get_as_main("/v1/webhooks"), 200, "/data/0/type", json!("webhook")),
        };
        let Ok(response) = request.send().await else { return false };
        let is_status = response.status().as_u16() == status;
        let Ok(body) = response.json::<Value>().await else { return false };
        is_status && body.pointer(pointer) == Some(&expected)
    }
}
