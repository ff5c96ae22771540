//! The built-in receiver of each world: it gets the deliveries, and answers the planned statuses.

use moot_mock::shell::{ServeLimits, Site, SiteOptions};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, BASE_URL, MAIN, admin, client, create, done, done_with, register, request, sandbox, send,
    served, settings, sign, site, site_of, token,
};

async fn received(site: &Site, base: &str) -> Value {
    admin(site, base, "GET /receiver", Value::Null).await.ok().json()
}

/// Registers a webhook with a credential at `url`, and signs a legal request.
async fn signed(site: &Site, base: &str, url: &str) -> String {
    let token = token(site, base, MAIN).await;
    let webhook = json!({ "name": "Mine", "url": url, "auth_type": "bearer", "token": "my-token" });
    register(site, base, &token, &webhook).await.ok();
    let id = create(site, base, &token).await.ok().text("/data/id");
    sign(site, base, &id).await;
    admin(site, base, "POST /deliveries/settle", Value::Null).await.ok();
    id
}

#[tokio::test]
async fn a_webhook_of_the_world_reaches_it_with_its_credential() {
    let site = site();
    let url = received(&site, BASE).await["url"].as_str().expect("an address").to_owned();
    assert_eq!(url, format!("{BASE_URL}/__admin/receiver"));
    let id = signed(&site, BASE, &format!("{url}?for=orders")).await;
    let view = received(&site, BASE).await;
    let arrived = view["received"].as_array().expect("a list");
    assert_eq!(arrived.len(), 1, "{view}");
    assert_eq!(arrived[0]["headers"]["authorization"], json!("Bearer my-token"));
    assert_eq!(arrived[0]["headers"]["content-type"], json!("application/json"));
    assert_eq!(arrived[0]["query"], json!("for=orders"));
    assert_eq!(arrived[0]["body"]["event"], json!("execution_complete"));
    assert_eq!(arrived[0]["body"]["data"]["request_id"], json!(id));
    assert_eq!((&arrived[0]["number"], &arrived[0]["status"]), (&json!(1), &json!(200)));
    assert_eq!(arrived[0]["at"], json!("2026-03-05T14:30:00Z"), "the time is the world's");
    let none = done(&site, "DELETE /receiver", Value::Null).await;
    assert_eq!((&none["received"], &none["forgotten"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn an_outage_is_planned_and_retries_come_when_time_moves() {
    let site = site();
    let plan = json!({ "statuses": [503, 503, 204] });
    admin(&site, BASE, "PUT /receiver", plan).await.ok();
    signed(&site, BASE, &format!("{BASE_URL}/__admin/receiver")).await;
    for (seconds, expected) in [(10, vec![503]), (60, vec![204]), (100_000, vec![])] {
        let moved = json!({ "advance_seconds": seconds });
        let moved = done(&site, "POST /clock", moved).await;
        // The addresses of the seed's webhooks do not exist, so their attempts have no status.
        let attempts = moved["attempts"].as_array().expect("a list").iter();
        let statuses: Vec<u64> = attempts.filter_map(|one| one["status"].as_u64()).collect();
        assert_eq!(statuses, expected, "moving the clock tells of an attempt that ends at once");
    }
    let view = received(&site, BASE).await;
    let arrived = view["received"].as_array().expect("a list");
    let statuses: Vec<&Value> = arrived.iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [&json!(503), &json!(503), &json!(204)]);
    assert!(arrived.iter().all(|one| one["body"] == arrived[0]["body"]), "{view}");
}

#[tokio::test]
async fn each_world_has_its_own_and_a_reset_empties_it() {
    let site = site();
    let (base, made) = sandbox(&site, json!({})).await;
    let url = format!("{}/__admin/receiver", made["base_url"].as_str().expect("an address"));
    signed(&site, &base, &url).await;
    assert_eq!(received(&site, &base).await["received"].as_array().map(Vec::len), Some(1));
    assert_eq!(received(&site, BASE).await["received"], json!([]));
    admin(&site, &base, "POST /reset", Value::Null).await.ok();
    assert_eq!(received(&site, &base).await["received"], json!([]));
}

/// No connection is made, so the address check of outbound connections does not apply.
#[tokio::test]
async fn beyond_loopback_it_is_reached_too() {
    let options = SiteOptions {
        admin_token: Some("t0p".to_owned()),
        is_beyond_loopback: true,
        ..SiteOptions::new(settings())
    };
    let site = site_of(options);
    let ask = async |line: &str, json: Value| done_with(&site, "t0p", line, json).await;
    let minted = ask("POST /tokens", json!({ "client_id": MAIN })).await;
    let token = minted["access_token"].as_str().expect("a token");
    let url = format!("{BASE_URL}/__admin/receiver");
    let webhook = json!({ "name": "Mine", "url": url, "auth_type": "none" });
    register(&site, BASE, token, &webhook).await.ok();
    let created = create(&site, BASE, token).await.ok();
    let line = format!("POST /legal_requests/{}/status", created.text("/data/id"));
    ask(&line, json!({ "status": "signed", "force": true })).await;
    ask("POST /deliveries/settle", json!({})).await;
    let received = ask("GET /receiver", json!({})).await;
    assert_eq!(received["received"].as_array().map(Vec::len), Some(1), "{received}");
    let line = format!("POST {BASE}/__admin/receiver");
    let refused = send(&site, request(&line, "", None)).await;
    assert_eq!(refused.status, 401, "without the token other routes are refused");
}

#[tokio::test]
async fn any_sender_gets_the_planned_status() {
    let site = site();
    let served = served(&site, ServeLimits::default()).await;
    let url = format!("http://{}{BASE}/__admin/receiver", served.address);
    let client = client().build().expect("a client");
    admin(&site, BASE, "PUT /receiver", json!({ "statuses": [503, 204] })).await.ok();
    for status in [503, 204, 204] {
        let call = client.post(&url).header("x-mine", "one").body("no JSON");
        assert_eq!(call.send().await.expect("a response").status(), status);
    }
    let view = received(&site, BASE).await;
    assert_eq!(view["received"][2]["body"], json!("no JSON"));
    assert_eq!(view["received"][2]["headers"]["x-mine"], json!("one"));
    let large = client.post(&url).body(vec![b'x'; (1 << 20) + 1]).send().await;
    assert_eq!(large.expect("a response").status(), 413);
    for (plan, status, says) in [
        (json!({ "statuses": [99] }), 422, "200 to 599"),
        (json!({ "statuses": [600] }), 422, "200 to 599"),
        (json!({ "statuses": [200.5] }), 400, "list of whole numbers"),
        (json!({ "statuses": 503 }), 400, "list of whole numbers"),
        (json!({ "status": [503] }), 400, "did you mean `statuses`?"),
        (json!({ "statuses": vec![200; 1_001] }), 422, "1000 members at most"),
    ] {
        let response = admin(&site, BASE, "PUT /receiver", plan.clone()).await;
        assert_eq!(response.status, status, "{plan}");
        assert!(response.text("/detail").contains(says), "{response:?}");
    }
}
