//! Settings, users, applications, workflows and addresses that change while a world runs.

use moot_mock::shell::{ServeLimits, Site, SiteOptions};
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, MAIN, admin, ask_token, call, client, create, done, served, settings, site,
    site_with_token, token, upload,
};

#[tokio::test]
async fn settings_change_through_the_socket() {
    let site = site();
    let served = served(&site, ServeLimits::default()).await;
    let client = client().build().expect("a client");
    let url = format!("http://{}{BASE}/__admin/settings", served.address);
    let body = json!({ "progression": "timed:5", "rate_limit": "observe",
        "answers": { "upload_size_max": 4 } });
    let response = client.put(&url).body(body.to_string()).send().await.expect("a response");
    assert_eq!(response.status(), 200);
    let shown = done(&site, "GET /settings", Value::Null).await;
    assert_eq!(shown["progression"], json!("timed:5"));
    assert_eq!(shown["rate_limit"], json!("observe"));
    assert_eq!(shown["answers"]["upload_size_max"], json!(4));
    let world = done(&site, "GET /world", Value::Null).await;
    assert_eq!((&world["progression"], &world["answers"]), (&json!("timed:5"), &shown["answers"]));
    let token = token(&site, BASE, MAIN).await;
    let id = create(&site, BASE, &token).await.ok().text("/data/id");
    let moved = done(&site, "POST /clock", json!({ "advance_seconds": 5 })).await;
    assert_eq!(moved["fired"][0]["id"], json!(id));
    let refused = upload(&site, BASE, &token, &["file@terms.txt=Five!"]).await;
    assert!(refused.status.is_client_error(), "{refused:?}");
    done(&site, "POST /reset", Value::Null).await;
    let shown = done(&site, "GET /settings", Value::Null).await;
    assert_eq!((&shown["progression"], &shown["rate_limit"]), (&json!("manual"), &json!("off")));
    assert_ne!(shown["answers"]["upload_size_max"], json!(4));
}

#[tokio::test]
async fn settings_that_make_no_sense_are_explained() {
    let site = site();
    for (body, says) in [
        (json!({ "progression": "timd:5" }), "progression"),
        (json!({ "progression": "timed:0" }), "from 1"),
        (json!({ "rate_limit": "of" }), "did you mean `off`?"),
        (json!({ "answers": "documentd" }), "did you mean `documented`?"),
        (json!({ "answers": { "upload_size_mx": 1 } }), "upload_size_max"),
        (json!({ "answers": { "upload_size_max": "much" } }), "upload_size_max"),
        (json!({ "answers": { "other_company": 500 } }), "answers: `other_company` is 500"),
    ] {
        let response = admin(&site, BASE, "PUT /settings", body.clone()).await;
        assert_eq!(response.status, 422, "{body}: {response:?}");
        assert!(response.text("/detail").contains(says), "{body}: {}", response.json());
    }
    let other = json!({ "answers": "documented" });
    let shown = done(&site, "PUT /settings", other).await;
    assert_eq!(shown["answers"], json!(moot_fixtures::answers::documented()));
}

#[tokio::test]
async fn lists_lag_from_the_moment_that_the_answers_say_so() {
    let (site, token) = site_with_token().await;
    let count = async || {
        let list = call(&site, &format!("GET {BASE}/v1/requests"), &token).await.ok().json();
        list["pagination"]["total_count"].as_u64().expect("a number")
    };
    let before = count().await;
    create(&site, BASE, &token).await.ok();
    done(&site, "PUT /settings", json!({ "answers": { "list_lag": 10 } })).await;
    assert_eq!(count().await, before + 1, "what was there before is listed");
    create(&site, BASE, &token).await.ok();
    assert_eq!(count().await, before + 1);
    done(&site, "POST /clock", json!({ "advance_seconds": 10 })).await;
    assert_eq!(count().await, before + 2);
}

#[tokio::test]
async fn one_legal_request_moves_on_by_itself() {
    let (site, token) = site_with_token().await;
    let id = create(&site, BASE, &token).await.ok().text("/data/id");
    let other = create(&site, BASE, &token).await.ok().text("/data/id");
    let line = format!("PUT /legal_requests/{id}/progression");
    let shown = done(&site, &line, json!({ "progression": "timed:30" })).await;
    assert_eq!(shown["next_step_at"], json!("2026-03-05T14:30:30Z"));
    done(&site, "POST /clock", json!({ "advance_seconds": 30 })).await;
    let status = async |id: &str| {
        let shown = done(&site, &format!("GET /legal_requests/{id}"), Value::Null).await;
        shown["status"].as_str().expect("a status").to_owned()
    };
    assert_eq!(status(&id).await, "initial_review");
    assert_eq!(status(&other).await, "draft");
    done(&site, &line, json!({ "progression": "manual" })).await;
    done(&site, "POST /clock", json!({ "advance_seconds": 300 })).await;
    assert_eq!(status(&id).await, "initial_review");
    done(&site, &line, json!({ "progression": "immediate" })).await;
    assert_eq!(status(&id).await, "archived");
    let wrong = admin(&site, BASE, &line, json!({ "progression": "soon" })).await;
    assert_eq!(wrong.status, 422, "{wrong:?}");
}

#[tokio::test]
async fn users_come_and_go() {
    let (site, token) = site_with_token().await;
    done(&site, "DELETE /users/requester@northwind.example", Value::Null).await;
    let refused = create(&site, BASE, &token).await;
    assert!(refused.status.is_client_error(), "{refused:?}");
    let user = json!({ "email": "requester@northwind.example" });
    done(&site, "POST /users", user).await;
    create(&site, BASE, &token).await.ok();
    for (line, body, status) in [
        ("DELETE /users/nobody@northwind.example", Value::Null, 404),
        ("POST /users", json!({ "email": "nobody" }), 422),
        ("POST /users", json!({ "email": "a@b.example", "company": "None Ltd" }), 404),
    ] {
        assert_eq!(admin(&site, BASE, line, body).await.status, status, "{line}");
    }
}

#[tokio::test]
async fn applications_come_and_go_and_secrets_stop_working() {
    let site = site();
    let secret = |id: &str, parties: &Value| {
        let all = parties["applications"].as_array().expect("a list").clone();
        let one = all.into_iter().find(|one| one["client_id"] == json!(id))?;
        one["client_secret"].as_str().map(str::to_owned)
    };
    let first = secret(MAIN, &done(&site, "GET /parties", Value::Null).await).expect("it is there");
    let token = ask_token(&site, BASE, "read", (MAIN, &first)).await.ok().text("/access_token");
    let line = format!("PUT /applications/{MAIN}");
    done(&site, &line, json!({ "client_secret": "second" })).await;
    assert_eq!(ask_token(&site, BASE, "read", (MAIN, &first)).await.status, 401);
    ask_token(&site, BASE, "read", (MAIN, "second")).await.ok();
    call(&site, &format!("GET {BASE}/v1/requests"), &token).await.ok();
    done(&site, &format!("DELETE /applications/{MAIN}"), Value::Null).await;
    assert_eq!(ask_token(&site, BASE, "read", (MAIN, "second")).await.status, 401);
    assert_eq!(call(&site, &format!("GET {BASE}/v1/requests"), &token).await.status, 401);
    let new = json!({ "client_secret": "third", "scopes": ["read"] });
    let parties = done(&site, &line, new).await;
    assert_eq!(secret(MAIN, &parties).as_deref(), Some("third"));
    let again = ask_token(&site, BASE, "read", (MAIN, "third")).await.ok().text("/access_token");
    call(&site, &format!("GET {BASE}/v1/requests"), &again).await.ok();
    assert_eq!(call(&site, &format!("GET {BASE}/v1/requests"), &token).await.status, 401);
    let nameless = admin(&site, BASE, "PUT /applications/new", json!({})).await;
    assert_eq!(nameless.status, 422, "{nameless:?}");
}

#[tokio::test]
async fn workflows_are_published_unpublished_changed_and_added() {
    let (site, token) = site_with_token().await;
    let line = "PUT /workflows/wfMutualNda1";
    done(&site, line, json!({ "status": "unpublished" })).await;
    assert!(create(&site, BASE, &token).await.status.is_client_error());
    done(&site, line, json!({ "status": "published" })).await;
    create(&site, BASE, &token).await.ok();
    let variables = json!({ "colour": { "type": "string", "required": true } });
    done(&site, line, json!({ "variables": variables })).await;
    assert!(create(&site, BASE, &token).await.status.is_client_error(), "`colour` is missing");
    let new = json!({ "name": "New", "kind": "generated",
        "signer_options": ["legal@northwind.example"] });
    done(&site, "PUT /workflows/wfNew", new).await;
    let shown = call(&site, &format!("GET {BASE}/v1/workflows/wfNew"), &token).await.ok();
    assert_eq!(shown.text("/data/attributes/name"), "New");
    call(&site, &format!("GET {BASE}/v1/workflows/wfNew/schema"), &token).await.ok();
    done(&site, "DELETE /workflows/wfNew", Value::Null).await;
    let gone = call(&site, &format!("GET {BASE}/v1/workflows/wfNew"), &token).await;
    assert_eq!(gone.status, 404);
    for (line, body, status) in [
        ("PUT /workflows/wfOther", json!({ "name": "Other" }), 422),
        ("PUT /workflows/wfMutualNda1", json!({ "signer_options": [] }), 422),
        ("PUT /workflows/wfMutualNda1", json!({ "status": "gone" }), 400),
        ("DELETE /workflows/wfOther", Value::Null, 404),
    ] {
        assert_eq!(admin(&site, BASE, line, body).await.status, status, "{line}");
    }
    done(&site, "POST /reset", Value::Null).await;
    create(&site, BASE, &token).await.ok();
}

#[tokio::test]
async fn addresses_are_listed_forgotten_and_fail() {
    let (site, token) = site_with_token().await;
    let fetch = async |url: &str| upload(&site, BASE, &token, &[&format!("url={url}")]).await;
    let (sound, broken) = ("https://files.example/a.txt", "https://files.example/b.txt");
    let slow = json!({ "url": sound, "text": "Hello", "milliseconds": 200 });
    done(&site, "PUT /addresses", slow).await;
    done(&site, "PUT /addresses", json!({ "url": broken, "status": 404 })).await;
    let list = done(&site, "GET /addresses", Value::Null).await;
    assert_eq!(list["addresses"][0]["length"], json!(5));
    assert_eq!(list["addresses"][1]["status"], json!(404));
    let started = std::time::Instant::now();
    fetch(sound).await.ok();
    assert!(started.elapsed() >= std::time::Duration::from_millis(190));
    let refused = fetch(broken).await;
    assert!(refused.status.is_client_error(), "{refused:?}");
    assert!(refused.text("/detail").contains("404"), "{refused:?}");
    done(&site, &format!("DELETE /addresses?url={broken}"), Value::Null).await;
    fetch(broken).await.ok();
    let again = admin(&site, BASE, "DELETE /addresses", json!({ "url": broken })).await;
    assert_eq!(again.status, 404);
    let none = done(&site, "DELETE /addresses", Value::Null).await;
    assert_eq!(none, json!({ "addresses": [] }));
    for body in [json!({ "url": sound, "status": 200 }), json!({ "url": sound })] {
        assert!(admin(&site, BASE, "PUT /addresses", body).await.status.is_client_error());
    }
}

#[tokio::test]
async fn a_repository_document_is_shown_whole() {
    let (site, token) = site_with_token().await;
    let made = upload(&site, BASE, &token, &["file@a.txt=Hello"]).await.ok();
    let path = format!("GET /repository_documents/{}", made.text("/data/id"));
    let shown = done(&site, &path, Value::Null).await;
    assert_eq!((&shown["name"], &shown["length"]), (&json!("a.txt"), &json!(5)));
    let hello = "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969";
    assert_eq!(shown["sha256"], json!(hello));
    let gone = admin(&site, BASE, "GET /repository_documents/none", Value::Null).await;
    assert_eq!(gone.status, 404);
}

/// Amendments survive the end of the process, and a checkpoint has them.
#[tokio::test]
async fn amendments_are_stored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let open = || {
        Site::with_state(SiteOptions::new(settings()), folder.path())
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let site = open();
    let other = json!({ "progression": "on-read:3", "answers": { "upload_size_max": 4 } });
    done(&site, "PUT /settings", other).await;
    done(&site, "POST /users", json!({ "email": "new@northwind.example" })).await;
    for id in 0..12 {
        let line = format!("PUT /applications/extra-{id}");
        done(&site, &line, json!({ "client_secret": format!("secret-{id}") })).await;
    }
    done(&site, "DELETE /applications/extra-3", Value::Null).await;
    done(&site, "PUT /workflows/wfMutualNda1", json!({ "status": "unpublished" })).await;
    let broken = json!({ "url": "https://files.example/b.txt", "status": 404 });
    done(&site, "PUT /addresses", broken).await;
    done(&site, "POST /checkpoints", json!({ "name": "stage" })).await;
    let look = async |site: &Site| {
        let mut seen = Vec::new();
        for path in ["/settings", "/parties", "/addresses", "/world"] {
            seen.push(done(site, &format!("GET {path}"), Value::Null).await);
        }
        seen
    };
    let before = look(&site).await;
    drop(site);
    let site = open();
    assert_eq!(look(&site).await, before);
    ask_token(&site, BASE, "read", ("extra-11", "secret-11")).await.ok();
    done(&site, "POST /reset", Value::Null).await;
    assert_ne!(look(&site).await, before);
    done(&site, "POST /checkpoints/stage/restore", Value::Null).await;
    assert_eq!(look(&site).await, before);
}
