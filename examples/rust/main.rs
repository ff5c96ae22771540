//! The client of `client.rs` against a mock in this process:
//! `cargo run -p moot-mock --example embedded_client`.
//!
//! An override answers the first call. The mock answers the others. Its control plane then moves the clock, so that
//! the client's token expires.

mod client;

use client::{Client, Failure};
use moot_mock::embed;
use moot_mock::settings::Progression;
use moot_mock::shell::settings;
use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut chosen = settings::defaults("http://localhost", settings::world("demo")?);
    chosen.progression = Progression::OnRead { reads: 1 };
    let application = chosen.seed_world.companies[0].applications[0].clone();
    let server = embed::start_with(chosen).await?;
    let uri = server.uri();

    // An override of the test takes precedence: here a 429 with `Retry-After: 0`.
    Mock::given(method("GET"))
        .and(path("/v1/requests"))
        .respond_with(ResponseTemplate::new(429).insert_header("retry-after", "0"))
        .up_to_n_times(1)
        .mount(&server)
        .await;

    let mut client = Client::new(&uri, &application.client_id, &application.client_secret)?;
    println!("{} requests", client.every("/v1/requests").await?.len());

    // Moves the clock by two hours: the next call gets `token_expired`, and the client gets a new token.
    let clock = reqwest::Client::builder().no_proxy().build()?;
    let moved = clock.post(format!("{uri}/__admin/clock")).json(&json!({"advance_seconds": 7200}));
    moved.send().await?.error_for_status()?;

    let values = json!({
        "requester_email": "requester@northwind.example",
        "counterparty_name": "Granite Works Kft",
        "counterparty_signer_name": "Sam Signer",
        "counterparty_signer_email": "signer@granite.invalid",
    });
    let id = client.create("wfThirdParty3", &values, b"Their standard terms.\n").await?;
    client.wait_for(&id, "signed").await?;
    println!("{id} is signed");
    println!("{} requests", client.every("/v1/requests").await?.len());
    Ok(())
}

#[test]
fn the_client_gets_through() {
    assert!(main().is_ok());
}
