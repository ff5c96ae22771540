//! A client cannot change the data of its account.

use http::StatusCode;
use moot_mock::shell::{Site, SiteOptions};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::shell_support::{
    BASE, MAIN, admin, call, done, request, send, settings, site, site_of, token,
};

/// The numbers of the calls of each world, and the number of forgotten calls.
fn held(site: &Site) -> Vec<(usize, u64)> {
    let journals = site.journals();
    let worlds = journals["worlds"].as_array().expect("worlds").iter();
    worlds
        .map(|world| {
            let calls = world["exchanges"].as_array().expect("a list").len();
            (calls, world["forgotten"].as_u64().expect("a number"))
        })
        .collect()
}

async fn list(site: &Site, base: &str) {
    let token = token(site, base, MAIN).await;
    call(site, &format!("GET {base}/v1/requests"), &token).await.ok();
}

#[tokio::test]
async fn a_cleared_journal_is_empty_for_the_client_and_whole_for_its_account() {
    let site = site();
    site.remember_deleted();
    for _ in 0..2 {
        list(&site, BASE).await;
        admin(&site, BASE, "DELETE /exchanges", Value::Null).await.ok();
        let count = done(&site, "GET /exchanges/count", Value::Null).await;
        assert_eq!(count, json!({ "count": 0 }));
        for serial in 1..=4 {
            let one = format!("GET /exchanges/{serial}");
            let shown = admin(&site, BASE, &one, Value::Null).await;
            assert_eq!(shown.status, StatusCode::NOT_FOUND, "{one}");
        }
    }
    list(&site, BASE).await;
    let count = done(&site, "GET /exchanges/count", Value::Null).await;
    assert_eq!(count, json!({ "count": 1 }));
    assert_eq!(held(&site), [(3, 0)]);
}

#[tokio::test]
async fn the_calls_before_a_reset_or_a_restored_checkpoint_are_in_the_account() {
    let site = site();
    site.remember_deleted();
    list(&site, BASE).await;
    admin(&site, BASE, "POST /checkpoints", json!({ "name": "a" })).await;
    admin(&site, BASE, "POST /reset", Value::Null).await.ok();
    list(&site, BASE).await;
    admin(&site, BASE, "DELETE /exchanges", Value::Null).await.ok();
    admin(&site, BASE, "POST /checkpoints/a/restore", Value::Null).await.ok();
    admin(&site, BASE, "POST /restart", Value::Null).await.ok();
    assert_eq!(held(&site), [(1, 0), (1, 0), (0, 0)]);
}

#[tokio::test]
async fn a_deleted_sandbox_is_in_the_account_with_its_cleared_calls() {
    let site = site();
    site.remember_deleted();
    let made = admin(&site, BASE, "POST /sandboxes", json!({})).await.json();
    let id = made["id"].as_str().expect("an id");
    let base = format!("{BASE}/sandboxes/{id}");
    let unserved = call(&site, &format!("GET {base}/v1/requests"), "none").await;
    assert_eq!(unserved.status, StatusCode::UNAUTHORIZED);
    admin(&site, &base, "DELETE /exchanges", Value::Null).await.ok();
    admin(&site, BASE, &format!("DELETE /sandboxes/{id}"), Value::Null).await.ok();
    assert_eq!(held(&site), [(0, 0), (1, 0)]);
}

#[tokio::test]
async fn without_an_account_cleared_calls_are_forgotten() {
    let site = site();
    list(&site, BASE).await;
    admin(&site, BASE, "DELETE /exchanges", Value::Null).await.ok();
    assert_eq!(held(&site), [(0, 1)]);
}

#[tokio::test]
async fn the_account_has_the_use_of_the_control_plane() {
    let site = site();
    for _ in 0..2 {
        admin(&site, BASE, "DELETE /faults", Value::Null).await.ok();
    }
    admin(&site, BASE, "DELETE /faults/77", Value::Null).await;
    let row = |path: &str, calls: u64| json!({ "method": "DELETE", "path": path, "calls": calls, "refused": 0 });
    assert_eq!(site.journals()["control"], json!([row("/faults", 2), row("/faults/{id}", 1)]));
}

/// A site that offers a part of its control plane to a client, and the sandboxes that its owner was notified of.
fn graded() -> (Site, Arc<Mutex<Vec<String>>>) {
    let new_sandboxes = Arc::new(Mutex::new(Vec::new()));
    let watching = new_sandboxes.clone();
    let options = SiteOptions {
        admin_token: Some("grades".to_owned()),
        client_token: Some("graded".to_owned()),
        sandbox_watch: Some(Arc::new(move |id: &str| watching.lock().push(id.to_owned()))),
        ..SiteOptions::new(settings())
    };
    (site_of(options), new_sandboxes)
}

#[tokio::test]
async fn a_graded_client_has_sandboxes_the_clock_and_a_receiver_and_nothing_else() {
    let (site, new_sandboxes) = graded();
    let index = send(&site, request(&format!("GET {BASE}/__admin/"), "grades", None)).await;
    let routes = index.ok().json()["routes"].take();
    let mut offered = Vec::new();
    for route in routes.as_array().expect("routes") {
        let (method, path) =
            (route["method"].as_str().expect("one"), route["path"].as_str().expect("one"));
        let line = format!("{method} {BASE}{}", path.replace("{id}", "1"));
        // No action has this body, so nothing is done.
        let unread = Some(("application/json", b"[]".to_vec()));
        let response = send(&site, request(&line, "graded", unread)).await;
        if response.status != StatusCode::FORBIDDEN {
            offered.push(format!("{method} {}", path.trim_start_matches("/__admin")));
        }
    }
    offered.sort();
    assert_eq!(
        offered,
        [
            "DELETE /receiver",
            "DELETE /sandboxes/{id}",
            "GET /",
            "GET /clock",
            "GET /health",
            "GET /openapi.json",
            "GET /receiver",
            "GET /sandboxes",
            "GET /sandboxes/{id}",
            "POST /clock",
            "POST /deliveries/settle",
            "POST /deliveries/wait",
            "POST /receiver",
            "POST /sandboxes",
            "POST /sandboxes/{id}/renew",
            "PUT /receiver",
        ]
    );
    // In its own sandbox it has no additional rights.
    let line = format!("POST {BASE}/__admin/sandboxes");
    assert_eq!(send(&site, request(&line, "graded", None)).await.status, StatusCode::CREATED);
    let id = new_sandboxes.lock().first().cloned().expect("the owner was notified of the sandbox");
    let line = format!("DELETE {BASE}/sandboxes/{id}/__admin/faults");
    assert_eq!(send(&site, request(&line, "graded", None)).await.status, StatusCode::FORBIDDEN);
    send(&site, request(&line, "grades", None)).await.ok();
    let control = site.journals()["control"].take();
    let refused = control
        .as_array()
        .expect("rows")
        .iter()
        .find(|row| row["path"] == "/faults" && row["method"] == "DELETE");
    assert_eq!(
        refused.expect("it is counted")["refused"],
        2,
        "the owner's own calls are not counted"
    );
}
