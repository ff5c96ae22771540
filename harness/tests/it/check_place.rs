//! Places: the value of each, and the place that a failure reports.

use moot_harness::scenario::model::Place;
use moot_harness::scenario::names::Names;
use moot_harness::verdict::check::{Document, Judgement, Mismatch, expectation, place};
use serde_json::{Value, json};

use crate::check_support::{document, expectation as written};

fn names() -> Names {
    let mut names = Names::default();
    names.set("known", json!("it's a/b"));
    names
}

fn page() -> Document {
    let body = json!({
        "type": "request_not_found",
        "data": [{ "id": "a", "n": 1 }, { "id": "it's a/b", "n": 2 }],
        "a/b": { "it's a/b": "deep" },
    });
    let mut page = document(404, "application/problem+json; charset=utf-8", &body);
    page.headers.push(("x-one".to_owned(), "1".to_owned()));
    page.headers.push(("x-one".to_owned(), "2".to_owned()));
    page
}

/// The place of an expectation whose matcher accepts any value.
#[track_caller]
fn parse(place: &str) -> Place {
    written(&format!("\"{place}\": {{ present: true }}"))[0].place.clone()
}

#[track_caller]
fn check(place: &str, expected: Option<Value>) {
    assert_eq!(place::value(&parse(place), &page(), &names()), expected, "{place}");
}

#[test]
fn values_are_found_at_their_places() {
    check("status", Some(json!(404)));
    check("header:X-One", Some(json!("1, 2")));
    check("header:absent", None);
    check("/data/1/n", Some(json!(2)));
    check("/a~1b/it's a~1b", Some(json!("deep")));
    check("/data/2", None);
    check("$.data[*].n", Some(json!([1, 2])));
    check("$.data[?@.n > 5].n", Some(json!([])));
}

#[test]
fn names_in_places_are_escaped() {
    check("/a~1b/<known>", Some(json!("deep")));
    check("$.data[?@.id == '<known>'].n", Some(json!([2])));
}

#[test]
fn a_problem_may_be_sent_with_another_media_type_and_a_page_is_none() {
    check("problem", Some(json!("request_not_found")));
    let claims = written("problem: request_not_found");
    let mut sent = page();
    for media_type in ["application/json", "text/html"] {
        sent.headers = vec![("content-type".to_owned(), media_type.to_owned())];
        assert_eq!(expectation::judge(&claims, &sent, &names()), Judgement::Holds);
    }
    sent.json = None;
    let judgement = expectation::judge(&claims, &sent, &names());
    assert!(
        matches!(judgement, Judgement::Fails(Mismatch { actual, .. }) if actual == "text/html")
    );
}

#[test]
fn a_body_is_its_value_or_its_text() {
    let mut document = page();
    document.json = None;
    document.body = "not \u{e9}".into();
    assert_eq!(place::value(&Place::Body, &document, &names()), Some(json!("not é")));
    document.body = "".into();
    let claims = written("body: \"\"");
    assert_eq!(expectation::judge(&claims, &document, &names()), Judgement::Holds);
}

#[test]
fn a_digest_is_that_of_the_bytes() {
    let mut document = page();
    // The output of `printf 'a\r\n\377' | sha256sum`.
    document.body = vec![b'a', b'\r', b'\n', 0xff].into();
    let digest = "9673847181cd5eb6eca538070ff4d26516d41b9b62657155d8f8baad8abd88f8";
    assert_eq!(place::value(&Place::Digest, &document, &names()), Some(json!(digest)));
    document.body = vec![b'a', b'\n', 0xff].into();
    let claims = written(&format!("digest: {digest}"));
    assert!(matches!(expectation::judge(&claims, &document, &names()), Judgement::Fails(_)));
}

#[test]
fn a_list_without_matches_is_absent_and_empty() {
    let judged = |claims: &str| expectation::judge(&written(claims), &page(), &names());
    assert_eq!(judged("\"$.x[*]\": { present: false }"), Judgement::Holds);
    assert!(matches!(judged("\"$.x[*]\": { present: true }"), Judgement::Fails(_)));
    assert!(matches!(judged("\"$.x[*]\": { each: 1 }"), Judgement::NotApplicable { .. }));
    assert_eq!(judged("\"$.x[*]\": { length: 0 }"), Judgement::Holds);
    assert_eq!(judged("\"$.data[*]\": { present: true }"), Judgement::Holds);
}

#[test]
fn a_failure_of_a_path_points_into_the_body() {
    let judgement = expectation::judge(&written("\"$.data[*].n\": { each: 1 }"), &page(), &names());
    let Judgement::Fails(Mismatch { pointer, .. }) = judgement else { panic!("the second is 2") };
    assert_eq!(pointer.as_deref(), Some("/data/1/n"));
}

#[test]
fn a_path_that_finds_nothing_points_to_the_absent_member() {
    for (path, expected) in [
        ("$.data[*].name", Some("/data/0/name")),
        ("$.data[*].name.first", Some("/data/0/name")),
        ("$.items[*].id", Some("/items")),
        ("$.data[?@.n == 3].id", None),
        ("$..name", None),
    ] {
        let claims = written(&format!("\"{path}\": {{ length: 2 }}"));
        let judgement = expectation::judge(&claims, &page(), &names());
        let Judgement::Fails(Mismatch { pointer, message, .. }) = judgement else {
            panic!("{path} finds nothing")
        };
        assert_eq!(pointer.as_deref(), expected, "{path}");
        assert_eq!(message.contains(" is absent"), expected.is_some(), "{message}");
    }
}

#[test]
fn a_failed_claim_has_precedence_over_an_empty_one() {
    let judged = |claims: &str| expectation::judge(&written(claims), &page(), &names());
    let both = judged("\"$.x[*]\": { unique: true }, status: 200");
    assert!(matches!(both, Judgement::Fails(_)), "{both:?}");
    let empty = judged("status: 404, \"$.x[*]\": { unique: true }");
    assert!(
        matches!(empty, Judgement::NotApplicable { .. }),
        "nothing passes by being empty: {empty:?}"
    );
}

#[test]
fn a_schema_is_named_or_documented() {
    let problem = json!({
        "type": "request_not_found", "status": 404, "title": "Request not found", "detail": "d",
        "instance": "/v1/requests/x", "request_id": "r",
    });
    let mut document = document(404, "application/problem+json", &problem);
    let judged = |claims: &str, document: &Document| {
        expectation::judge(&written(claims), document, &names())
    };
    assert_eq!(judged("schema: problem", &document), Judgement::Holds);
    assert!(matches!(judged("schema: token", &document), Judgement::Fails(_)));
    assert!(matches!(judged("schema: true", &document), Judgement::NotApplicable { .. }));
    document.operation = Some(moot_fixtures::contract::Operation::GetLegalRequest);
    assert_eq!(judged("schema: true", &document), Judgement::Holds);
}
