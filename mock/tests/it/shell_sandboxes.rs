//! Sandboxes: further worlds with their own rows and credentials.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use moot_fixtures::contract::{Operation, TokenNeed};
use moot_mock::Settings;
use moot_mock::settings::RateLimitMode;
use moot_mock::shell::{SANDBOXES_MAX, Site};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, BASE_URL, MAIN, admin, call, create, done, request, sandbox, send, settings, site,
    site_of, token,
};

async fn total(site: &Site, base: &str, token: &str) -> Value {
    let response = call(site, &format!("GET {base}/v1/requests"), token).await.ok();
    response.json()["pagination"]["total_count"].clone()
}

#[tokio::test]
async fn a_sandbox_describes_itself_as_the_mock_does() {
    let site = site();
    let (_, described) = sandbox(&site, json!({})).await;
    let id = described["id"].as_str().expect("an id");
    let base_url = format!("{BASE_URL}/sandboxes/{id}");
    assert_eq!(described["base_url"], json!(base_url));
    assert_eq!(described["token_url"], json!(format!("{base_url}/oauth/token")));
    assert_eq!(described["admin_url"], json!(format!("{base_url}/__admin")));
    let main = site.describe();
    for member in ["ready", "users", "workflows"] {
        assert_eq!(described[member], main[member], "{member}");
    }
    let pairs = described["applications"].as_array().expect("a list").iter();
    for (own, of_main) in pairs.zip(main["applications"].as_array().expect("a list")) {
        for member in ["client_id", "scopes", "company"] {
            assert_eq!(own[member], of_main[member], "{member}");
        }
        assert_ne!(own["client_secret"], of_main["client_secret"]);
    }
    assert_ne!(described["seed"], main["seed"]);
    let first = &main["applications"][0];
    assert_eq!((&first["client_id"], &first["scopes"]), (&json!(MAIN), &json!(["read", "write"])));
    assert_eq!(main["workflows"][0]["id"], json!("wfMutualNda1"));
}

#[tokio::test]
async fn rows_and_tokens_of_one_world_are_unknown_in_another() {
    let site = site();
    let (first, _) = sandbox(&site, json!({})).await;
    let (second, _) = sandbox(&site, json!({})).await;
    let worlds = [BASE, first.as_str(), second.as_str()];
    let mut tokens = Vec::new();
    for base in worlds {
        tokens.push(token(&site, base, MAIN).await);
    }
    let before = total(&site, BASE, &tokens[0]).await;
    let created = create(&site, &first, &tokens[1]).await.ok();
    let path = format!("/v1/requests/{}", created.text("/data/id"));
    for (at, base) in worlds.iter().enumerate() {
        let expected = if *base == first { 200 } else { 404 };
        let response = call(&site, &format!("GET {base}{path}"), &tokens[at]).await;
        assert_eq!(response.status, expected, "{base}");
        for (other, foreign) in tokens.iter().enumerate().filter(|(other, _)| *other != at) {
            let response = call(&site, &format!("GET {base}{path}"), foreign).await;
            assert_eq!(response.status, 401, "token {other} at {base}");
        }
    }
    assert_eq!(total(&site, BASE, &tokens[0]).await, before);
    assert_eq!(total(&site, &second, &tokens[2]).await, before);
}

/// Requests a token with these credentials, in the form or in the header.
async fn authenticated(site: &Site, base: &str, (id, secret): (&str, &str), basic: bool) -> u16 {
    let line = format!("POST {base}/oauth/token");
    let kind = "application/x-www-form-urlencoded";
    let mut form = "grant_type=client_credentials&scope=read".to_owned();
    if !basic {
        form.push_str(&format!("&client_id={id}&client_secret={secret}"));
    }
    let mut asked = request(&line, "", Some((kind, form.into_bytes())));
    if basic {
        let value = format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
        asked.headers_mut().insert("authorization", value.parse().expect("plain text"));
    }
    send(site, asked).await.status.as_u16()
}

/// Sends each kind of credential of each world to each world, even of two sandboxes with one seed.
#[tokio::test]
async fn no_credential_of_one_world_works_in_another() {
    let site = site();
    let mut worlds = vec![(BASE.to_owned(), site.describe())];
    for asked in [json!({}), json!({}), json!({ "seed": 5 }), json!({ "seed": 5 })] {
        worlds.push(sandbox(&site, asked).await);
    }
    for (at, (base, _)) in worlds.iter().enumerate() {
        for (of, (home, described)) in worlds.iter().enumerate() {
            let expected = if at == of { 200 } else { 401 };
            let text = |member: &str| described["applications"][0][member].as_str().expect("text");
            let credentials = (text("client_id"), text("client_secret"));
            for basic in [false, true] {
                let status = authenticated(&site, base, credentials, basic).await;
                assert_eq!(status, expected, "client of {home} at {base}, basic: {basic}");
            }
            let token = token(&site, home, MAIN).await;
            let response = call(&site, &format!("GET {base}/v1/requests"), &token).await;
            assert_eq!(response.status, expected, "token of {home} at {base}");
            for action in ["expire", "revoke"] {
                let line = format!("POST /tokens/{action}");
                let token = token.clone();
                let response = admin(&site, base, &line, json!({ "token": token })).await;
                assert_eq!(response.status.is_success(), at == of, "{action} {home} at {base}");
            }
        }
    }
}

/// Every route that needs a token answers 401 to a token of another world, for any id.
#[tokio::test]
async fn no_route_of_a_world_takes_a_token_of_another() {
    let site = site();
    let (first, _) = sandbox(&site, json!({ "seed": 5 })).await;
    let (second, _) = sandbox(&site, json!({ "seed": 5 })).await;
    let worlds = [BASE, first.as_str(), second.as_str()];
    let mut routes = 0;
    for operation in Operation::ALL {
        if operation.token() == TokenNeed::None {
            continue;
        }
        routes += 1;
        let path = operation.path().replace("{id}", "wfMutualNda1");
        for home in worlds {
            let own = token(&site, home, MAIN).await;
            for base in worlds {
                let line = format!("{} {base}{path}", operation.method());
                let response = call(&site, &line, &own).await;
                let is_let_in = response.status != 401;
                assert_eq!(is_let_in, base == home, "{line} with a token of {home}: {response:?}");
            }
        }
    }
    assert!(routes >= 13, "{routes}");
}

/// An inline world has the client secrets of its author.
#[tokio::test]
async fn a_world_that_is_written_out_has_the_secrets_that_it_says() {
    let site = site();
    let world = json!({
        "seeded_at": "2026-03-01T00:00:00Z",
        "companies": [{
            "name": "Written", "users": ["one@written.example"],
            "applications": [{
                "client_id": "mine", "client_secret": "as-i-say", "scopes": ["read"],
            }],
        }],
    });
    let (base, described) = sandbox(&site, json!({ "world": world })).await;
    assert_eq!(described["applications"][0]["client_secret"], json!("as-i-say"));
    assert_eq!(authenticated(&site, &base, ("mine", "as-i-say"), false).await, 200);
}

#[tokio::test]
async fn settings_are_its_own_and_otherwise_those_of_the_main_world() {
    let site = site();
    let (base, described) = sandbox(
        &site,
        json!({
            "world": "empty", "answers": { "per_page": 3 }, "seed": 5, "rate_limit": "observe",
            "clock": "frozen:2030-01-01T00:00:00Z", "progression": "timed:5",
        }),
    )
    .await;
    assert_eq!(described["seed"], json!(5));
    let world = admin(&site, &base, "GET /world", Value::Null).await.ok().json();
    assert_eq!(
        (&world["rate_limit"], &world["progression"]),
        (&json!("observe"), &json!("timed:5"))
    );
    let clock = admin(&site, &base, "GET /clock", Value::Null).await.ok();
    assert!(clock.text("/now").starts_with("2030-01-01T00:00:00"), "{clock:?}");
    let client = described["applications"][0]["client_id"].as_str().expect("an application");
    let token = token(&site, &base, client).await;
    let list = call(&site, &format!("GET {base}/v1/requests"), &token).await.ok().json();
    assert_eq!(list["pagination"]["per_page"], json!(3));
    assert_eq!(list["pagination"]["total_count"], json!(0));

    let (base, _) = sandbox(&site, json!({ "answers": "random:3" })).await;
    let clock = admin(&site, &base, "GET /clock", Value::Null).await.ok();
    assert!(clock.text("/now").starts_with("2026-03-05T14:30:00"), "{clock:?}");
}

/// No limiter counts calls to it. They could use up the limit of the main world otherwise.
#[tokio::test]
async fn a_deleted_sandbox_says_so_and_does_not_count_on_the_main_limiter() {
    let site = site_of(Settings { rate_limit: RateLimitMode::Enforce, ..settings() });
    let made = admin(&site, BASE, "POST /sandboxes", json!({})).await.ok();
    let id = made.text("/id");
    admin(&site, BASE, &format!("DELETE /sandboxes/{id}"), Value::Null).await.ok();
    let calls = || async {
        let limit = admin(&site, BASE, "GET /rate_limit", Value::Null).await.ok();
        limit.json()["clients"].clone()
    };
    let before = calls().await;
    for (id, said) in [(id.as_str(), "deleted"), ("s99", "no sandbox"), ("nowhere", "no sandbox")] {
        let response = call(&site, &format!("GET {BASE}/sandboxes/{id}/v1/requests"), "").await;
        assert_eq!(response.status, 404, "{response:?}");
        assert!(response.text("/detail").contains(said), "{response:?}");
        assert_eq!(response.text("/instance"), format!("{BASE}/sandboxes/{id}/v1/requests"));
        assert!(!response.text("/request_id").is_empty());
        let base = format!("{BASE}/sandboxes/{id}");
        let response = admin(&site, &base, "GET /health", Value::Null).await;
        assert_eq!(
            (response.status.as_u16(), response.text("/type")),
            (404, "not_found".to_owned())
        );
        assert!(response.text("/detail").contains(said), "{response:?}");
    }
    assert_eq!(calls().await, before);
}

#[tokio::test]
async fn a_deleted_sandbox_is_an_unknown_path() {
    let site = site();
    let (base, described) = sandbox(&site, json!({})).await;
    let id = described["id"].as_str().expect("an id");
    let listed = done(&site, "GET /sandboxes", Value::Null).await;
    assert_eq!(listed["sandboxes"][0]["id"], json!(id));
    let line = format!("DELETE /sandboxes/{id}");
    admin(&site, BASE, &line, Value::Null).await.ok();
    assert_eq!(admin(&site, BASE, &line, Value::Null).await.status, 404);
    assert_eq!(admin(&site, &base, "GET /health", Value::Null).await.status, 404);
    assert_eq!(call(&site, &format!("GET {base}/v1/requests"), "").await.status, 404);
    let listed = done(&site, "GET /sandboxes", Value::Null).await;
    assert_eq!(listed, json!({ "sandboxes": [] }));
}

#[tokio::test]
async fn sandboxes_are_made_at_the_root_only() {
    let site = site();
    let (base, _) = sandbox(&site, json!({})).await;
    assert_eq!(admin(&site, &base, "POST /sandboxes", json!({})).await.status, 404);
    assert_eq!(
        call(&site, &format!("GET {BASE}/sandboxes/nope/v1/requests"), "").await.status,
        404
    );
}

/// Sandboxes must share seed rows, so that every scenario can have its own.
#[tokio::test]
async fn ten_thousand_sandboxes_live_at_once_and_no_more() {
    let site = site();
    let mut last = String::new();
    for _ in 0..SANDBOXES_MAX {
        last = sandbox(&site, json!({})).await.0;
    }
    let response = admin(&site, BASE, "POST /sandboxes", json!({})).await;
    assert_eq!(response.status, 409, "{response:?}");
    let first = format!("{BASE}/sandboxes/s1");
    for base in [first, last] {
        let token = token(&site, &base, MAIN).await;
        call(&site, &format!("GET {base}/v1/requests"), &token).await.ok();
    }
    admin(&site, BASE, "DELETE /sandboxes/s7", Value::Null).await.ok();
    sandbox(&site, json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_ends_after_its_length_without_a_call() {
    let site = site();
    let (kept, _) = sandbox(&site, json!({})).await;
    let (leased, described) = sandbox(&site, json!({ "lease_seconds": 60 })).await;
    let (called, _) = sandbox(&site, json!({ "lease_seconds": 60 })).await;
    assert_eq!(described["lease_seconds"], json!(60));
    let health = async |base: &str| admin(&site, base, "GET /health", Value::Null).await.status;
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(health(&called).await, 200, "which renews it");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(health(&leased).await, 404);
    tokio::time::advance(Duration::from_secs(58)).await;
    for base in [&called, &kept] {
        assert_eq!(health(base).await, 200, "{base}");
    }
    tokio::time::advance(Duration::from_secs(60)).await;
    let listed = done(&site, "GET /sandboxes", Value::Null).await;
    let listed: Vec<&Value> =
        listed["sandboxes"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!(listed, [&json!("s1")]);
    for seconds in [0, 2_592_001] {
        let asked = json!({ "lease_seconds": seconds });
        assert_eq!(admin(&site, BASE, "POST /sandboxes", asked).await.status, 422, "{seconds}");
    }
}

#[tokio::test]
async fn a_sandbox_is_shown_with_settings_and_lease_and_renewed() {
    let site = site();
    let plan = json!({ "lease_seconds": 600, "progression": "timed:5",
        "clock": "frozen:2026-03-05T14:30:00Z" });
    let made = admin(&site, BASE, "POST /sandboxes", plan).await.ok();
    let path = format!("/sandboxes/{}", made.text("/id"));
    let shown = done(&site, &format!("GET {path}"), Value::Null).await;
    assert_eq!(shown["applications"], made.json()["applications"]);
    assert_eq!(shown["settings"]["progression"], json!("timed:5"));
    assert_eq!(shown["clock"]["frozen"], json!(true));
    assert_eq!(shown["lease_seconds"], json!(600));
    let left = shown["lease_ends_in_seconds"].as_u64();
    assert!(left.is_some_and(|left| (500..=600).contains(&left)), "{left:?}");
    admin(&site, BASE, &format!("POST {path}/renew"), Value::Null).await.ok();
    // A sandbox without a lease can get one.
    let endless = admin(&site, BASE, "POST /sandboxes", json!({})).await.ok().text("/id");
    for path in [path, format!("/sandboxes/{endless}")] {
        let renewed =
            admin(&site, BASE, &format!("POST {path}/renew"), json!({ "lease_seconds": 60 })).await;
        let renewed = renewed.ok().json();
        assert_eq!(renewed["lease_seconds"], json!(60));
        let left = renewed["lease_ends_in_seconds"].as_u64();
        assert!(left.is_some_and(|left| (1..=60).contains(&left)), "{left:?}");
        let none = json!({ "lease_seconds": 0 });
        assert_eq!(admin(&site, BASE, &format!("POST {path}/renew"), none).await.status, 422);
    }
    for line in ["GET /sandboxes/s9", "POST /sandboxes/s9/renew"] {
        assert_eq!(admin(&site, BASE, line, Value::Null).await.status, 404, "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_renewed_lease_has_its_new_length_from_then_on() {
    let site = site();
    let (longer, _) = sandbox(&site, json!({ "lease_seconds": 60 })).await;
    let (shorter, _) = sandbox(&site, json!({ "lease_seconds": 600 })).await;
    for (id, seconds) in [("s1", 600), ("s2", 60)] {
        let asked = json!({ "lease_seconds": seconds });
        admin(&site, BASE, &format!("POST /sandboxes/{id}/renew"), asked).await.ok();
    }
    let health = async |base: &str| admin(&site, base, "GET /health", Value::Null).await.status;
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!([health(&longer).await, health(&shorter).await], [200, 404]);
    tokio::time::advance(Duration::from_secs(599)).await;
    assert_eq!(health(&longer).await, 200);
}
