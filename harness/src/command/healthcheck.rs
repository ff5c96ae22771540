//! `moot mock --healthcheck URL`: whether a mock that runs is healthy.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use url::Url;

use super::error::CommandError;

/// Exit code: it is not healthy.
const UNHEALTHY: u8 = 1;

/// Until the whole answer is there.
const DEADLINE: Duration = Duration::from_secs(5);

/// Exit 0 if it is healthy. A base address without a path stands for its `/health`.
///
/// # Errors
/// It is not healthy: exit 1.
pub(super) async fn check(url: &str) -> Result<u8, CommandError> {
    let unhealthy = |why: String| {
        CommandError::usage(format!("{url} is not healthy: {why}"))
            .exit(UNHEALTHY)
            .help("give the address of a mock, such as http://127.0.0.1:4010")
    };
    let mut parsed = Url::parse(url).map_err(|error| unhealthy(error.to_string()))?;
    if !parsed.path().ends_with("/health") {
        let path = format!("{}/health", parsed.path().trim_end_matches('/'));
        parsed.set_path(&path);
    }
    // Without a provider `build` panics. Installing it a second time fails, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(DEADLINE)
        // Nothing secret is sent, and a container asks itself by a name that no certificate has.
        .tls_danger_accept_invalid_certs(true)
        .build()
        .map_err(|error| unhealthy(error.to_string()))?;
    let answer = client.get(parsed).send().await.map_err(|error| unhealthy(error.to_string()))?;
    match answer.status() {
        StatusCode::OK => Ok(0),
        status => Err(unhealthy(format!("it answered {status}"))),
    }
}
