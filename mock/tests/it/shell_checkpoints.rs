//! Checkpoints on the control plane: a state is built once, and restored through the socket.

use moot_mock::shell::{ServeLimits, Site};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, MAIN, admin, call, client, create, done, own_path, sandbox, served, site,
    site_with_token, token, upload,
};

/// The number of legal requests that the caller sees.
async fn count(site: &Site, base: &str, token: &str) -> u64 {
    let list = call(site, &format!("GET {base}/v1/requests"), token).await.ok().json();
    list["pagination"]["total_count"].as_u64().expect("a number")
}

#[tokio::test]
async fn a_stage_is_set_once_and_restored_through_the_socket() {
    let (site, token) = site_with_token().await;
    create(&site, BASE, &token).await.ok();
    let staged = count(&site, BASE, &token).await;
    let served = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    let url = format!("http://{}{BASE}/__admin/checkpoints", served.address);
    let made = client.post(&url).body(json!({ "name": "stage-1" }).to_string());
    assert_eq!(made.send().await.expect("a response").status(), 201);
    create(&site, BASE, &token).await.ok();
    let fault = json!({ "kind": "status", "status": 503, "times": 9 });
    admin(&site, BASE, "POST /faults", fault).await.ok();
    let restored = client.post(format!("{url}/stage-1/restore")).send().await.expect("a response");
    assert_eq!(restored.status(), 200);
    // The token was issued before the checkpoint.
    assert_eq!(count(&site, BASE, &token).await, staged);
    let list = done(&site, "GET /checkpoints", Value::Null).await;
    let row = json!({ "name": "stage-1", "time": "2026-03-05T14:30:00Z" });
    assert_eq!(list, json!({ "checkpoints": [row] }));
    let gone = client.delete(format!("{url}/stage-1")).send().await.expect("a response");
    assert_eq!(gone.status(), 200);
    let line = "POST /checkpoints/stage-1/restore";
    assert_eq!(admin(&site, BASE, line, Value::Null).await.status, 404);
}

#[tokio::test]
async fn each_sandbox_has_checkpoints_of_its_own() {
    let site = site();
    let (base, _) = sandbox(&site, json!({})).await;
    admin(&site, &base, "POST /checkpoints", json!({ "name": "stage" })).await.ok();
    let token = token(&site, &base, MAIN).await;
    let before = count(&site, &base, &token).await;
    create(&site, &base, &token).await.ok();
    let line = "POST /checkpoints/stage/restore";
    assert_eq!(admin(&site, BASE, line, Value::Null).await.status, 404);
    admin(&site, &base, line, Value::Null).await.ok();
    assert_eq!(count(&site, &base, &token).await, before);
}

#[tokio::test]
async fn a_restored_world_has_no_received_delivery_and_no_journal() {
    let site = site();
    admin(&site, BASE, "POST /checkpoints", json!({ "name": "stage" })).await.ok();
    admin(&site, BASE, "POST /receiver", json!({ "any": "body" })).await.ok();
    call(&site, &format!("GET {BASE}/v1/requests"), "").await;
    admin(&site, BASE, "POST /checkpoints/stage/restore", Value::Null).await.ok();
    let received = done(&site, "GET /receiver", Value::Null).await;
    assert_eq!(received["received"], json!([]));
    let journal = done(&site, "GET /exchanges", Value::Null).await;
    assert_eq!(journal["count"], json!(0));
}

/// A checkpoint, and a restored state, survive the end of the process.
#[tokio::test]
async fn checkpoints_survive_a_restart_and_a_reset() {
    use moot_mock::shell::SiteOptions;

    use crate::shell_support::settings;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let open = || {
        Site::with_state(SiteOptions::new(settings()), folder.path())
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let site = open();
    let token = token(&site, BASE, MAIN).await;
    let staged = create(&site, BASE, &token).await.ok().text("/data/id");
    upload(&site, BASE, &token, &["file@terms.txt=Twelve bytes"]).await.ok();
    admin(&site, BASE, "POST /checkpoints", json!({ "name": "stage" })).await.ok();
    let before = count(&site, BASE, &token).await;
    create(&site, BASE, &token).await.ok();
    admin(&site, BASE, "POST /checkpoints/stage/restore", Value::Null).await.ok();
    drop(site);
    let site = open();
    assert_eq!(count(&site, BASE, &token).await, before, "it was restored before the restart");
    admin(&site, BASE, "POST /reset", Value::Null).await.ok();
    drop(site);
    let site = open();
    assert_eq!(count(&site, BASE, &token).await, before - 1, "it was reset");
    admin(&site, BASE, "POST /checkpoints/stage/restore", Value::Null).await.ok();
    let line = format!("GET {BASE}/v1/requests/{staged}");
    assert_eq!(call(&site, &line, &token).await.ok().text("/data/id"), staged);
    let list = call(&site, &format!("GET {BASE}/v1/repository_documents"), &token).await.ok();
    let url = list.text("/data/0/attributes/agreement_url");
    assert_eq!(call(&site, &format!("GET {}", own_path(&url)), "").await.ok().body, "Twelve bytes");
    admin(&site, BASE, "DELETE /checkpoints/stage", Value::Null).await.ok();
    drop(site);
    let list = admin(&open(), BASE, "GET /checkpoints", Value::Null).await.ok().json();
    assert_eq!(list, json!({ "checkpoints": [] }));
}
