//! Common mistakes of clients. The journal explains why a call was refused and what would have worked, even if the
//! response must not say so.

use moot_mock::shell::Site;
use serde_json::{Value, json};

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, admin, call, done, form, request, send, site, site_with_token, token,
};

/// The advice in the journal for the newest call, which was refused with this status.
async fn advice(site: &Site, status: u16) -> String {
    let all = done(site, "GET /exchanges?limit=1", Value::Null).await;
    let last = &all["exchanges"][0];
    assert_eq!(last["status"], json!(status), "{last}");
    last["detail"].as_str().expect("a refusal says why").to_owned()
}

/// Sends a call, and checks that the advice has these words.
async fn check(
    site: &Site,
    (line, token): (&str, &str),
    body: Option<(&str, Vec<u8>)>,
    status: u16,
    says: &[&str],
) {
    let (method, path) = line.split_once(' ').expect("a method and a path");
    send(site, request(&format!("{method} {BASE}{path}"), token, body)).await;
    let detail = advice(site, status).await;
    for part in says {
        assert!(detail.contains(part), "{line}: `{part}` is not in: {detail}");
    }
}

/// The text fields of a valid request, with one of them replaced or left out.
fn with(name: &str, value: Option<&str>) -> (&'static str, Vec<u8>) {
    let kept = LEGAL_REQUEST.iter().filter(|part| !part.starts_with(&format!("{name}=")));
    let parts: Vec<String> = kept
        .map(|part| (*part).to_owned())
        .chain(value.map(|value| format!("{name}={value}")))
        .collect();
    form(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

#[tokio::test]
async fn an_unauthorized_client_gets_advice() {
    let site = site();
    let list = "GET /v1/requests";
    check(&site, (list, ""), None, 401, &["add the header `Authorization: Bearer"]).await;
    let foreign = ["`POST http://moot.test/api/oauth/token` gives one", "sandbox"];
    check(&site, (list, "nonsense"), None, 401, &foreign).await;
    let old = json!({ "client_id": MAIN, "age_seconds": 7200 });
    let old = admin(&site, BASE, "POST /tokens", old).await.ok().text("/access_token");
    let expired = ["works for 7200 seconds", "Ask the token endpoint for a new one"];
    check(&site, (list, &old), None, 401, &expired).await;
    let reader = token(&site, BASE, "demo-reader").await;
    let create = ("POST /v1/requests", reader.as_str());
    let scope = ["scope `write`", "`demo-reader` may not have it", "`demo-main`"];
    check(&site, create, Some(form(LEGAL_REQUEST)), 403, &scope).await;
    let narrow = json!({ "client_id": MAIN, "scopes": ["read"] });
    let narrow = admin(&site, BASE, "POST /tokens", narrow).await.ok().text("/access_token");
    let create = ("POST /v1/requests", narrow.as_str());
    let ask = ["scope `write`", "`demo-main` may have it: ask for it with `scope`"];
    check(&site, create, Some(form(LEGAL_REQUEST)), 403, &ask).await;
    let credentials = |text: &str| {
        let text = format!("grant_type=client_credentials&scope=read&{text}");
        Some(("application/x-www-form-urlencoded", text.into_bytes()))
    };
    let login = ("POST /oauth/token", "");
    let wrong = credentials("client_id=demo-main&client_secret=wrong");
    check(&site, login, wrong, 401, &["`demo-main` is an application", "not its secret"]).await;
    let unknown = credentials("client_id=demo-mian&client_secret=wrong");
    check(&site, login, unknown, 401, &["no application `demo-mian`", "`demo-main`"]).await;
}

#[tokio::test]
async fn a_wrong_path_gets_the_right_one_as_advice() {
    let (site, token) = site_with_token().await;
    for (line, status, says) in [
        ("GET /v1/request", 404, "did you mean `/v1/requests`?"),
        ("GET /v1/requests/", 404, "did you mean `/v1/requests`?"),
        ("GET /requests", 404, "did you mean `/v1/requests`?"),
        ("GET /requests/abc/activity", 404, "did you mean `/v1/requests/abc/activity`?"),
        ("GET /v1/requests/abc/activities", 404, "did you mean `/v1/requests/abc/activity`?"),
        ("GET /v1/entirely/elsewhere", 404, "resource endpoints are under `/v1`"),
        ("PATCH /v1/requests", 405, "takes POST, GET"),
    ] {
        check(&site, (line, &token), None, status, &[says]).await;
    }
}

#[tokio::test]
async fn a_wrong_value_gets_the_right_one_as_advice() {
    let (site, token) = site_with_token().await;
    let create = ("POST /v1/requests", token.as_str());
    let missing = with("requester_email", None);
    check(&site, create, Some(missing), 400, &["`requester_email` is required"]).await;
    let json = Some(("application/json", b"{}".to_vec()));
    check(&site, create, json, 415, &["must be `multipart/form-data`"]).await;
    let unknown = with("workflow_id", Some("nope"));
    let published = ["no workflow with the id `nope`", "published workflows of this company"];
    check(&site, create, Some(unknown), 404, &[&published[..], &["`wfMutualNda1`"]].concat()).await;
    let stranger = with("requester_email", Some("nobody@northwind.example"));
    let users = ["users of this company: `requester@northwind.example`"];
    check(&site, create, Some(stranger), 422, &users).await;
    let page = ("GET /v1/requests?page=0", token.as_str());
    check(&site, page, None, 400, &["whole number from 1 on"]).await;
}

#[tokio::test]
async fn only_the_journal_shows_that_an_id_is_of_another_company() {
    let site = site();
    let main = token(&site, BASE, MAIN).await;
    let other = token(&site, BASE, "other-main").await;
    let list = call(&site, &format!("GET {BASE}/v1/requests"), &main).await.ok();
    let path = format!("/v1/requests/{}", list.text("/data/0/id"));
    let response = call(&site, &format!("GET {BASE}{path}"), &other).await;
    assert!(!response.text("/detail").contains("another company"), "{response:?}");
    check(&site, (&format!("GET {path}"), &other), None, 404, &["belongs to another company"])
        .await;
}

#[tokio::test]
async fn a_limited_client_gets_the_waiting_time_as_advice() {
    let (site, token) = site_with_token().await;
    let limit = json!({ "mode": "enforce", "exhaust": "all" });
    admin(&site, BASE, "PUT /rate_limit", limit).await.ok();
    let says = ["More than 600 calls a minute", "move it forward for 60 s"];
    check(&site, ("GET /v1/requests", &token), None, 429, &says).await;
}
