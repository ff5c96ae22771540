//! Registering and deleting webhooks (§4.13, §4.14).

use serde_json::{Value, json};

use crate::support::{Bench, bench, bench_answering, delete, post};

#[track_caller]
fn check(bench: &Bench, payload: &Value, expected: (u16, &str), said: &str) -> Value {
    let response = bench.send(&post("/v1/webhooks").token(&bench.token()).json(payload));
    let (status, problem) = response.outcome();
    assert_eq!((status, problem.as_str()), expected, "{payload} {response:?}");
    assert!(String::from_utf8_lossy(&response.body).contains(said), "{response:?}");
    response.json()
}

const CREATED: (u16, &str) = (201, "");
const MISSING: (u16, &str) = (400, "parameter_missing");
const INVALID: (u16, &str) = (422, "webhook_creation_error");

#[test]
fn a_registration_is_listed_and_its_secret_is_shown_nowhere() {
    let bench = bench();
    let payload = json!({ "name": "hook", "url": "http://127.0.0.1:9/x", "auth_type": "bearer",
        "token": "s3cret-token", "events": ["execution_complete", "execution_complete"] });
    let created = check(&bench, &payload, CREATED, "");
    assert_eq!(
        created["data"]["attributes"],
        json!({ "name": "hook", "url": "http://127.0.0.1:9/x", "auth_type": "bearer",
            "events": ["execution_complete"] })
    );
    let list = bench.get("/v1/webhooks");
    assert_eq!(list.value("/data/0"), created["data"]);
    for body in [created.to_string(), String::from_utf8_lossy(&list.body).into_owned()] {
        assert!(!body.contains("s3cret"));
    }
}

#[test]
fn events_and_authentication_have_defaults() {
    let bench = bench();
    let (name, url) = ("hook", "https://hooks.example/");
    for (more, auth_type) in [
        (json!({}), "none"),
        (json!({ "token": "t" }), "bearer"),
        (json!({ "username": "u", "password": "p" }), "basic"),
        (json!({ "username": "Zoë", "password": "pässwörd: €" }), "basic"),
        (json!({ "auth_type": null, "events": null }), "none"),
        (json!({ "auth_type": "none", "token": "t" }), "none"),
    ] {
        let mut payload = json!({ "name": name, "url": url });
        payload
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        let created = check(&bench, &payload, CREATED, "");
        assert_eq!(created["data"]["attributes"]["auth_type"], auth_type);
        assert_eq!(created["data"]["attributes"]["events"], json!(["execution_complete"]));
    }
}

#[test]
fn wrong_payloads_are_refused_by_name() {
    let bench = bench();
    for (payload, expected, said) in [
        (json!([]), MISSING, "JSON object"),
        (json!({ "url": "https://hooks.example/" }), MISSING, "name"),
        (json!({ "name": "hook" }), MISSING, "url"),
        (json!({ "name": " ", "url": "https://hooks.example/" }), MISSING, "name"),
        (json!({ "name": 1, "url": "https://hooks.example/" }), INVALID, "name"),
        (json!({ "name": "x".repeat(256), "url": "https://hooks.example/" }), INVALID, "255"),
        (json!({ "name": "x".repeat(255), "url": "https://hooks.example/" }), CREATED, ""),
        (json!({ "name": "hook", "url": "hooks" }), INVALID, "url"),
        (json!({ "name": "hook", "url": "ftp://hooks.example/" }), INVALID, "url"),
        (json!({ "name": "hook", "url": "https://h.example/", "events": [] }), INVALID, "events"),
        (
            json!({ "name": "hook", "url": "https://h.example/", "events": ["x"] }),
            INVALID,
            "execution_complete",
        ),
        (json!({ "name": "hook", "url": "https://h.example/", "events": [1] }), INVALID, "events"),
        (
            json!({ "name": "hook", "url": "https://h.example/", "events": "execution_complete" }),
            INVALID,
            "events",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "auth_type": "digest" }),
            INVALID,
            "none, basic, bearer",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "auth_type": "bearer" }),
            MISSING,
            "token",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "auth_type": "basic", "username": "u" }),
            MISSING,
            "password",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "token": "a\r\nb" }),
            INVALID,
            "ASCII",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "token": "gehe\u{ef}m" }),
            INVALID,
            "ASCII",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "username": "u", "password": "p\n" }),
            INVALID,
            "control",
        ),
        (
            json!({ "name": "hook", "url": "https://h.example/", "username": "u:v", "password": "p" }),
            INVALID,
            "colon",
        ),
        (json!({ "name": "hook", "url": "https://h.exa\nmple/" }), INVALID, "control"),
        (json!({ "name": "hook", "url": "\thttps://h.example/" }), INVALID, "control"),
        (json!({ "name": "hook", "url": "https://h.example/\u{7f}" }), INVALID, "control"),
        (json!({ "name": "hook", "url": "http://169.254.169.254/latest" }), INVALID, "metadata"),
        (json!({ "name": "hook", "url": "http://2852039166/" }), INVALID, "metadata"),
        (json!({ "name": "hook", "url": "http://[::ffff:169.254.169.254]/" }), INVALID, "metadata"),
        (json!({ "name": "hook", "url": "http://[fd00:ec2::254]/" }), INVALID, "metadata"),
        (json!({ "name": "hook", "url": "http://Metadata.Google.Internal/" }), INVALID, "metadata"),
        (json!({ "name": "hook", "url": "http://169.254.169.253/" }), CREATED, ""),
    ] {
        check(&bench, &payload, expected, said);
    }
    let sound = post("/v1/webhooks").token(&bench.token());
    let wrong_type = sound.clone().form(&[("name", "hook")]);
    assert_eq!(bench.send(&wrong_type).outcome(), (415, "unsupported_media_type".to_owned()));
    assert_eq!(bench.send(&sound).outcome().0, 400, "no body at all");
}

#[test]
fn plain_http_and_other_events_are_answers() {
    let bench = bench_answering(|answers| {
        answers.webhook_https_only = true;
        answers.event_kinds = vec!["request_declined".to_owned()];
    });
    let hook = |url: &str| json!({ "name": "hook", "url": url, "events": ["request_declined"] });
    check(&bench, &hook("http://hooks.example/"), INVALID, "https");
    check(&bench, &hook("https://hooks.example/"), CREATED, "request_declined");
    for loopback in ["http://127.0.0.1:8080/", "http://[::1]/", "http://localhost:1/"] {
        check(&bench, &hook(loopback), CREATED, "");
    }
}

#[test]
fn deleting_removes_once_and_returns_no_body() {
    let bench = bench_answering(|answers| answers.webhook_delete_status = 200);
    let token = bench.token();
    let id = bench.get("/v1/webhooks").ids().remove(0);
    let count = || bench.get("/v1/webhooks").value("/pagination/total_count").as_u64();
    let before = count().expect("a number");
    let response = bench.send(&delete(&format!("/v1/webhooks/{id}")).token(&token));
    assert_eq!((response.status.as_u16(), response.body.len()), (200, 0));
    assert_eq!(count(), Some(before - 1));
    let again = bench.send(&delete(&format!("/v1/webhooks/{id}")).token(&token));
    assert_eq!(again.outcome(), (404, "request_not_found".to_owned()));
    let other = bench.token_of("other-main", "read write");
    let ours = bench.get("/v1/webhooks").ids().remove(0);
    let foreign = bench.send(&delete(&format!("/v1/webhooks/{ours}")).token(&other));
    assert_eq!(foreign.status, 404);
    assert_eq!(count(), Some(before - 1));
}
