//! Targets that are not the service. A run on one must fail, and its first screen must name the cause.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::TcpListener;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::trial::{SEED, TrialEnvironment};
use crate::client::target_file;
use crate::report::terminal::{Detail, paint};
use crate::report::{Format, render};
use crate::run::environment::{TargetChoice, TargetOptions};

/// The number of lines of a first screen, without empty ones.
const SCREEN_LINES: usize = 48;

/// The number of these targets.
pub const DEGENERATE_COUNT: usize = 10;

/// A target that is not the service, and the result of its run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DegenerateTarget {
    /// A description.
    pub name: String,
    /// The exit code of `moot run`.
    pub exit_code: u8,
    /// Words that name the cause.
    pub cause: String,
    /// Whether the first screen has these words.
    pub is_named: bool,
    /// The line with these words, or the first line.
    pub said: String,
}

impl DegenerateTarget {
    /// Whether the run failed and named the cause.
    pub fn is_refused(&self) -> bool {
        self.exit_code != 0 && self.is_named
    }
}

/// Servers with the same response to every request: name, words for the cause, response.
fn responding() -> Vec<(&'static str, &'static str, ResponseTemplate)> {
    let token = json!({
        "access_token": "the-same", "token_type": "Bearer", "expires_in": 7200, "scope": "read",
        "created_at": 1_700_000_000, "data": [],
    });
    let login = "<!doctype html><title>Log in</title><form><input type=password></form>";
    let refused = json!({ "error": "invalid_client", "error_description": "The secret expired." });
    vec![
        ("an empty server: 200 without a body", "returned 200", ResponseTemplate::new(200)),
        (
            "200 `{}` to everything",
            "returned 200",
            ResponseTemplate::new(200).set_body_json(json!({})),
        ),
        ("404 to everything", "returned 404", ResponseTemplate::new(404)),
        ("500 to everything", "returned 500", ResponseTemplate::new(500)),
        (
            "the same body to everything",
            "every response is the same",
            ResponseTemplate::new(200).set_body_json(token),
        ),
        (
            "an HTML login page",
            "returned 200",
            ResponseTemplate::new(200).set_body_raw(login, "text/html"),
        ),
        ("expired credentials", "invalid_client", {
            ResponseTemplate::new(401).set_body_json(refused)
        }),
    ]
}

/// Runs the suite on each of them.
///
/// # Errors
/// A port or a file cannot be opened.
pub async fn degenerate(bench: &TrialEnvironment) -> io::Result<Vec<DegenerateTarget>> {
    let folder = tempfile::tempdir()?;
    let mut found = Vec::new();
    for (name, cause, response) in responding() {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(response).mount(&server).await;
        found.push(over_http(bench, name, cause, &server.uri(), folder.path()).await?);
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let name = "a port that accepts and never answers";
    found.push(over_http(bench, name, "cannot be reached", &address, folder.path()).await?);
    drop(listener);
    let name = "a closed port";
    found.push(over_http(bench, name, "cannot be reached", &address, folder.path()).await?);
    let world = moot_fixtures::world::named("empty").cloned().map(Arc::new);
    let empty = TargetOptions { world, ..TargetOptions::default() };
    found.push(
        judge(bench, "a target with no data", "no data", TargetChoice::InProcess, empty).await?,
    );
    Ok(found)
}

async fn over_http(
    bench: &TrialEnvironment,
    name: &'static str,
    cause: &'static str,
    address: &str,
    folder: &Path,
) -> io::Result<DegenerateTarget> {
    let text = format!(
        "base_url: {address}\nadmin: none\nledger: ledger.ndjson\n\
         applications: {{ main: {{ client_id: moot, client_secret: not-a-secret-at-all }} }}\n\
         limits: {{ requests_per_minute: 0, token_requests_per_minute: 0, \
         silence_seconds: 2 }}\n"
    );
    let file = target_file::from_text(&text, &folder.join("target.yaml"), &|_| None)
        .map_err(io::Error::other)?;
    judge(bench, name, cause, TargetChoice::Http(Arc::new(file)), TargetOptions::default()).await
}

async fn judge(
    bench: &TrialEnvironment,
    name: &'static str,
    cause: &'static str,
    choice: TargetChoice,
    options: TargetOptions,
) -> io::Result<DegenerateTarget> {
    let options = TargetOptions { seed: SEED, ..options };
    let result = bench.run(name, choice, bench.light(), options).await;
    let text = render(Format::Text, &result, Detail::Normal).map_err(io::Error::other)?;
    let text = paint::plain(&text);
    let screen: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).take(SCREEN_LINES).collect();
    let named = screen.iter().find(|line| line.contains(cause));
    Ok(DegenerateTarget {
        name: name.to_owned(),
        exit_code: result.exit_code(),
        cause: cause.to_owned(),
        is_named: named.is_some(),
        said: named.or(screen.first()).map(|line| (*line).to_owned()).unwrap_or_default(),
    })
}
