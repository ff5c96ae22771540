//! Drills: each makes its additions, and the responses still keep the contract.

use moot_mock::shell::Site;
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, MAIN, TestResponse, admin, call, create, done, sign, site, token,
};

const MEMBER: &str = "moot_unknown_member";

async fn drill(site: &Site, drills: Value) {
    let set = done(site, "PUT /drills", drills.clone()).await;
    let shown = done(site, "GET /drills", Value::Null).await;
    assert_eq!(set, shown);
    for (name, value) in drills.as_object().expect("an object") {
        assert_eq!(&shown[name], value);
    }
}

/// A list, a resource, a log, a creation and a problem.
async fn responses(site: &Site) -> [TestResponse; 5] {
    let token = token(site, BASE, MAIN).await;
    let get = async |path: &str| call(site, &format!("GET {BASE}/v1{path}"), &token).await;
    let list = get("/requests").await;
    let id = list.text("/data/0/id");
    let one = get(&format!("/requests/{id}")).await;
    let log = get(&format!("/requests/{id}/activity")).await;
    let created = create(site, BASE, &token).await;
    let problem = get("/requests/unknown").await;
    [list, one, log, created, problem]
}

#[tokio::test]
async fn without_a_drill_nothing_is_added() {
    let site = site();
    for response in responses(&site).await {
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert!(!text.contains("moot_unknown"), "{text}");
        assert!(response.headers.get("x-moot-unknown-header").is_none());
    }
}

#[tokio::test]
async fn a_member_is_added_to_every_object_but_not_to_attributes_of_a_creation() {
    let site = site();
    drill(&site, json!({ "members": true })).await;
    let [list, one, log, created, problem] = responses(&site).await.map(|response| response.json());
    for (body, places) in [
        (&list, ["", "/pagination", "/data/0", "/data/24/attributes"].as_slice()),
        (&one, &["", "/data", "/data/attributes"]),
        (&log, &["", "/data/0", "/data/0/attributes"]),
        (&created, &["", "/data"]),
        (&problem, &[""]),
    ] {
        for place in places {
            let object = body.pointer(place).expect("an object");
            assert!(object.get(MEMBER).is_some(), "{place}: {body}");
        }
    }
    let attributes = created["data"]["attributes"].as_object().expect("an object");
    assert_eq!(attributes.keys().collect::<Vec<_>>(), ["name", "status"]);
    assert_eq!(problem["type"], "request_not_found");
}

#[tokio::test]
async fn values_are_added_where_the_specification_shows_one_of_several() {
    let site = site();
    drill(&site, json!({ "values": true })).await;
    let [list, _, log, ..] = responses(&site).await.map(|response| response.json());
    let actions: Vec<&Value> = log["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| &entry["attributes"]["action"])
        .collect();
    assert!(actions.contains(&&json!("moot_unknown_action")), "{actions:?}");
    assert!(!list.to_string().contains("moot_unknown"), "the statuses of §3 are all there are");
    let token = token(&site, BASE, MAIN).await;
    let hooks = call(&site, &format!("GET {BASE}/v1/webhooks"), &token).await.ok().json();
    for hook in hooks["data"].as_array().expect("a list") {
        let events = hook["attributes"]["events"].as_array().expect("a list");
        assert!(events.contains(&json!("moot_unknown_event")), "{hook}");
    }
}

#[tokio::test]
async fn an_unknown_problem_never_replaces_one_that_is_stated() {
    let site = site();
    drill(&site, json!({ "problems": true })).await;
    let [.., problem] = responses(&site).await;
    assert_eq!(problem.text("/type"), "request_not_found");
    let token = token(&site, BASE, MAIN).await;
    let wrong = call(&site, &format!("PATCH {BASE}/v1/requests"), &token).await;
    assert_eq!((wrong.status.as_u16(), wrong.text("/type")), (405, "moot_unknown_problem".into()));
    let none = call(&site, &format!("GET {BASE}/v1/requests"), "").await;
    assert_eq!(none.text("/type"), "invalid_token");
}

#[tokio::test]
async fn headers_and_events_are_added_and_a_reset_ends_it() {
    let site = site();
    drill(&site, json!({ "headers": true, "events": true })).await;
    for response in responses(&site).await {
        assert_eq!(response.headers["x-moot-unknown-header"], "drill", "{}", response.status);
    }
    let token = token(&site, BASE, MAIN).await;
    let list = call(&site, &format!("GET {BASE}/v1/requests?status=draft"), &token).await;
    admin(&site, BASE, "PUT /delivery_policy", json!({ "paused": true })).await.ok();
    sign(&site, BASE, &list.text("/data/0/id")).await;
    let queued = done(&site, "GET /deliveries", Value::Null).await;
    let events: Vec<&str> = queued["deliveries"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|delivery| delivery["event"].as_str().expect("text"))
        .collect();
    let count = |event: &str| events.iter().filter(|one| **one == event).count();
    assert!(count("execution_complete") > 0, "{events:?}");
    assert_eq!(count("execution_complete"), count("moot_unknown_event"));
    admin(&site, BASE, "POST /reset", Value::Null).await.ok();
    let shown = done(&site, "GET /drills", Value::Null).await;
    assert!(shown.as_object().expect("an object").values().all(|value| *value == false));
    let wrong = admin(&site, BASE, "PUT /drills", json!({ "member": true })).await;
    assert!(wrong.text("/detail").contains("did you mean `members`?"), "{wrong:?}");
}

/// A drill is judged by the log of deliveries, so the unknown event has its own name there.
#[tokio::test]
async fn the_log_of_deliveries_names_only_the_unknown_event_of_a_policy() {
    for (sent, logged) in
        [("moot_unknown_event", "moot_unknown_event"), ("zz_unheard_of", "execution_complete")]
    {
        let site = site();
        let token = token(&site, BASE, MAIN).await;
        let list = call(&site, &format!("GET {BASE}/v1/requests?status=draft"), &token).await;
        let policy = json!({ "paused": true, "event": sent });
        admin(&site, BASE, "PUT /delivery_policy", policy).await.ok();
        sign(&site, BASE, &list.text("/data/0/id")).await;
        let queued = done(&site, "GET /deliveries", Value::Null).await;
        let queued = queued["deliveries"].as_array().expect("a list");
        assert!(!queued.is_empty(), "{sent}");
        assert!(queued.iter().all(|delivery| delivery["event"] == logged), "{sent}: {queued:?}");
    }
}
