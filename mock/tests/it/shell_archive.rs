//! The journal as an HTTP archive: bodies and times, but no secrets.

use moot_mock::Settings;
use moot_mock::settings::ClockSetting;
use moot_mock::shell::Site;
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, MAIN, admin, ask_token, call, create, done, own_path, register, request, send, settings,
    site, site_of, site_with_token, token, upload,
};

async fn entries(site: &Site) -> Vec<Value> {
    let har = done(site, "GET /exchanges/har", Value::Null).await;
    har["log"]["entries"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn responses_stand_in_it_as_they_were_sent() {
    let (site, token) = site_with_token().await;
    let list = call(&site, &format!("GET {BASE}/v1/requests"), &token).await.ok();
    let refused = call(&site, &format!("GET {BASE}/v1/requests/nope"), &token).await;
    let entries = entries(&site).await;
    for (entry, response) in entries.iter().zip([list, refused]) {
        let content = &entry["response"]["content"];
        assert_eq!(content["text"].as_str().map(str::as_bytes), Some(&response.body[..]));
        assert_eq!(content["size"], json!(response.body.len()));
    }
}

#[tokio::test]
async fn forms_stand_in_it_by_their_parts_and_files_without_their_bytes() {
    let (site, token) = site_with_token().await;
    create(&site, BASE, &token).await.ok();
    let stored = upload(&site, BASE, &token, &["file@terms.txt=Twelve bytes"]).await.ok();
    let line = format!("GET {BASE}/v1/repository_documents/{}", stored.text("/data/id"));
    let stored = call(&site, &line, &token).await.ok();
    let url = own_path(&stored.text("/data/attributes/agreement_url"));
    call(&site, &format!("GET {url}"), "").await.ok();
    let entries = entries(&site).await;
    let params = &entries[0]["request"]["postData"]["params"];
    assert_eq!(params[0]["name"], json!("workflow_id"));
    assert_eq!(params[0]["value"], json!("wfMutualNda1"));
    let file = &entries[1]["request"]["postData"]["params"][0];
    assert_eq!((&file["fileName"], &file["value"]), (&json!("terms.txt"), &Value::Null));
    let content = &entries[3]["response"]["content"];
    assert_eq!((&content["text"], &content["comment"]), (&Value::Null, &json!("not kept")));
}

/// No secret that a client sends or gets is in the archive or in the journal.
#[tokio::test]
async fn a_secret_stands_in_no_body() {
    let site = site();
    let described = site.describe();
    let secret = described["applications"][0]["client_secret"].as_str().expect("a secret");
    let token = ask_token(&site, BASE, "read%20write", (MAIN, secret)).await.ok();
    let token = token.text("/access_token");
    let webhooks = [
        json!({ "name": "A", "url": "https://hooks.example/a", "auth_type": "bearer",
            "token": "hook-words-1" }),
        json!({ "name": "B", "url": "https://hooks.example/b", "auth_type": "basic",
            "username": "someone", "password": "hook-words-2" }),
    ];
    let line = format!("POST {BASE}/v1/webhooks");
    for webhook in &webhooks {
        register(&site, BASE, &token, webhook).await.ok();
    }
    let broken = Some(("application/json", br#"{"password": "hook-words-3"#.to_vec()));
    assert_eq!(send(&site, request(&line, &token, broken)).await.status, 400);
    let revoke = Some(("application/x-www-form-urlencoded", format!("token={token}").into_bytes()));
    send(&site, request(&format!("POST {BASE}/oauth/revoke"), "", revoke)).await;
    let entries = entries(&site).await;
    let journal = done(&site, "GET /exchanges", Value::Null).await;
    for text in [Value::from(entries.clone()).to_string(), journal.to_string()] {
        for hidden in [secret, token.as_str(), "hook-words-"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
    }
    let given: Value = entries[0]["response"]["content"]["text"]
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
        .expect("the response is JSON still");
    assert_eq!(given["token_type"], json!("Bearer"));
    assert_eq!(
        given["access_token"], journal["exchanges"][1]["request"]["authorization"],
        "one token, one fingerprint"
    );
    assert!(
        journal["exchanges"][0]["request"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("client_id=demo-main&client_secret=fingerprint:"))
    );
}

#[tokio::test]
async fn the_oldest_bodies_go_first_and_too_large_ones_at_once() {
    let (site, token) = site_with_token().await;
    let list = format!("GET {BASE}/v1/requests");
    let length = call(&site, &list, &token).await.ok().body.len();
    let kept_max = (1 << 20) / length;
    for _ in 0..kept_max + 5 {
        call(&site, &list, &token).await.ok();
    }
    let entries = entries(&site).await;
    let kept: Vec<bool> =
        entries.iter().map(|one| one["response"]["content"]["text"].is_string()).collect();
    let first = kept.iter().position(|is_kept| *is_kept).expect("the newest are kept");
    assert!(kept[first..].iter().all(|is_kept| *is_kept), "the newest are kept");
    assert_eq!(kept.len() - first, kept_max);
}

/// The delay of a fault is shown. With a stopped clock, calls take no time, so that archives are equal.
#[tokio::test]
async fn times_are_those_of_the_world_and_of_its_faults() {
    let (site, token) = site_with_token().await;
    for (kind, milliseconds) in [("delay", 30), ("slow_body", 20)] {
        let fault = json!({ "kind": kind, "milliseconds": milliseconds });
        admin(&site, BASE, "POST /faults", fault).await.ok();
        call(&site, &format!("GET {BASE}/v1/requests"), &token).await;
    }
    call(&site, &format!("GET {BASE}/v1/requests"), &token).await;
    let timings: Vec<[f64; 4]> = entries(&site)
        .await
        .iter()
        .map(|entry| {
            let timings = &entry["timings"];
            [&entry["time"], &timings["send"], &timings["wait"], &timings["receive"]]
                .map(|time| time.as_f64().expect("a number"))
        })
        .collect();
    assert_eq!(timings, [[30.0, 0.0, 30.0, 0.0], [20.0, 0.0, 0.0, 20.0], [0.0; 4]]);
}

#[tokio::test]
async fn in_a_time_that_goes_on_reading_a_body_takes_some_of_it() {
    let settings = Settings { clock: ClockSetting::Real, ..settings() };
    let site = site_of(settings);
    let token = token(&site, BASE, MAIN).await;
    let text = format!("file@large.txt={}", "x".repeat(1 << 20));
    upload(&site, BASE, &token, &[&text]).await.ok();
    let entry = &entries(&site).await[0];
    let sending = entry["timings"]["send"].as_f64().expect("a number");
    assert!(sending > 0.0, "{entry}");
    assert_eq!(entry["time"].as_f64(), Some(sending), "{entry}");
}
