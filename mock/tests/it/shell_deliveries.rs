//! Deliveries over HTTP to a receiver on loopback.

use moot_mock::shell::Site;
use serde_json::{Value, json};
use wiremock::matchers::{header, method};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::shell_support::{BASE, admin, call, create, done, register, sign, site_with_token};

/// A receiver that answers every call with `status`. It receives only calls with the credential.
async fn receiver(status: u16) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(header("authorization", "Bearer hook-secret"))
        .respond_with(ResponseTemplate::new(status))
        .mount(&server)
        .await;
    server
}

async fn received(server: &MockServer) -> Vec<Request> {
    server.received_requests().await.expect("recording is on")
}

/// Registers a webhook at `url` and returns its id.
async fn webhook(site: &Site, token: &str, url: &str) -> String {
    let json = json!({ "name": "Test", "url": url, "auth_type": "bearer", "token": "hook-secret" });
    register(site, BASE, token, &json).await.ok().text("/data/id")
}

/// Creates a legal request, forces it to `signed`, and returns its id.
async fn signed(site: &Site, token: &str) -> String {
    let id = create(site, BASE, token).await.ok().text("/data/id");
    sign(site, BASE, &id).await;
    id
}

async fn settle(site: &Site) -> Value {
    done(site, "POST /deliveries/settle", Value::Null).await
}

/// Polls for receivers that never answer.
async fn settle_briefly(site: &Site) -> Value {
    let json = json!({ "wait_seconds": 1 });
    let response = admin(site, BASE, "POST /deliveries/settle", json).await;
    assert_eq!(response.status, 202, "it says that it gave up: {response:?}");
    response.json()
}

async fn advance(site: &Site, seconds: u64) -> Value {
    let json = json!({ "advance_seconds": seconds });
    done(site, "POST /clock", json).await
}

/// The site's world without the seed's webhooks, whose addresses do not exist.
async fn quiet_site() -> (Site, String) {
    let (site, token) = site_with_token().await;
    loop {
        let list = call(&site, &format!("GET {BASE}/v1/webhooks"), &token).await.ok().json();
        let rows = list["data"].as_array().expect("a list").clone();
        if rows.is_empty() {
            return (site, token);
        }
        for row in rows {
            let id = row["id"].as_str().expect("an id");
            call(&site, &format!("DELETE {BASE}/v1/webhooks/{id}"), &token).await.ok();
        }
    }
}

#[tokio::test]
async fn a_delivery_arrives_with_its_credential() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    let id = signed(&site, &token).await;
    settle(&site).await;
    let received = received(&receiver).await;
    assert_eq!(received.len(), 1);
    let body: Value = received[0].body_json().expect("JSON");
    assert_eq!(body["event"], json!("execution_complete"));
    assert_eq!(body["data"]["request_id"], json!(id));
    assert_eq!(received[0].headers["content-type"], "application/json");
    let outbox = done(&site, "GET /deliveries", Value::Null).await;
    assert_eq!(outbox["deliveries"][0]["state"], json!("delivered"));
    assert_eq!(outbox["deliveries"][0]["attempts"][0]["status"], json!(200));
}

#[tokio::test]
async fn a_failed_delivery_is_repeated_when_time_moves() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(500).await;
    webhook(&site, &token, &receiver.uri()).await;
    signed(&site, &token).await;
    settle(&site).await;
    assert_eq!(received(&receiver).await.len(), 1);
    for (seconds, count) in [(9, 1), (1, 2), (59, 2), (1, 3)] {
        advance(&site, seconds).await;
        assert_eq!(received(&receiver).await.len(), count, "after {seconds} s more");
    }
    let response = advance(&site, 100_000).await;
    assert_eq!(received(&receiver).await.len(), 5, "{response}");
    let outbox = done(&site, "GET /deliveries", Value::Null).await;
    assert_eq!(outbox["deliveries"][0]["state"], json!("failed"));
    admin(&site, BASE, "POST /deliveries/999999/redeliver", Value::Null).await;
    let id = &outbox["deliveries"][0]["id"];
    let line = format!("POST /deliveries/{id}/redeliver");
    admin(&site, BASE, &line, Value::Null).await.ok();
    settle(&site).await;
    assert_eq!(received(&receiver).await.len(), 6);
}

#[tokio::test]
async fn nothing_is_sent_after_a_webhook_was_deleted() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(500).await;
    let id = webhook(&site, &token, &receiver.uri()).await;
    signed(&site, &token).await;
    settle(&site).await;
    call(&site, &format!("DELETE {BASE}/v1/webhooks/{id}"), &token).await.ok();
    let before = received(&receiver).await.len();
    signed(&site, &token).await;
    settle(&site).await;
    advance(&site, 100_000).await;
    assert_eq!(received(&receiver).await.len(), before);
}

#[tokio::test]
async fn deleting_a_webhook_aborts_its_attempts_in_flight() {
    let (site, token) = quiet_site().await;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = format!("http://{}", nobody.local_addr().expect("a bound address"));
    let id = webhook(&site, &token, &silent).await;
    signed(&site, &token).await;
    assert_eq!(settle_briefly(&site).await["in_flight"], json!(1));
    call(&site, &format!("DELETE {BASE}/v1/webhooks/{id}"), &token).await.ok();
    assert_eq!(settle(&site).await, json!({ "attempts": [], "in_flight": 0 }));
}

#[tokio::test]
async fn settling_ends_as_soon_as_its_attempts_are_aborted() {
    let (site, token) = quiet_site().await;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = format!("http://{}", nobody.local_addr().expect("a bound address"));
    let id = webhook(&site, &token, &silent).await;
    signed(&site, &token).await;
    let patient = json!({ "wait_seconds": 600 });
    let settling = admin(&site, BASE, "POST /deliveries/settle", patient);
    let deletion = format!("DELETE {BASE}/v1/webhooks/{id}");
    let both = async { tokio::join!(settling, call(&site, &deletion, &token)) };
    let (settled, _) = tokio::time::timeout(std::time::Duration::from_secs(20), both)
        .await
        .expect("it does not wait for the aborted attempt");
    assert_eq!(settled.ok().json(), json!({ "attempts": [], "in_flight": 0 }));
}

#[tokio::test]
async fn a_receiver_that_is_not_there_delays_no_other() {
    let (site, token) = quiet_site().await;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = format!("http://{}", nobody.local_addr().expect("a bound address"));
    // The socket listens and never accepts: attempts wait until they time out.
    webhook(&site, &token, &silent).await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    for _ in 0..20 {
        signed(&site, &token).await;
    }
    let settled = settle_briefly(&site).await;
    assert_eq!(received(&receiver).await.len(), 20, "{settled}");
    assert_eq!(settled["in_flight"], json!(20), "{settled}");
}

/// A receiver that answers after three seconds. The clock and `settle` wait for it, or report attempts in flight.
#[tokio::test]
async fn a_slow_receiver_is_waited_for_as_long_as_asked() {
    let (site, token) = quiet_site().await;
    let slow = MockServer::start().await;
    let response = ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(3));
    Mock::given(method("POST")).respond_with(response).mount(&slow).await;
    webhook(&site, &token, &slow.uri()).await;
    signed(&site, &token).await;
    let impatient = json!({ "advance_seconds": 1, "wait_seconds": 0 });
    let moved = admin(&site, BASE, "POST /clock", impatient).await;
    assert_eq!(moved.status, 202);
    let moved = moved.json();
    assert_eq!((&moved["attempts"], &moved["in_flight"]), (&json!([]), &json!(1)));
    let outbox = done(&site, "GET /deliveries", Value::Null).await;
    assert_eq!(moved["in_flight_deliveries"], json!([outbox["deliveries"][0]["id"]]));
    let settled = admin(&site, BASE, "POST /deliveries/settle", Value::Null).await;
    assert_eq!(settled.status, 200);
    let settled = settled.json();
    assert_eq!(settled["in_flight"], json!(0), "{settled}");
    assert_eq!(settled["attempts"][0]["status"], json!(200), "{settled}");
    let beyond =
        admin(&site, BASE, "POST /deliveries/settle", json!({ "wait_seconds": 601 })).await;
    assert_eq!(beyond.status, 422, "{beyond:?}");
}

async fn set_policy(site: &Site, policy: Value) -> Value {
    done(site, "PUT /delivery_policy", policy).await
}

#[tokio::test]
async fn paused_deliveries_stay_queued_until_they_go_on() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    assert_eq!(set_policy(&site, json!({ "paused": true })).await["paused"], json!(true));
    signed(&site, &token).await;
    let idle = json!({ "attempts": [], "in_flight": 0 });
    assert_eq!(settle(&site).await, idle);
    advance(&site, 3_600).await;
    assert_eq!(received(&receiver).await.len(), 0);
    let before = admin(&site, BASE, "GET /clock", Value::Null).await.ok().text("/now");
    let next = admin(&site, BASE, "POST /clock", json!({ "next": true })).await.ok();
    assert_eq!(next.text("/now"), before, "nothing falls due while paused");
    assert_eq!(set_policy(&site, json!({})).await["paused"], json!(true), "absent stays");
    set_policy(&site, json!({ "paused": false })).await;
    settle(&site).await;
    assert_eq!(received(&receiver).await.len(), 1);
}

#[tokio::test]
async fn a_delivery_queued_before_its_webhook_was_deleted_is_never_sent() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    let id = webhook(&site, &token, &receiver.uri()).await;
    set_policy(&site, json!({ "paused": true })).await;
    signed(&site, &token).await;
    call(&site, &format!("DELETE {BASE}/v1/webhooks/{id}"), &token).await.ok();
    set_policy(&site, json!({ "paused": false })).await;
    advance(&site, 100_000).await;
    assert_eq!(received(&receiver).await.len(), 0);
}

#[tokio::test]
async fn the_deliveries_of_a_deleted_webhook_are_in_the_account() {
    let (site, token) = quiet_site().await;
    site.remember_deleted();
    let receiver = receiver(200).await;
    let id = webhook(&site, &token, &receiver.uri()).await;
    signed(&site, &token).await;
    settle(&site).await;
    call(&site, &format!("DELETE {BASE}/v1/webhooks/{id}"), &token).await.ok();
    let listed = done(&site, "GET /deliveries", Value::Null).await;
    assert_eq!(listed["deliveries"], json!([]), "its log is removed (§4.13)");
    let kept = site.journals()["worlds"][0]["deliveries"].take();
    assert_eq!(kept[0]["webhook_id"], json!(id));
    assert_eq!(kept[0]["attempts"][0]["status"], json!(200));
}

/// Twenty attempts to one receiver, of which eight wait for a response. The others get a turn only after deliveries
/// are paused, and are queued again.
#[tokio::test]
async fn an_attempt_that_waits_for_its_turn_does_not_start_while_paused() {
    let (site, token) = quiet_site().await;
    let slow = MockServer::start().await;
    let response = ResponseTemplate::new(200).set_delay(std::time::Duration::from_millis(300));
    Mock::given(method("POST")).respond_with(response).mount(&slow).await;
    webhook(&site, &token, &slow.uri()).await;
    set_policy(&site, json!({ "paused": true })).await;
    for _ in 0..20 {
        signed(&site, &token).await;
    }
    set_policy(&site, json!({ "paused": false })).await;
    set_policy(&site, json!({ "paused": true })).await;
    let settled = settle(&site).await;
    assert_eq!(settled["in_flight"], json!(0), "{settled}");
    let begun = received(&slow).await.len();
    assert!(begun <= 8, "{begun}");
    set_policy(&site, json!({ "paused": false })).await;
    settle(&site).await;
    assert_eq!(received(&slow).await.len(), 20);
}

#[tokio::test]
async fn deliveries_are_duplicated_and_name_an_unknown_event() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    set_policy(&site, json!({ "duplicates": 2, "event": "zz_unheard_of" })).await;
    signed(&site, &token).await;
    settle(&site).await;
    let bodies: Vec<Value> = received(&receiver)
        .await
        .iter()
        .map(|request| request.body_json().expect("JSON"))
        .collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert_eq!(bodies[0]["event"], json!("zz_unheard_of"));
    let policy = set_policy(&site, json!({ "duplicates": 0, "event": null })).await;
    assert_eq!((&policy["duplicates"], &policy["event"]), (&json!(0), &Value::Null));
    signed(&site, &token).await;
    settle(&site).await;
    let all = received(&receiver).await;
    let last: Value = all[3].body_json().expect("JSON");
    assert_eq!((all.len(), &last["event"]), (4, &json!("execution_complete")));
}

#[tokio::test]
async fn forged_deliveries_have_no_credential_or_a_wrong_one_and_are_marked() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    let open =
        json!({ "name": "Open", "url": format!("{}/open", receiver.uri()), "auth_type": "none" });
    register(&site, BASE, &token, &open).await.ok();
    set_policy(&site, json!({ "forged": true })).await;
    signed(&site, &token).await;
    settle(&site).await;
    let mut credentials = Vec::new();
    for request in received(&receiver).await {
        let credential = request.headers.get("authorization");
        let credential = credential.map(|value| value.to_str().expect("a text").to_owned());
        credentials.push((request.url.path().to_owned(), credential));
    }
    credentials.sort();
    let to =
        |path: &str, credential: Option<&str>| (path.to_owned(), credential.map(str::to_owned));
    assert_eq!(
        credentials,
        [
            to("/", None),
            to("/", Some("Bearer hook-secret")),
            to("/", Some("Bearer moot-forged")),
            to("/open", None),
        ]
    );
    let listed = done(&site, "GET /deliveries", Value::Null).await;
    let listed = listed["deliveries"].as_array().expect("a list").clone();
    let refused = listed.iter().filter(|it| it["forged"] == true);
    assert_eq!(
        refused.map(|it| it["attempts"][0]["status"].clone()).collect::<Vec<_>>(),
        [404, 404]
    );
    assert_eq!(listed.len(), 4);
}

/// The requests that were delivered, in the order of their arrival.
async fn arrived(server: &MockServer) -> Vec<Value> {
    let requests = received(server).await;
    let id = |request: &Request| {
        request.body_json::<Value>().expect("JSON")["data"]["request_id"].clone()
    };
    requests.iter().map(id).collect()
}

/// Executes this number of requests, and moves the clock from attempt to attempt.
async fn shuffled(policy: Value, count: usize) -> (Vec<Value>, Vec<Value>) {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    set_policy(&site, policy).await;
    let mut executed = Vec::new();
    for _ in 0..count {
        executed.push(json!(signed(&site, &token).await));
    }
    settle(&site).await;
    for _ in 0..count {
        admin(&site, BASE, "POST /clock", json!({ "next": true })).await.ok();
    }
    (executed, arrived(&receiver).await)
}

#[tokio::test]
async fn reordered_deliveries_all_come_in_another_order_that_the_seed_decides() {
    let policy = json!({ "reorder_seconds": 3_600 });
    for count in [3, 4, 9] {
        let (executed, arrived) = shuffled(policy.clone(), count).await;
        assert_ne!(executed, arrived);
        let (mut sent, mut came) = (executed.clone(), arrived.clone());
        sent.sort_by_key(Value::to_string);
        came.sort_by_key(Value::to_string);
        assert_eq!(sent, came, "each exactly once");
        assert_eq!(shuffled(policy.clone(), count).await, (executed, arrived), "the same again");
    }
    let (executed, arrived) = shuffled(json!({ "reorder_seconds": 0 }), 4).await;
    let mut came = arrived.clone();
    came.sort_by_key(|id| executed.iter().position(|known| known == id));
    assert_eq!(came, executed);
}

#[tokio::test]
async fn deliveries_are_delayed_to_the_second() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    webhook(&site, &token, &receiver.uri()).await;
    set_policy(&site, json!({ "delay_seconds": 60, "reorder_seconds": 30 })).await;
    for _ in 0..4 {
        signed(&site, &token).await;
    }
    let mut counts = Vec::new();
    for seconds in [59, 15, 16] {
        advance(&site, seconds).await;
        counts.push(received(&receiver).await.len());
    }
    // Two of four numbers are odd. Their deliveries wait for more than half of the span.
    assert_eq!(counts, [0, 2, 4]);
    let response = admin(&site, BASE, "PUT /delivery_policy", json!({ "duplicates": 11 })).await;
    assert_eq!(response.status, 422, "{response:?}");
}

#[tokio::test]
async fn of_ten_thousand_queued_none_is_attempted_after_the_webhook_was_deleted() {
    let (site, token) = quiet_site().await;
    let receiver = receiver(200).await;
    let id = webhook(&site, &token, &receiver.uri()).await;
    set_policy(&site, json!({ "paused": true, "duplicates": 10 })).await;
    for _ in 0..910 {
        signed(&site, &token).await;
    }
    let queued = |world: &Value| world["deliveries"]["queued"].clone();
    let world = done(&site, "GET /world", Value::Null).await;
    assert_eq!(queued(&world), json!(10_000), "as many as a world keeps");
    // Attempts are in flight when the webhook is deleted.
    set_policy(&site, json!({ "paused": false })).await;
    while received(&receiver).await.is_empty() {
        tokio::task::yield_now().await;
    }
    call(&site, &format!("DELETE {BASE}/v1/webhooks/{id}"), &token).await.ok();
    let before = received(&receiver).await.len();
    let world = done(&site, "GET /world", Value::Null).await;
    assert_eq!(queued(&world), json!(0));
    advance(&site, 100_000).await;
    let after = received(&receiver).await.len();
    // Attempts that started before the response may arrive after it: at most the number in flight to one receiver.
    assert!(after - before <= 8 && after < 10_000, "{before}, then {after}");
    let outbox = done(&site, "GET /deliveries", Value::Null).await;
    let all = outbox["deliveries"].as_array().expect("a list").clone();
    assert!(all.iter().all(|one| one["state"] == json!("discarded")), "its log is gone");
}
