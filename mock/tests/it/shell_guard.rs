//! The addresses to which deliveries may go: any if the mock listens on loopback, else only public ones.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use moot_mock::shell::{Lookup, Network, Site, SiteOptions};
use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::shell_support::{BASE, create, done_with, register, settings, site_of};

const ADMIN_TOKEN: &str = "t0p";
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// `public.moot` is public at its first lookup and loopback afterwards. Every other name is at 10.0.0.7. All
/// connections go to loopback.
fn network(lookups: &Arc<AtomicUsize>) -> Network {
    let lookups = lookups.clone();
    let lookup = move |name: String| -> Lookup {
        let is_first = lookups.fetch_add(1, Ordering::SeqCst) == 0;
        let address = match name.as_str() {
            "public.moot" if is_first => PUBLIC,
            "public.moot" => LOOPBACK,
            _ => IpAddr::from([10, 0, 0, 7]),
        };
        Box::pin(std::future::ready(Ok(vec![address])))
    };
    Network::simulated(lookup, |_| LOOPBACK, "")
}

/// A mock that listens beyond loopback.
fn beyond(lookups: &Arc<AtomicUsize>) -> SiteOptions {
    let mut settings = settings();
    // Each delivery is one attempt.
    settings.answers.delivery_retries = Vec::new();
    SiteOptions {
        is_beyond_loopback: true,
        admin_token: Some(ADMIN_TOKEN.to_owned()),
        network: network(lookups),
        ..SiteOptions::new(settings)
    }
}

async fn admin(site: &Site, line: &str, json: Value) -> Value {
    done_with(site, ADMIN_TOKEN, line, json).await
}

/// Registers a webhook at `url`, executes a request, and returns the attempt of its delivery.
async fn attempt(site: &Site, url: &str) -> Value {
    let token = admin(site, "POST /tokens", json!({ "client_id": "demo-main" })).await;
    let token = token["access_token"].as_str().expect("a token").to_owned();
    let hook = json!({ "name": "Test", "url": url });
    let hook = register(site, BASE, &token, &hook).await.ok().text("/data/id");
    let id = create(site, BASE, &token).await.ok().text("/data/id");
    let status = json!({ "status": "signed", "force": true });
    admin(site, &format!("POST /legal_requests/{id}/status"), status).await;
    admin(site, "POST /deliveries/settle", Value::Null).await;
    let outbox = admin(site, "GET /deliveries", Value::Null).await;
    let all = outbox["deliveries"].as_array().expect("a list").clone();
    let ours = all.into_iter().find(|one| one["webhook_id"] == json!(hook));
    ours.expect("a delivery")["attempts"][0].clone()
}

async fn receiver(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(response).mount(&server).await;
    server
}

async fn count(server: &MockServer) -> usize {
    server.received_requests().await.expect("recording is on").len()
}

#[tokio::test]
async fn beyond_loopback_a_private_receiver_is_refused_and_the_attempt_says_why() {
    let receiver = receiver(ResponseTemplate::new(200)).await;
    let port = receiver.address().port();
    let site = site_of(beyond(&Arc::default()));
    for (url, says) in [
        (receiver.uri(), "127.0.0.1 is not a public address".to_owned()),
        (format!("http://2130706433:{port}/"), "127.0.0.1 is not a public address".to_owned()),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), "::ffff:127.0.0.1 is no".to_owned()),
        (format!("http://inside.moot:{port}/"), "`inside.moot` is at 10.0.0.7".to_owned()),
        (format!("http://localhost:{port}/"), "`localhost` is at 10.0.0.7".to_owned()),
    ] {
        let attempt = attempt(&site, &url).await;
        let error = attempt["error"].as_str().unwrap_or_default();
        assert!(error.contains(&says) && error.contains("public address"), "{url}: {attempt}");
    }
    assert_eq!(count(&receiver).await, 0);
}

#[tokio::test]
async fn beyond_loopback_a_delivery_goes_to_the_address_that_was_checked() {
    let receiver = receiver(ResponseTemplate::new(200)).await;
    let lookups = Arc::default();
    let site = site_of(beyond(&lookups));
    let url = format!("http://public.moot:{}/", receiver.address().port());
    assert_eq!(attempt(&site, &url).await["status"], json!(200));
    assert_eq!((count(&receiver).await, lookups.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test]
async fn private_receivers_are_reached_where_that_is_allowed() {
    let receiver = receiver(ResponseTemplate::new(200)).await;
    let options = SiteOptions { has_private_receivers: true, ..beyond(&Arc::default()) };
    let site = site_of(options);
    assert_eq!(attempt(&site, &receiver.uri()).await["status"], json!(200));
    let url = format!("http://inside.moot:{}/", receiver.address().port());
    assert_eq!(attempt(&site, &url).await["status"], json!(200));
    // The second event goes to both webhooks.
    assert_eq!(count(&receiver).await, 3);
}

#[tokio::test]
async fn a_redirect_of_a_receiver_is_a_response_and_never_followed() {
    let elsewhere = receiver(ResponseTemplate::new(200)).await;
    for status in [301, 302, 307, 308] {
        let response = ResponseTemplate::new(status).insert_header("location", elsewhere.uri());
        let receiver = receiver(response).await;
        let options = SiteOptions { has_private_receivers: true, ..beyond(&Arc::default()) };
        let site = site_of(options);
        assert_eq!(attempt(&site, &receiver.uri()).await["status"], json!(status));
    }
    assert_eq!(count(&elsewhere).await, 0);
}

/// More attempts than the limit go to forty receivers that never answer. The healthy one, which is registered last,
/// still gets its delivery before settling gives up, two seconds after the end of the last attempt.
#[tokio::test]
async fn many_dead_receivers_delay_a_healthy_one_by_two_seconds_at_most() {
    let healthy = receiver(ResponseTemplate::new(200)).await;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = nobody.local_addr().expect("a bound address").port();
    let options = SiteOptions { has_private_receivers: true, ..beyond(&Arc::default()) };
    let site = site_of(options);
    admin(&site, "PUT /delivery_policy", json!({ "paused": true, "duplicates": 7 })).await;
    let token = admin(&site, "POST /tokens", json!({ "client_id": "demo-main" })).await;
    let token = token["access_token"].as_str().expect("a token").to_owned();
    let dead = (0..40).map(|number| format!("http://dead{number}.moot:{port}/"));
    for url in dead.chain([healthy.uri()]) {
        register(&site, BASE, &token, &json!({ "name": "Test", "url": url })).await.ok();
    }
    let id = create(&site, BASE, &token).await.ok().text("/data/id");
    let status = json!({ "status": "signed", "force": true });
    admin(&site, &format!("POST /legal_requests/{id}/status"), status).await;
    admin(&site, "PUT /delivery_policy", json!({ "paused": false })).await;
    let patience = json!({ "wait_seconds": 2 });
    let settled = admin(&site, "POST /deliveries/settle", patience).await;
    assert_eq!(count(&healthy).await, 8, "{}", settled["in_flight"]);
    assert_eq!(settled["in_flight"], json!(320), "the dead ones hang");
}
