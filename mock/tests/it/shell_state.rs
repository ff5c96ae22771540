//! State in a folder: acknowledged changes survive any end of the process, and damage is detected.
//!
//! A copy of the folder of a running mock equals the folder of a killed mock.

use std::fs;
use std::path::{Path, PathBuf};

use moot_mock::shell::{DurableError, Site, SiteError, SiteOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, admin, ask_token, call, create, done, form, own_path, register,
    request, sandbox, send, settings, sign, token, upload,
};

/// Bytes of the head of redb: magic number, flags, geometry and two slots of the newest transactions.
const HEAD: usize = 320;
/// Bytes of the head up to the geometry.
const FIELDS: usize = 12;

fn opened(folder: &Path) -> Result<Site, SiteError> {
    Site::with_state(SiteOptions::new(settings()), folder)
}

fn site_in(folder: &TempDir) -> Site {
    opened(folder.path()).unwrap_or_else(|error| panic!("{error}"))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Copies the folder as it is on the disk now.
fn copied(from: &Path) -> TempDir {
    let to = folder();
    for name in ["state.redb", "files", "commits"] {
        let source = from.join(name);
        if source.is_dir() {
            fs::create_dir(to.path().join(name)).expect("a folder");
            for entry in fs::read_dir(&source).expect("a readable folder") {
                let path = entry.expect("an entry").path();
                let target = to.path().join(name).join(path.file_name().expect("a name"));
                fs::copy(&path, target).expect("a copy");
            }
        } else {
            fs::copy(&source, to.path().join(name)).expect("a copy");
        }
    }
    to
}

/// All data that clients of the main world and its control plane see.
async fn seen(site: &Site) -> Vec<Value> {
    seen_at(site, BASE).await
}

/// As [`seen`], in the world below `base`.
async fn seen_at(site: &Site, base: &str) -> Vec<Value> {
    let token = token(site, base, MAIN).await;
    let mut seen = Vec::new();
    for list in ["requests", "repository_documents", "webhooks"] {
        let mut page = 1;
        loop {
            let line = format!("GET {base}/v1/{list}?page={page}");
            let response = call(site, &line, &token).await.ok().json();
            for row in response["data"].as_array().expect("a list") {
                if list == "requests" {
                    let id = row["id"].as_str().expect("an id");
                    let line = format!("GET /legal_requests/{id}");
                    seen.push(admin(site, base, &line, Value::Null).await.ok().json());
                }
                if list == "repository_documents" {
                    let url = row["attributes"]["agreement_url"].as_str().expect("an address");
                    let response = call(site, &format!("GET {}", own_path(url)), "").await.ok();
                    seen.push(json!(response.body.len()));
                    seen.push(json!(sum(&response.body)));
                }
                seen.push(row.clone());
            }
            if page >= response["pagination"]["total_pages"].as_u64().expect("a number") {
                break;
            }
            page += 1;
        }
    }
    for line in ["GET /deliveries", "GET /clock", "GET /rate_limit"] {
        seen.push(admin(site, base, line, Value::Null).await.ok().json());
    }
    seen
}

/// A sum over all bytes and their places.
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |all: u64, byte| {
        (all ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Makes one change of each kind: requests, documents small and large, webhooks, statuses, clock, limit.
async fn filled(site: &Site) -> String {
    filled_at(site, BASE).await
}

/// As [`filled`], in the world below `base`.
async fn filled_at(site: &Site, base: &str) -> String {
    let token = token(site, base, MAIN).await;
    let post = async |path: &str, (kind, body): (&str, Vec<u8>)| {
        let line = format!("POST {base}/v1/{path}");
        send(site, request(&line, &token, Some((kind, body)))).await.ok()
    };
    let id = post("requests", form(LEGAL_REQUEST)).await.text("/data/id");
    post("repository_documents", form(&["file@notes.txt=Some text"])).await;
    let large = format!("file@large.txt={}", "0123456789".repeat(20_000));
    post("repository_documents", form(&[&large, "metadata={\"agreement_url\":\"x\"}"])).await;
    let url = "url=https://files.example.com/agreement.pdf";
    post("repository_documents", form(&[url])).await;
    let webhook = json!({
        "name": "n", "url": "http://127.0.0.1:9/", "auth_type": "bearer",
        "events": ["execution_complete"], "auth_token": "secret", "token": "secret",
    });
    register(site, base, &token, &webhook).await.ok();
    let hooks = call(site, &format!("GET {base}/v1/webhooks"), &token).await.ok();
    let hook = hooks.text("/data/0/id");
    call(site, &format!("DELETE {base}/v1/webhooks/{hook}"), &token).await.ok();
    admin(site, base, "POST /tokens/revoke", json!({"token": token})).await.ok();
    let status = json!({"status": "archived", "force": true, "comment": "done"});
    admin(site, base, &format!("POST /legal_requests/{id}/status"), status).await.ok();
    let set = json!({"set": "2026-03-05T14:40:00.5Z"});
    admin(site, base, "POST /clock", set).await.ok();
    admin(site, base, "PUT /rate_limit", json!({"mode": "observe"})).await.ok();
    token
}

#[tokio::test]
async fn acknowledged_changes_survive_a_kill() {
    let folder = folder();
    let site = site_in(&folder);
    let untouched = seen(&site).await;
    let revoked = filled(&site).await;
    let before = seen(&site).await;
    assert_ne!(before, untouched);
    let copy = copied(folder.path());
    let again = site_in(&copy);
    assert_eq!(seen(&again).await, before);
    let response = call(&again, &format!("GET {BASE}/v1/workflows"), &revoked).await;
    assert_eq!(response.status, 401);
    assert!(response.text("/type").contains("revoked"));
    let third = copied(copy.path());
    assert_eq!(seen(&site_in(&third)).await, before, "a second start reads the same");
}

#[tokio::test]
async fn new_rows_of_a_later_start_have_new_ids() {
    let folder = folder();
    let site = site_in(&folder);
    let again = site_in(&copied(folder.path()));
    let mut ids = Vec::new();
    for site in [&site, &again] {
        let response = call(site, &format!("GET {BASE}/v1/requests"), "").await;
        ids.push(response.text("/request_id"));
    }
    assert_ne!(ids[0], ids[1], "no `request_id` is given twice");
}

#[tokio::test]
async fn an_existing_folder_wins_over_seed_and_world() {
    let folder = folder();
    let site = site_in(&folder);
    filled(&site).await;
    let before = seen(&site).await;
    let copy = copied(folder.path());
    let world = moot_fixtures::world::named("empty").expect("it is embedded").clone();
    let options =
        SiteOptions::new(moot_mock::Settings { seed: 8, seed_world: world.into(), ..settings() });
    let again = Site::with_state(options, copy.path()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.describe()["seed"], 7);
    assert_eq!(seen(&again).await, before);
}

#[tokio::test]
async fn a_reset_is_kept_too() {
    let folder = folder();
    let site = site_in(&folder);
    let untouched = seen(&site).await;
    filled(&site).await;
    admin(&site, BASE, "POST /reset", Value::Null).await.ok();
    let copy = copied(folder.path());
    assert_eq!(seen(&site_in(&copy)).await, untouched);
    let files = fs::read_dir(copy.path().join("files")).expect("a folder").count();
    assert_eq!(files, 0, "documents that nothing names are removed");
}

/// Creates a sandbox of the main world's rows, and one in which every setting differs.
async fn with_sandboxes(site: &Site) -> [String; 2] {
    let own = json!({
        "world": "demo", "answers": { "per_page": 7 }, "seed": 5, "rate_limit": "observe",
        "clock": "frozen:2026-03-05T14:00:00Z", "progression": "timed:5", "lease_seconds": 600,
        "defects": ["token.secret-in-any-case"],
    });
    [sandbox(site, json!({})).await.0, sandbox(site, own).await.0]
}

async fn listed(site: &Site) -> Value {
    done(site, "GET /sandboxes", Value::Null).await
}

#[tokio::test]
async fn sandboxes_are_there_after_a_kill() {
    let folder = folder();
    let site = site_in(&folder);
    let [plain, own] = with_sandboxes(&site).await;
    filled_at(&site, &own).await;
    let line = "POST /clock";
    admin(&site, &own, line, json!({"advance_seconds": 3})).await.ok();
    let (before, list) = (seen_at(&site, &own).await, listed(&site).await);
    let untouched = seen_at(&site, &plain).await;
    let world = admin(&site, &own, "GET /world", Value::Null).await.ok().json();
    let main = seen(&site).await;
    let first = copied(folder.path());
    let again = site_in(&first);
    assert_eq!(listed(&again).await, list);
    assert_eq!(seen_at(&again, &own).await, before);
    assert_eq!(seen_at(&again, &plain).await, untouched);
    assert_eq!(seen(&again).await, main);
    let world_again = admin(&again, &own, "GET /world", Value::Null).await.ok().json();
    for member in ["clock", "rate_limit", "progression", "defects", "counts"] {
        assert_eq!(world_again.get(member), world.get(member), "{member}");
    }
    filled_at(&again, &plain).await;
    let before = seen_at(&again, &plain).await;
    let second = copied(first.path());
    let third = site_in(&second);
    assert_eq!(seen_at(&third, &plain).await, before, "a second start reads the same");
    let (_, next) = sandbox(&third, json!({})).await;
    assert_eq!(next["id"], json!("s3"), "no number is given twice");
}

#[tokio::test]
async fn credentials_and_tokens_of_a_sandbox_outlive_a_kill() {
    let folder = folder();
    let site = site_in(&folder);
    let (base, described) = sandbox(&site, json!({})).await;
    let token = token(&site, &base, MAIN).await;
    let again = site_in(&copied(folder.path()));
    let line = format!("GET {base}/v1/workflows");
    assert_eq!(call(&again, &line, &token).await.status, 200);
    let secret = described["applications"][0]["client_secret"].as_str().expect("a secret");
    ask_token(&again, &base, "read", (MAIN, secret)).await.ok();
}

#[tokio::test]
async fn a_deleted_sandbox_leaves_nothing_in_the_folder() {
    let folder = folder();
    let site = site_in(&folder);
    let [_, own] = with_sandboxes(&site).await;
    filled_at(&site, &own).await;
    admin(&site, BASE, "DELETE /sandboxes/s2", Value::Null).await.ok();
    let list = listed(&site).await;
    let copy = copied(folder.path());
    let again = site_in(&copy);
    assert_eq!(listed(&again).await, list);
    assert_eq!(admin(&again, &own, "GET /health", Value::Null).await.status, 404);
    let files = fs::read_dir(copy.path().join("files")).expect("a folder").count();
    assert_eq!(files, 0, "its documents are removed");
    let third = copied(copy.path());
    assert_eq!(listed(&site_in(&third)).await, list);
}

#[tokio::test(start_paused = true)]
async fn a_lease_begins_anew_at_a_start_and_ends_for_good() {
    let folder = folder();
    let site = site_in(&folder);
    with_sandboxes(&site).await;
    let copy = copied(folder.path());
    let again = site_in(&copy);
    let ids = async |site: &Site| -> Vec<Value> {
        let list = listed(site).await;
        list["sandboxes"].as_array().expect("a list").iter().map(|one| one["id"].clone()).collect()
    };
    tokio::time::advance(std::time::Duration::from_secs(599)).await;
    assert_eq!(ids(&again).await, ["s1", "s2"]);
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    assert_eq!(ids(&again).await, ["s1"]);
    assert_eq!(ids(&site_in(&copied(copy.path()))).await, ["s1"]);
}

/// Damage of a document that only a sandbox has is reported with its name.
#[tokio::test]
async fn damage_of_a_sandbox_is_named() {
    let folder = folder();
    let site = site_in(&folder);
    let [plain, _] = with_sandboxes(&site).await;
    filled_at(&site, &plain).await;
    let copy = copied(folder.path());
    let files = fs::read_dir(copy.path().join("files")).expect("a folder");
    let path = files.map(|entry| entry.expect("an entry").path()).next().expect("a document");
    let mut bytes = fs::read(&path).expect("a readable file");
    bytes[17] ^= 1;
    fs::write(&path, &bytes).expect("a written file");
    check_named(&opened(copy.path()).expect_err("a refusal"), &path);
    assert_eq!(fs::read(&path).expect("a readable file"), bytes, "it stays as it is");
}

#[tokio::test]
async fn a_folder_belongs_to_one_mock() {
    let folder = folder();
    let _site = site_in(&folder);
    let refused = opened(folder.path()).err();
    assert!(matches!(refused, Some(SiteError::State(DurableError::Taken(_)))), "{refused:?}");
}

/// Damage is reported and not changed. Data that can be read are as they were written.
#[tokio::test]
async fn damage_is_named_and_never_read() {
    let folder = folder();
    let site = site_in(&folder);
    filled(&site).await;
    let before = seen(&site).await;
    let sound = copied(folder.path());
    let bytes = fs::read(sound.path().join("state.redb")).expect("a readable file");
    let document = fs::read_dir(sound.path().join("files"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .next()
        .expect("the large document");
    // Every bit of the fields that locate all other data, and bits spread over the written part.
    let written: Vec<usize> = (HEAD..bytes.len()).filter(|place| bytes[*place] != 0).collect();
    let bits = (0..FIELDS).flat_map(|place| (0..u8::BITS).map(move |bit| (place, 1 << bit)));
    let head = (FIELDS..HEAD).step_by(9).map(|place| (place, 0xff));
    let walk = written.iter().step_by(written.len() / 40).map(|place| (*place, 0x10));
    let mut refused = 0;
    for (place, mask) in bits.chain(head).chain(walk) {
        let copy = copied(sound.path());
        let path = copy.path().join("state.redb");
        let mut damaged = bytes.clone();
        damaged[place] ^= mask;
        fs::write(&path, &damaged).expect("a written file");
        match opened(copy.path()) {
            Ok(site) => assert_eq!(seen(&site).await, before, "byte {place} was read over"),
            Err(error) => {
                refused += 1;
                check_named(&error, &path);
                assert_eq!(fs::read(&path).expect("a file"), damaged, "byte {place}: touched");
            }
        }
    }
    assert!(refused > 20, "only {refused} refused");
    for cut in [0, 1, 100, 4_096, bytes.len() / 2, bytes.len() - 1] {
        let copy = copied(sound.path());
        let path = copy.path().join("state.redb");
        fs::write(&path, &bytes[..cut]).expect("a written file");
        check_named(&opened(copy.path()).expect_err("a refusal"), &path);
    }
    for text in [None, Some("other bytes")] {
        let copy = copied(sound.path());
        let path: PathBuf =
            copy.path().join("files").join(document.file_name().expect("a file name"));
        match text {
            Some(text) => fs::write(&path, text).expect("a written file"),
            None => fs::remove_file(&path).expect("a removed file"),
        }
        check_named(&opened(copy.path()).expect_err("a refusal"), &path);
    }
    let copy = copied(sound.path());
    fs::write(copy.path().join("commits"), "17").expect("a written file");
    check_named(&opened(copy.path()).expect_err("a refusal"), &copy.path().join("commits"));
    fs::remove_file(sound.path().join("state.redb")).expect("a removed file");
    let path = sound.path().join("state.redb");
    check_named(&opened(sound.path()).expect_err("a refusal"), &path);
}

#[track_caller]
fn check_named(error: &SiteError, path: &Path) {
    let SiteError::State(DurableError::Damaged { path: named, .. }) = error else {
        panic!("{error}")
    };
    assert_eq!(named, path);
}

/// Each event queues eleven deliveries to ten webhooks: 91 events make 10,010.
#[tokio::test]
async fn ten_thousand_deliveries_of_deleted_webhooks_are_attempted_by_no_later_mock() {
    let folder = folder();
    let site = site_in(&folder);
    let token = token(&site, BASE, MAIN).await;
    let receiver = wiremock::MockServer::start().await;
    let webhooks = format!("{BASE}/v1/webhooks");
    let delete_all = async || loop {
        let list = call(&site, &format!("GET {webhooks}"), &token).await.ok().json();
        let rows = list["data"].as_array().expect("a list").clone();
        if rows.is_empty() {
            return;
        }
        for row in rows {
            let id = row["id"].as_str().expect("an id");
            call(&site, &format!("DELETE {webhooks}/{id}"), &token).await.ok();
        }
    };
    delete_all().await;
    let hook = json!({ "name": "Test", "url": receiver.uri() });
    for _ in 0..10 {
        register(&site, BASE, &token, &hook).await.ok();
    }
    let policy = json!({ "paused": true, "duplicates": 10 });
    admin(&site, BASE, "PUT /delivery_policy", policy).await.ok();
    for _ in 0..91 {
        let id = create(&site, BASE, &token).await.ok().text("/data/id");
        sign(&site, BASE, &id).await;
    }
    let world = done(&site, "GET /world", Value::Null).await;
    assert_eq!(world["deliveries"]["queued"], json!(10_000));
    let before = copied(folder.path());
    delete_all().await;
    let after = copied(folder.path());
    for (left, are_kept) in [(before, true), (after, false)] {
        let later = site_in(&left);
        let world = done(&later, "GET /world", Value::Null).await;
        assert_eq!(world["deliveries"]["queued"], json!(if are_kept { 10_000 } else { 0 }));
        if !are_kept {
            let policy = json!({ "paused": false });
            admin(&later, BASE, "PUT /delivery_policy", policy).await.ok();
            let clock = json!({ "advance_seconds": 100_000 });
            let moved = done(&later, "POST /clock", clock).await;
            assert_eq!((&moved["attempts"], &moved["in_flight"]), (&json!([]), &json!(0)));
        }
    }
    assert!(receiver.received_requests().await.is_some_and(|all| all.is_empty()));
}

#[tokio::test]
async fn sent_numbers_are_stored_as_they_were_written() {
    let folder = folder();
    let metadata = r#"{"big":18446744073709551616,"form":[1e2,1.10,-0,1e400]}"#;
    let site = site_in(&folder);
    let bearer = token(&site, BASE, MAIN).await;
    let parts = ["file@notes.txt=Some text", &format!("metadata={metadata}")];
    let id = upload(&site, BASE, &bearer, &parts).await.ok().text("/data/id");
    drop(site);
    let site = site_in(&folder);
    let bearer = token(&site, BASE, MAIN).await;
    let line = format!("GET {BASE}/v1/repository_documents/{id}");
    let read = call(&site, &line, &bearer).await.ok();
    let body = String::from_utf8_lossy(&read.body).into_owned();
    assert!(body.contains(&format!("\"custom_fields\":{metadata}")), "{body}");
}
