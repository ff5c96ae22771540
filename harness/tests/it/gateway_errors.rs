//! A gateway sends 502 or 504 if the service does not answer. One such response is no violation; the same again is one if
//! the request can be sent again without an effect.

use std::fs;

use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

use crate::deployment::{judged, start, target};

const REFUSED: &str = r#"scenarios:
  - id: refused
    title: A registration without members is refused
    needs: [write]
    steps:
      - request: create_webhook
        token: write
        json: {}
        expect: { errors.never-5xx: { status: { min: 400, max: 499 } } }
"#;

const CREATED: &str = r#"scenarios:
  - id: created
    title: A webhook is created
    needs: [write]
    steps:
      - request: create_webhook
        token: write
        json: { name: a, url: <bindings.webhook_url>, auth_type: bearer, token: t, events: [execution_complete] }
        expect: { errors.never-5xx: { status: { min: 200, max: 299 } } }
"#;

/// Runs a scenario on a deployment whose gateway answers the first `errors` registrations.
async fn check(steps: &str, errors: u64, code: i32, said: &str) {
    let server = start("default").await;
    Mock::given(method("POST"))
        .and(path("/api/v1/webhooks"))
        .respond_with(ResponseTemplate::new(502).set_body_raw("Bad Gateway", "text/html"))
        .up_to_n_times(errors)
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    let scenarios = format!("section: \"4.14\"\ntitle: A gateway\n{steps}");
    fs::write(dir.path().join("gateway.yaml"), scenarios).expect("writable");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: [write, delete]\n");
    let ran = judged(dir.path(), &["--scenarios", "gateway.yaml"], code);
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_must_be_refused_is_sent_once_more() {
    check(REFUSED, 1, 0, "conformant: nothing failed").await;
    check(REFUSED, 2, 1, "ended in a server error: 502").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_unknown_whether_a_creation_had_an_effect() {
    check(CREATED, 1, 3, "may have had an effect, so it is not sent again").await;
}
