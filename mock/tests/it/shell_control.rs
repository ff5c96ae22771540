//! The control plane: every route, its refusals, and its OpenAPI document.

use std::net::IpAddr;

use http_body_util::BodyExt;
use moot_mock::settings::ClockSetting;
use moot_mock::shell::{ServeLimits, Site, SiteOptions};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, CLIENT, MAIN, admin, call, client, create, done, own_path, request, sandbox, send,
    served, settings, site, site_of, site_with_token, token, upload,
};

async fn get(site: &Site, path: &str) -> Value {
    done(site, &format!("GET {path}"), Value::Null).await
}

async fn post(site: &Site, path: &str, json: Value) -> Value {
    done(site, &format!("POST {path}"), json).await
}

/// An action that is refused, with its status and a part of its detail.
async fn check_refused(site: &Site, line: &str, json: Value, status: u16, says: &str) {
    let response = admin(site, BASE, line, json).await;
    assert_eq!(response.status, status, "{line}: {response:?}");
    assert_eq!(response.headers["content-type"], "application/problem+json", "{line}");
    assert!(response.text("/detail").contains(says), "{line}: {}", response.json());
    assert_eq!(response.json()["status"], json!(status), "{line}");
    let path = line.split_once(' ').expect("a method and a path").1;
    let path = path.split('?').next().expect("split gives one at least");
    assert_eq!(response.text("/instance"), format!("{BASE}/__admin{path}"));
}

#[tokio::test]
async fn the_index_lists_the_routes() {
    let site = site();
    let health = get(&site, "/health").await;
    assert_eq!(health["moot"], json!(true));
    assert_eq!(health["consent"], json!(["write", "delete", "load", "fetch", "operate"]));
    let index = get(&site, "/").await;
    assert_eq!(index["routes"][0]["path"], json!("/__admin/"));
    assert_eq!(get(&site, "").await, index);
}

/// The router answers every path and method of the document, and no others.
#[tokio::test]
async fn the_openapi_document_is_the_router() {
    let site = site();
    let document = get(&site, "/openapi.json").await;
    let paths = document["paths"].as_object().expect("paths").clone();
    for (path, item) in &paths {
        let target = path.replace("{id}", "999999");
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
            let line = format!("{method} {target}");
            let response = admin(&site, BASE, &line, json!({ "zz_unknown": 1 })).await;
            let documented = item.get(method.to_ascii_lowercase());
            assert_eq!(documented.is_none(), response.status == 405, "{line}: {response:?}");
            let Some(operation) = documented else { continue };
            assert_ne!(response.status, 500, "{line}");
            // A stream of events has no members.
            if response.headers[http::header::CONTENT_TYPE] != "text/event-stream" {
                check_members(operation, &response.json()["detail"], &line);
            }
        }
    }
    let index = get(&site, "/").await;
    let rows = index["routes"].as_array().expect("routes").len();
    let documented: usize = paths
        .values()
        .map(|item| {
            item.as_object()
                .map_or(0, |item| item.keys().filter(|key| *key != "parameters").count())
        })
        .sum();
    assert_eq!(documented, rows);
}

/// The error about an unknown member names exactly the members that a body may have.
#[track_caller]
fn check_members(operation: &Value, detail: &Value, line: &str) {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let Some(members) = schema["properties"].as_object() else { return };
    let detail = detail.as_str().unwrap_or_default();
    let named: Vec<&str> = detail.split('`').skip(1).step_by(2).collect();
    let expected: Vec<&str> =
        std::iter::once("zz_unknown").chain(members.keys().map(String::as_str)).collect();
    assert_eq!(named, expected, "{line}: {detail}");
}

#[tokio::test]
async fn mistakes_are_explained() {
    let site = site();
    let check = |line, json, status, says| check_refused(&site, line, json, status, says);
    check("GET /heatlh", Value::Null, 404, "did you mean `/health`?").await;
    check("DELETE /world", Value::Null, 405, "does not take DELETE").await;
    check("POST /clock", json!({ "advance_second": 1 }), 400, "did you mean `advance_seconds`?")
        .await;
    check("POST /clock", json!({}), 400, "exactly one of").await;
    check("POST /clock", json!({ "next": true, "advance_seconds": 1 }), 400, "exactly one of")
        .await;
    check("POST /clock", json!({ "set": "noon" }), 422, "2026-03-05T14:30:00Z").await;
    check("POST /clock", json!([1]), 400, "a JSON object").await;
    check("POST /sandboxes", json!({ "world": "dem" }), 422, "did you mean `demo`?").await;
    check("POST /sandboxes", json!({ "answers": { "per_pge": 3 } }), 422, "per_page").await;
    check("POST /sandboxes", json!({ "world": {} }), 422, "seeded_at").await;
    check("POST /sandboxes", json!({ "clock": "frozn" }), 422, "did you mean `frozen`?").await;
    check("DELETE /sandboxes/s9", Value::Null, 404, "s9").await;
    check("PUT /rate_limit", json!({ "exhaust": "10.0.0" }), 422, "client address").await;
    check("PUT /addresses", json!({ "url": "https://a.example/" }), 400, "`base64` and `status`")
        .await;
    check("GET /exchanges?limt=3", Value::Null, 400, "did you mean `limit`?").await;
    check("GET /exchanges?limit=x", Value::Null, 400, "number").await;
    check("POST /deliveries/x/redeliver", Value::Null, 404, "number").await;
    check(
        "POST /legal_requests/x/status",
        json!({ "status": "sined" }),
        400,
        "did you mean `signed`?",
    )
    .await;
    check("GET /legal_requests/nope", Value::Null, 404, "nope").await;
    check("POST /tokens", json!({ "client_id": "nobody" }), 404, "nobody").await;
}

#[tokio::test]
async fn the_clock_moves_and_takes_tokens_with_it() {
    let (site, token) = site_with_token().await;
    let clock = get(&site, "/clock").await;
    assert_eq!(clock["frozen"], json!(true));
    post(&site, "/clock", json!({ "advance_seconds": 7199 })).await;
    assert_eq!(call(&site, "GET /api/v1/requests", &token).await.status, 200);
    post(&site, "/clock", json!({ "advance_seconds": 1 })).await;
    let response = call(&site, "GET /api/v1/requests", &token).await;
    assert_eq!((response.status.as_u16(), response.text("/type").as_str()), (401, "token_expired"));
    let moved = post(&site, "/clock", json!({ "set": "2027-01-01T00:00:00Z" })).await;
    assert!(moved["now"].as_str().is_some_and(|now| now.starts_with("2027-01-01")), "{moved}");
    post(&site, "/clock", json!({ "next": true })).await;
}

#[tokio::test]
async fn a_running_clock_is_frozen_through_the_socket() {
    let settings = moot_mock::Settings { clock: ClockSetting::Real, ..settings() };
    let site = site_of(settings);
    let served = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    let url = format!("http://{}{BASE}/__admin/clock", served.address);
    let send = async |json: Value| {
        let call = client.post(&url).header("content-type", "application/json");
        let response = call.body(json.to_string()).send().await.expect("a response");
        let status = response.status().as_u16();
        (status, serde_json::from_slice::<Value>(&response.bytes().await.expect("a body")))
    };
    let frozen = async |json: Value| {
        let (status, response) = send(json).await;
        let response = response.expect("JSON");
        assert_eq!(status, 200, "{response}");
        (response["frozen"] == json!(true), response["now"].clone())
    };
    let (is_frozen, at) = frozen(json!({ "freeze": true })).await;
    assert!(is_frozen);
    assert_eq!(frozen(json!({ "next": true })).await, (true, at.clone()));
    let (is_frozen, after) = frozen(json!({ "freeze": false })).await;
    assert!(!is_frozen && after.as_str() >= at.as_str(), "{after} {at}");
    assert_eq!(send(json!({ "freeze": true, "next": true })).await.0, 400);
    assert_eq!(send(json!({ "freeze": "yes" })).await.0, 400);
    assert_eq!(send(json!({ "next": false })).await.0, 400);
}

#[tokio::test]
async fn tokens_are_minted_expired_and_revoked() {
    let site = site();
    for (path, problem) in
        [("/tokens/expire", "token_expired"), ("/tokens/revoke", "token_revoked")]
    {
        let token = token(&site, BASE, MAIN).await;
        assert_eq!(call(&site, "GET /api/v1/requests", &token).await.status, 200);
        post(&site, path, json!({ "token": token })).await;
        let response = call(&site, "GET /api/v1/requests", &token).await;
        assert_eq!((response.status.as_u16(), response.text("/type").as_str()), (401, problem));
    }
    let old = json!({ "client_id": MAIN, "scopes": ["read"], "age_seconds": 7200 });
    let old = post(&site, "/tokens", old).await;
    assert_eq!(old["scope"], json!("read"));
    let response =
        call(&site, "GET /api/v1/requests", old["access_token"].as_str().expect("one")).await;
    assert_eq!(response.text("/type"), "token_expired");
}

#[tokio::test]
async fn legal_requests_are_changed_and_shown_whole() {
    let (site, token) = site_with_token().await;
    let created = create(&site, BASE, &token).await.ok();
    let path = format!("/legal_requests/{}", created.text("/data/id"));
    let shown = get(&site, &path).await;
    assert_eq!((&shown["status"], &shown["variables"]["duration"]), (&json!("draft"), &json!(2)));
    let line = format!("POST {path}/status");
    check_refused(&site, &line, json!({ "status": "archived" }), 409, "archived").await;
    let moved = json!({ "status": "initial_review", "comment": "Go on" });
    post(&site, &format!("{path}/status"), moved).await;
    post(&site, &format!("{path}/comments"), json!({ "comment": "A remark" })).await;
    let shown = get(&site, &path).await;
    assert_eq!(shown["status"], json!("initial_review"));
    let log = shown["activity"].to_string();
    assert!(log.contains("Go on") && log.contains("A remark"), "{log}");
}

#[tokio::test]
async fn the_limit_is_exhausted_and_reset() {
    let (site, token) = site_with_token().await;
    let set = |json| admin(&site, BASE, "PUT /rate_limit", json);
    set(json!({ "mode": "enforce", "exhaust": "127.0.0.1" })).await.ok();
    assert_eq!(call(&site, "GET /api/v1/requests", &token).await.status, 429);
    assert_eq!(get(&site, "/rate_limit").await["mode"], json!("enforce"));
    set(json!({ "reset": true })).await.ok();
    assert_eq!(call(&site, "GET /api/v1/requests", &token).await.status, 200);
}

#[tokio::test]
async fn the_journal_shows_calls_of_the_service_only() {
    let site = site();
    call(&site, "GET /api/v1/requests", "").await;
    let exchanges = get(&site, "/exchanges?limit=10").await;
    let exchanges = exchanges["exchanges"].as_array().expect("a list").clone();
    assert_eq!(exchanges.len(), 1, "{exchanges:?}");
    assert_eq!(
        (&exchanges[0]["status"], &exchanges[0]["problem"]),
        (&json!(401), &json!("invalid_token"))
    );
    admin(&site, BASE, "DELETE /exchanges", Value::Null).await.ok();
    assert_eq!(get(&site, "/exchanges").await["exchanges"], json!([]));
}

#[tokio::test]
async fn an_address_that_was_registered_gives_its_bytes() {
    let (site, token) = site_with_token().await;
    let address = json!({ "url": "https://files.example/a.txt", "text": "Hello" });
    admin(&site, BASE, "PUT /addresses", address).await.ok();
    upload(&site, BASE, &token, &["url=https://files.example/a.txt"]).await.ok();
    let list = call(&site, "GET /api/v1/repository_documents", &token).await.ok();
    let url = list.text("/data/0/attributes/agreement_url");
    assert_eq!(call(&site, &format!("GET {}", own_path(&url)), "").await.ok().body, "Hello");
}

#[tokio::test]
async fn resetting_leads_back_to_the_seed() {
    let site = site();
    let before = get(&site, "/world").await;
    let token = token(&site, BASE, MAIN).await;
    create(&site, BASE, &token).await.ok();
    post(&site, "/clock", json!({ "advance_seconds": 60 })).await;
    assert_ne!(get(&site, "/world").await, before);
    post(&site, "/reset", Value::Null).await;
    assert_eq!(get(&site, "/world").await, before);
}

#[tokio::test]
async fn a_restart_keeps_acknowledged_changes_and_forgets_the_rest() {
    let (site, token) = site_with_token().await;
    let created = create(&site, BASE, &token).await.ok();
    let path = format!("GET {BASE}/v1/requests/{}", created.text("/data/id"));
    let world = get(&site, "/world").await;
    post(&site, "/faults", json!({ "kind": "status", "status": 503 })).await;
    admin(&site, BASE, "PUT /rate_limit", json!({ "exhaust": "all" })).await.ok();
    assert_eq!(post(&site, "/restart", Value::Null).await["companies"], world["companies"]);
    assert_eq!(get(&site, "/faults").await["faults"], json!([]));
    call(&site, &path, &token).await.ok();
}

#[tokio::test]
async fn beyond_loopback_nothing_starts_without_a_token_and_nothing_is_shown_without_it() {
    let options = SiteOptions { is_beyond_loopback: true, ..SiteOptions::new(settings()) };
    let error = Site::new(options.clone()).expect_err("refused").to_string();
    assert!(error.contains("MOOT_ADMIN_TOKEN"), "{error}");
    let options = SiteOptions { admin_token: Some("t0p".to_owned()), ..options };
    let site = site_of(options);
    let beyond: IpAddr = "192.0.2.7".parse().expect("an address");
    for (token, status) in [("", 401), ("wrong", 401), ("t0p", 200)] {
        let call = request("GET /api/__admin/health", token, None);
        let response = site.call(call, beyond).await;
        assert_eq!(response.status(), status, "{token}");
        let is_challenged = response.headers().contains_key("www-authenticate");
        assert_eq!(is_challenged, status == 401, "RFC 9110 §15.5.2: {token}");
        response.into_body().collect().await.expect("a body");
    }
}

/// A container calls it without a token. The response only shows that the process runs.
#[tokio::test]
async fn the_health_check_needs_no_token_and_tells_nothing() {
    let options = SiteOptions {
        is_beyond_loopback: true,
        admin_token: Some("t0p".to_owned()),
        ..SiteOptions::new(settings())
    };
    let site = site_of(options);
    let served = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    for path in ["/health", "/api/health"] {
        let url = format!("http://{}{path}", served.address);
        let response = client.get(url).send().await.expect("a response");
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.text().await.expect("a text"), "ok");
    }
    let beyond: IpAddr = "192.0.2.7".parse().expect("an address");
    let response = site.call(request("GET /health", "", None), beyond).await;
    assert_eq!(response.status(), 200);
    for line in ["POST /api/health", "GET /api/healthy", "GET /api/health/x"] {
        assert_eq!(call(&site, line, "").await.status, 404, "{line}");
    }
    let line = "GET /api/__admin/exchanges/count";
    let count = send(&site, request(line, "t0p", None)).await.ok().json();
    assert_eq!(count, json!({ "count": 3 }), "only what was not a health check");
}

/// The calls that a web page in a browser on this machine could make, through the socket.
#[tokio::test]
async fn a_page_of_another_site_reaches_no_control_plane_through_the_socket() {
    let site = site();
    let (sandbox, _) = sandbox(&site, json!({})).await;
    let served = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    let own = format!("localhost:{}", served.address.port());
    let origin = format!("http://{own}");
    for base in [BASE, sandbox.as_str()] {
        for (host, from, status) in [
            (own.as_str(), None, 200),
            (&own, Some(origin.as_str()), 200),
            ("rebound.example", None, 403),
            ("rebound.example", Some("http://rebound.example"), 403),
            (&own, Some("https://page.example"), 403),
            (&own, Some("null"), 403),
        ] {
            let url = format!("http://{}{base}/__admin/reset", served.address);
            let mut call = client.post(url).header("host", host);
            if let Some(from) = from {
                call = call.header("origin", from);
            }
            let response = call.send().await.expect("a response");
            assert_eq!(response.status(), status, "{base} {host} {from:?}");
        }
    }
}

#[tokio::test]
async fn a_page_of_another_site_is_refused() {
    let site = site();
    for (name, value, status) in [
        ("host", "moot.test", 200),
        ("host", "rebound.example", 403),
        ("origin", "https://page.example", 403),
    ] {
        let mut call = request("GET /api/__admin/health", "", None);
        call.headers_mut().insert(name, value.parse().expect("a sound value"));
        assert_eq!(site.call(call, CLIENT).await.status(), status, "{name}: {value}");
    }
}
