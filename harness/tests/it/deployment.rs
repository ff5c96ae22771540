//! A deployment for tests: the mock without its control plane, behind a server that records each request.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use moot_fixtures::{answers, world};
use moot_mock::settings::{RateLimitMode, Settings};
use tempfile::TempDir;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Respond};

use crate::command_support::{Ran, run};

/// Consent and tolerance for running everything except the load scenarios on a deployment.
pub(crate) const ALL_BUT_LOAD: &str = "\
consent: [write, delete, fetch]
tolerate: [load, admin, expired_token, revoked_token, receiver]
";

/// Serves the world `demo` with these answers, and records every request.
pub(crate) async fn start(answers_name: &str) -> MockServer {
    start_as(demo(), answers::named(answers_name).expect("they are bundled").clone()).await
}

/// Serves the world `demo`.
pub(crate) fn demo() -> SeedWorld {
    world::named("demo").expect("it is bundled").clone()
}

/// Serves this world with these answers.
pub(crate) async fn start_as(world: SeedWorld, answers: Answers) -> MockServer {
    let settings = Settings { answers, ..settings(world) };
    moot_mock::embed::start_with(settings).await.expect("it starts")
}

/// Serves the world `demo`. The seed decides its ids.
pub(crate) async fn start_seeded(seed: u64) -> MockServer {
    let settings = Settings { seed, ..settings(demo()) };
    moot_mock::embed::start_with(settings).await.expect("it starts")
}

fn settings(world: SeedWorld) -> Settings {
    let defaults = moot_mock::shell::settings::defaults("http://localhost/api", Arc::new(world));
    Settings { rate_limit: RateLimitMode::Off, ..defaults }
}

/// Replaces the response to GET of this path.
pub(crate) async fn answered(server: &MockServer, at: &str, response: impl Respond + 'static) {
    Mock::given(method("GET"))
        .and(path(at))
        .respond_with(response)
        .with_priority(1)
        .mount(server)
        .await;
}

/// Writes `target.yaml` for a server on loopback: unpaced, with all applications of `demo`, without a control plane,
/// with `more` added.
pub(crate) fn target(dir: &Path, base_url: &str, more: &str) {
    let text = format!(
        "base_url: {base_url}
admin: none
applications:
  main: {{ client_id: demo-main, client_secret: demo-main-secret-Vr8Kq3Zt6Wm1Xc5B }}
  reader: {{ client_id: demo-reader, client_secret: demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T, scopes: [read] }}
  writer: {{ client_id: demo-writer, client_secret: demo-writer-secret-Cb6Rx1Qe8Ma3Vk5N, scopes: [write] }}
  other_company: {{ client_id: other-main, client_secret: other-main-secret-Ws4Jn7Ub2Ty9Ep6D }}
bindings:
  requester_email: requester@northwind.example
  document_url: https://documents.example.com/agreement.pdf
limits:
  requests_per_minute: 0
  token_requests_per_minute: 0
  created_objects_max: 1000
  silence_seconds: 2
  exchange_seconds: 4
{more}"
    );
    fs::write(dir.join("target.yaml"), text).expect("writable");
}

/// The base address of a deployment.
pub(crate) fn base_url(server: &MockServer) -> String {
    format!("{}/api", server.uri())
}

/// A folder with the target file of a deployment, as [`target`] writes it.
pub(crate) fn deployed(server: &MockServer, more: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    target(dir.path(), &base_url(server), more);
    dir
}

/// Replaces parts of `target.yaml`.
#[track_caller]
pub(crate) fn edit(dir: &Path, edits: &[(&str, &str)]) {
    let path = dir.join("target.yaml");
    let mut text = fs::read_to_string(&path).expect("it was written");
    for (from, to) in edits {
        assert!(text.contains(from), "{from} in {text}");
        text = text.replace(from, to);
    }
    fs::write(path, text).expect("writable");
}

/// Runs `moot run --target target.yaml` with these words, and asserts its exit code.
#[track_caller]
pub(crate) fn judged(dir: &Path, words: &[&str], code: i32) -> Ran {
    run(&[&["run", "--target", "target.yaml"], words].concat(), dir).ended(code)
}
