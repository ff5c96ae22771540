//! The table of defects. Its requirements are in the register, and each defect has a visible effect.

use std::collections::BTreeSet;

use http::HeaderMap;
use moot_fixtures::contract::{EXECUTION_COMPLETE, LegalRequestStatus, Level};
use moot_fixtures::register;
use moot_mock::call::{Body, BodyFault};
use moot_mock::control::{ClockMove, ControlAction};
use moot_mock::defect::{self, Defect};
use moot_mock::settings::RateLimitMode;
use moot_mock::shell::settings;
use serde_json::json;

use crate::defect_tour::{Tour, authorization, bearer, multipart, typed, with_file_of};
use crate::shell_support::LEGAL_REQUEST;

const LISTS: [&str; 4] = ["workflows", "requests", "repository_documents", "webhooks"];
const MULTIPART: &str = "multipart/form-data; boundary=b0";
const FORM: &str = "application/x-www-form-urlencoded";
const MAIN: &str = "client_id=demo-main&client_secret=demo-main-secret-Vr8Kq3Zt6Wm1Xc5B";
const READER: &str = "client_id=demo-reader&client_secret=demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T";
const WRITER: &str = "client_id=demo-writer&client_secret=demo-writer-secret-Cb6Rx1Qe8Ma3Vk5N";

#[test]
fn ids_are_unique_and_name_their_subject() {
    let mut ids = BTreeSet::new();
    for defect in defect::all() {
        assert!(ids.insert(&defect.id), "twice: {}", defect.id);
        assert!(defect.what.ends_with('.'), "no sentence: {}", defect.id);
    }
    assert!(ids.len() >= 150, "only {} defects", ids.len());
}

#[test]
fn rows_name_requirements_that_can_be_violated() {
    for defect in defect::all() {
        assert!(!defect.breaks.is_empty(), "{} breaks nothing", defect.id);
        for id in defect.breaks.iter().chain(&defect.also) {
            let Some(requirement) = register::get(id) else {
                panic!("{}: no row `{id}`; near is {:?}", defect.id, register::nearest(id));
            };
            let is_checked = requirement.unverifiable.is_none() && requirement.level != Level::Open;
            let is_broken = defect.breaks.contains(id);
            assert!(is_checked || !is_broken, "{}: `{id}` is checked by nothing", defect.id);
        }
        let of_breaks = |id: &String| register::get(id).map(|row| row.section.clone());
        let sections: Vec<_> = defect.breaks.iter().filter_map(of_breaks).collect();
        assert!(
            sections.contains(&defect.section),
            "{}: §{} is not among {sections:?}",
            defect.id,
            defect.section
        );
    }
}

#[test]
fn an_unknown_defect_is_named_with_its_nearest() {
    assert_eq!(
        settings::defect("token.lifetime-3600").map(|defect| defect.id.as_str()),
        Ok("token.lifetime-3600")
    );
    let error = settings::defect("token.lifetime-3660").expect_err("there is none").to_string();
    assert!(error.contains("did you mean `token.lifetime-3600`?"), "{error}");
}

#[test]
fn a_world_without_defects_is_the_same_each_time() {
    assert_eq!(seen(&[]), seen(&[]));
}

#[test]
fn every_defect_has_a_visible_effect() {
    let sound = seen(&[]);
    let invisible: Vec<&str> = defect::all()
        .iter()
        .filter(|defect| seen(&[defect]) == sound)
        .map(|defect| defect.id.as_str())
        .collect();
    assert!(invisible.is_empty(), "these change nothing: {invisible:#?}");
}

/// The results of all tours.
fn seen(defects: &[&'static Defect]) -> String {
    let tours = [
        tokens, lists, histories, creations, uploads, webhooks, bearers, odd_calls, limits,
        restarts,
    ];
    let mut all = String::new();
    for walk in tours {
        let mut tour = Tour::new("demo", defects.to_vec());
        walk(&mut tour);
        all.push_str(&tour.seen);
    }
    let mut empty = Tour::new("empty", defects.to_vec());
    let token = empty.token("empty-main", 0);
    for list in LISTS {
        empty.get(&format!("/v1/{list}"), &token);
    }
    all + &empty.seen
}

fn tokens(tour: &mut Tour) {
    let form = |text: &str| (typed(HeaderMap::new(), FORM), Body::Whole(text.to_owned().into()));
    let grant = "grant_type=client_credentials";
    let calls = [
        format!("{grant}&scope=read+write&{MAIN}"),
        format!("{grant}&scope=write+read&{MAIN}"),
        format!("{grant}&scope=read&{MAIN}"),
        format!("{grant}&{MAIN}"),
        format!("{grant}&{READER}"),
        format!("{grant}&{WRITER}"),
        format!("{grant}&scope=write&{READER}"),
        format!("{grant}&scope=admin&{MAIN}"),
        format!("scope=read&{MAIN}"),
        format!("{grant}&scope=read&{MAIN}+"),
        format!("{grant}&{grant}&scope=read&{MAIN}"),
        format!("grant_type=password&scope=read&{MAIN}"),
        format!("{grant}&scope=read&client_id=demo-main"),
        format!("{grant}&scope=read&client_secret=secret"),
        format!("{grant}&scope=read&client_id=demo-main&client_secret=wrong"),
        format!("{grant}&scope=read&{}", MAIN.replace("Vr8K", "vR8k")),
        format!("{grant}&scope=read&client_id=nobody&client_secret=wrong"),
    ];
    for call in &calls {
        let (headers, body) = form(call);
        let token = tour.call("POST /oauth/token", &headers, body)["access_token"].clone();
        tour.get("/v1/workflows", token.as_str().unwrap_or("none"));
    }
}

fn lists(tour: &mut Tour) {
    for client in ["demo-main", "other-main"] {
        let token = tour.token(client, 0);
        for list in LISTS {
            for query in ["", "", "?page=1", "?page=2", "?page=3", "?moot=1"] {
                tour.get(&format!("/v1/{list}{query}"), &token);
            }
        }
        for status in LegalRequestStatus::ALL {
            tour.get(&format!("/v1/requests?status={}", status.as_str()), &token);
            tour.get(&format!("/v1/requests?page=1&status={}", status.as_str()), &token);
        }
        for status in ["published", "unpublished"] {
            tour.get(&format!("/v1/workflows?status={status}"), &token);
            tour.get(&format!("/v1/workflows?page=1&status={status}"), &token);
        }
        for id in [
            "wfMutualNda1",
            "wfConsulting2",
            "wfThirdParty3",
            "wfLease5",
            "WFlEASE5",
            "%77fLease5",
            "none",
        ] {
            tour.get(&format!("/v1/workflows/{id}"), &token);
            tour.get(&format!("/v1/workflows/{id}/schema"), &token);
        }
    }
    let (main, other) = (tour.token("demo-main", 0), tour.token("other-main", 0));
    for list in ["requests", "repository_documents"] {
        for page in 1..=3 {
            let found = tour.get(&format!("/v1/{list}?page={page}"), &main);
            for row in found["data"].as_array().unwrap_or(&Vec::new()).iter().step_by(6) {
                let id = row["id"].as_str().unwrap_or("none");
                for token in [&main, &other] {
                    tour.get(&format!("/v1/{list}/{id}"), token);
                    tour.get(&format!("/v1/{list}/{id}"), token);
                }
                download(tour, row["attributes"]["agreement_url"].as_str(), &main);
                if list == "requests" {
                    tour.get(&format!("/v1/requests/{id}/activity"), &main);
                    tour.get(&format!("/v1/requests/{id}/activity"), &other);
                }
            }
        }
        tour.get(&format!("/v1/{list}/none"), &main);
    }
    tour.get("/v1/requests/none/activity", &main);
}

/// Creates a valid request and returns its id.
fn created(tour: &mut Tour, token: &str) -> String {
    let headers = typed(bearer(token), MULTIPART);
    let created = tour.call("POST /v1/requests", &headers, multipart(LEGAL_REQUEST));
    created["data"]["id"].as_str().unwrap_or("none").to_owned()
}

fn moved(tour: &mut Tour, id: &str, status: LegalRequestStatus) {
    let id = id.to_owned();
    tour.ask(ControlAction::SetStatus {
        id,
        status,
        comment: Some("so & so it is".to_owned()),
        force: true,
    });
}

/// A service that restarts, with an object and a revoked token from before the restart.
fn restarts(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let revoked = tour.token("demo-reader", 0);
    let id = created(tour, &token);
    tour.ask(ControlAction::RevokeToken { token: revoked.clone() });
    tour.ask(ControlAction::Restart);
    let token = tour.token("demo-main", 0);
    tour.get(&format!("/v1/requests/{id}"), &token);
    tour.get("/v1/requests", &revoked);
}

fn histories(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let id = created(tour, &token);
    tour.get(&format!("/v1/requests/{id}/activity"), &token);
    tour.ask(ControlAction::MoveClock(ClockMove::Advance(60)));
    for status in LegalRequestStatus::ALL {
        moved(tour, &id, status);
        tour.get(&format!("/v1/requests/{id}"), &token);
        tour.get(&format!("/v1/requests/{id}/activity"), &token);
        tour.get(&format!("/v1/requests?status={}", status.as_str()), &token);
    }
    let documents = tour.get("/v1/repository_documents", &token);
    let signed = documents["data"][0]["attributes"]["agreement_url"].clone();
    download(tour, signed.as_str(), &token);
    let reader = tour.token("demo-reader", 0);
    tour.get(&format!("/v1/requests/{id}"), &reader);
}

fn creations(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let headers = typed(bearer(&token), MULTIPART);
    let sound: Vec<String> = LEGAL_REQUEST.iter().map(|part| (*part).to_owned()).collect();
    let without = |name: &str| -> Vec<String> {
        sound.iter().filter(|part| !part.starts_with(&format!("{name}="))).cloned().collect()
    };
    let with = |part: &str| {
        let mut parts = without(part.split_once('=').map_or(part, |(name, _)| name));
        parts.push(part.to_owned());
        parts
    };
    let mut bodies: Vec<Body> = [
        without("workflow_id"),
        without("requester_email"),
        without("counterparty_name"),
        with("workflow_id=none"),
        with("workflow_id=Mutual NDA"),
        with("workflow_id=wfLease5"),
        with("requester_email=nobody@example.invalid"),
        with("requester_email=nobody@northwind.example"),
        with("requester_email=einkauf@harbour.example"),
        with("counterparty_email=no address"),
        with("variables=no JSON"),
        with("variables=[1]"),
        with(r#"variables={"purpose":"Test"}"#),
        with(r#"variables={"duration":2,"purpose":"Test"}"#),
        with("internal_signer_email=nobody@example.invalid"),
        with("internal_signer_email=nobody@northwind.example"),
        with("merge_documents_into_pdf=true"),
        with("merge_documents_into_pdf=yes"),
        [sound.clone(), vec!["support_documents[]@a.bin=a".to_owned()]].concat(),
        [
            sound.clone(),
            ["a", "b"].map(|name| format!("support_documents[]@{name}.pdf=a")).to_vec(),
        ]
        .concat(),
    ]
    .iter()
    .map(|parts| multipart(parts))
    .collect();
    let third_party = [
        "workflow_id=wfThirdParty3",
        "requester_email=requester@northwind.example",
        "counterparty_name=Sample Works Ltd",
        "counterparty_signer_name=Ada Sample",
        "counterparty_signer_email=ada@sample.example",
        "file@paper.pdf=the paper",
    ];
    let misspelt = third_party.map(|part| part.replace("ada@", "ada "));
    let several = [
        "workflow_id=wfConsulting2",
        "requester_email=requester@northwind.example",
        "counterparty_name=Ada Sample",
        "counterparty_email=ada@sample.example",
        "counterparty_organization_name=Sample Works Ltd",
        r#"variables={"day_rate":900,"project":"Test","start_date":"2026-04-01"}"#,
        "internal_signer_emails[]=legal@northwind.example",
        "internal_signer_emails[]=director@northwind.example",
    ];
    let stranger = several.map(|part| part.replace("director@", "nobody@"));
    bodies.extend([
        multipart(&third_party),
        multipart(&misspelt),
        multipart(&third_party[..5]),
        multipart(&[&third_party[..], &["support_documents[]@a.pdf=a"]].concat()),
        multipart(&[&third_party[..], &["merge_documents_into_pdf=true"]].concat()),
        multipart(&several),
        multipart(&stranger),
        multipart(&several[..6]),
        with_file_of(multipart(&sound), 60_000_000),
        with_file_of(multipart(&sound), 104_857_601),
        multipart::<&str>(&[]),
        Body::Empty,
    ]);
    for body in bodies {
        tour.call("POST /v1/requests", &headers, body);
    }
    let id = created(tour, &token);
    tour.get(&format!("/v1/requests/{id}"), &token);
    tour.get("/v1/requests", &token);
    let other = typed(bearer(&tour.token("other-main", 0)), MULTIPART);
    tour.call("POST /v1/requests", &other, multipart(&sound));
}

fn uploads(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let headers = typed(bearer(&token), MULTIPART);
    let large = format!("file@large.pdf={}", "large ".repeat(200_000));
    let bodies: [&[&str]; 14] = [
        &["file@paper.pdf=the paper"],
        &["file@paper.pdf=the paper", r#"metadata={"value":1,"list":[true],"text":"R&D"}"#],
        &[r#"metadata={"value":1}"#, "file@paper.pdf=the paper"],
        &["file@paper.pdf=the paper", "metadata=[1]"],
        &["file@paper.exe=the paper"],
        &["url=https://files.example.com/paper.pdf"],
        &["url=http://files.example.com/paper.pdf"],
        &["url=paper.pdf"],
        &["url=https://10.0.0.1/paper.pdf"],
        &["file@paper.pdf=the paper", "url=https://files.example.com/paper.pdf"],
        &["file@100%25.pdf=the paper"],
        &[&large],
        &["metadata={}"],
        &[],
    ];
    for parts in bodies {
        let response = tour.call("POST /v1/repository_documents", &headers, multipart(parts));
        if let Some(id) = response["data"]["id"].as_str() {
            let found = tour.get(&format!("/v1/repository_documents/{id}"), &token);
            download(tour, found["data"]["attributes"]["agreement_url"].as_str(), &token);
        }
    }
    let quoted = typed(bearer(&token), "multipart/form-data; boundary=\"b 0\"");
    tour.call("POST /v1/repository_documents", &quoted, multipart(bodies[0]));
    for (name, value) in [("transfer-encoding", "chunked"), ("expect", "100-continue")] {
        let mut with_header = headers.clone();
        with_header.insert(name, http::HeaderValue::from_static(value));
        tour.call("POST /v1/repository_documents", &with_header, multipart(bodies[0]));
    }
    tour.get("/v1/repository_documents", &token);
    let other = tour.token("other-main", 0);
    tour.get("/v1/repository_documents", &other);
}

/// Reads the bytes of a document.
fn download(tour: &mut Tour, address: Option<&str>, token: &str) {
    tour.get(address.unwrap_or_default().trim_start_matches("http://moot.test/api"), token);
}

/// Registers a webhook and returns its id.
fn registered(tour: &mut Tour, token: &str, event: &str) -> String {
    let headers = typed(bearer(token), "application/json");
    let payload = json!({
        "name": "Tour", "url": "https://hooks.example.com/tour", "auth_type": "bearer",
        "token": "secret", "events": [event],
    });
    let body = Body::Whole(payload.to_string().into());
    let response = tour.call("POST /v1/webhooks", &headers, body);
    response["data"]["id"].as_str().unwrap_or("none").to_owned()
}

fn hostile_calls(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    for target in [
        "/v1/requests/".to_owned(),
        "/v1/requests?page=1&page=2".to_owned(),
        format!("/v1/requests/{}", "0".repeat(200)),
        "/v1/requests/%F0%9F%93%84".to_owned(),
    ] {
        tour.get(&target, &token);
    }
    for method in ["HEAD", "OPTIONS"] {
        tour.call(&format!("{method} /v1/requests"), &bearer(&token), Body::Empty);
    }
    let headers = typed(bearer(&token), MULTIPART);
    let twice = ["workflow_id=a", "workflow_id=b"];
    tour.call("POST /v1/requests", &headers, multipart(&twice));
}

fn webhooks(tour: &mut Tour) {
    let (main, other) = (tour.token("demo-main", 0), tour.token("other-main", 0));
    let mut hooks: Vec<String> =
        (0..3).map(|_| registered(tour, &main, EXECUTION_COMPLETE)).collect();
    registered(tour, &main, "request_declined");
    tour.get("/v1/webhooks", &main);
    tour.get("/v1/webhooks", &other);
    let id = created(tour, &main);
    moved(tour, &id, LegalRequestStatus::SentForSignature);
    tour.deliver();
    moved(tour, &id, LegalRequestStatus::Signed);
    tour.deliver();
    let declined = created(tour, &main);
    moved(tour, &declined, LegalRequestStatus::Declined);
    tour.deliver();
    let second = created(tour, &main);
    moved(tour, &second, LegalRequestStatus::Signed);
    tour.call(&format!("DELETE /v1/webhooks/{}", hooks[1]), &bearer(&other), Body::Empty);
    for id in [format!("%20{}", hooks[1]), hooks.remove(1), "none".to_owned()] {
        for _ in 0..2 {
            tour.call(&format!("DELETE /v1/webhooks/{id}"), &bearer(&main), Body::Empty);
        }
    }
    tour.deliver();
    tour.get("/v1/webhooks", &main);
    registered(tour, &main, EXECUTION_COMPLETE);
    let third = created(tour, &main);
    moved(tour, &third, LegalRequestStatus::Signed);
    tour.deliver();
    moved(tour, &third, LegalRequestStatus::Archived);
    tour.get("/v1/repository_documents", &main);
}

fn bearers(tour: &mut Tour) {
    let body = Body::Whole(format!("grant_type=client_credentials&scope=read&{MAIN}").into());
    let issued = tour.call("POST /oauth/token", &typed(HeaderMap::new(), FORM), body);
    let main = issued["access_token"].as_str().unwrap_or("none").to_owned();
    let mut callers = vec![
        HeaderMap::new(),
        authorization("Token abc"),
        authorization(&format!("bearer {main}")),
        bearer("none"),
        bearer(&format!("{main}x")),
        bearer(&in_other_case(&main)),
    ];
    for age in [3599, 3600, 7199, 7200, 7201] {
        callers.push(bearer(&tour.token("demo-main", age)));
    }
    for client in ["demo-reader", "demo-writer", "other-main"] {
        callers.push(bearer(&tour.token(client, 0)));
    }
    let revoked = tour.token("demo-main", 0);
    let body = Body::Whole(format!("token={revoked}&{MAIN}").into());
    tour.call("POST /oauth/revoke", &typed(HeaderMap::new(), FORM), body);
    callers.push(bearer(&revoked));
    let in_address = format!("GET /v1/workflows?access_token={main}");
    tour.call(&in_address, &HeaderMap::new(), Body::Empty);
    let first = tour.get("/v1/requests", &main)["data"][0]["id"].clone();
    let first_id = first.as_str().unwrap_or("none");
    tour.call(&format!("GET /v1/requests/{first_id}"), &HeaderMap::new(), Body::Empty);
    let activity = format!("GET /v1/requests/{}/activity", first.as_str().unwrap_or("none"));
    for headers in callers {
        let headers = typed(headers, MULTIPART);
        tour.call("GET /v1/requests", &headers, Body::Empty);
        tour.call(&activity, &headers, Body::Empty);
        tour.call("POST /v1/requests", &headers, multipart(LEGAL_REQUEST));
        tour.call("POST /v1/repository_documents", &headers, multipart(&["file@a.pdf=a"]));
        tour.call("DELETE /v1/webhooks/none", &headers, Body::Empty);
    }
}

fn in_other_case(text: &str) -> String {
    let turned = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    text.chars().map(turned).collect()
}

fn odd_calls(tour: &mut Tour) {
    hostile_calls(tour);
    let token = tour.token("demo-main", 0);
    let headers = bearer(&token);
    for line in [
        "PATCH /v1/workflows/wfLease5",
        "PUT /v1/requests",
        "GET /v1/nothing",
        "GET /workflows",
        "POST /v1/oauth/token",
    ] {
        tour.call(line, &headers, Body::Empty);
    }
    let faults = [
        BodyFault::TooLarge,
        BodyFault::NoBoundary,
        BodyFault::WrongMediaType,
        BodyFault::Malformed("no end"),
        BodyFault::Truncated,
    ];
    for path in ["/v1/requests", "/v1/repository_documents"] {
        for fault in faults {
            let headers = typed(headers.clone(), MULTIPART);
            tour.call(&format!("POST {path}"), &headers, Body::Broken(fault));
        }
    }
}

fn limits(tour: &mut Tour) {
    let (token, reader) = (tour.token("demo-main", 0), tour.token("demo-reader", 0));
    let mode = Some(RateLimitMode::Enforce);
    tour.ask(ControlAction::SetRateLimit { mode, reset: true, exhaust: None });
    for _ in 0..602 {
        tour.get("/v1/workflows/wfLease5", &token);
    }
    tour.get("/v1/workflows/wfLease5", &reader);
    tour.call("POST /oauth/token", &typed(HeaderMap::new(), FORM), Body::Empty);
    for seconds in [45, 14, 1] {
        tour.ask(ControlAction::MoveClock(ClockMove::Advance(seconds)));
        tour.get("/v1/workflows/wfLease5", &token);
    }
}
