//! What is volatile is named, keeps its identity, and everything else stays.

use moot_snapshots::{Placeholders, RawResponse, StoredPlaces};
use serde_json::{Value, json};

/// Renders `bodies` in one scenario and compares the last body.
#[track_caller]
fn check(bodies: &[Value], expected: Value) {
    let mut placeholders = Placeholders::default();
    placeholders.hide("tag42", "tag");
    placeholders.hide_base("http://127.0.0.1:4010/sandboxes/s7");
    let mut last = String::new();
    for body in bodies {
        last = placeholders.response(told(200, Some(body)), &stored(), &[]);
    }
    let shown = last.split_once("\n\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    assert_eq!(shown, format!("{expected:#}"));
}

fn told(status: u16, json: Option<&Value>) -> RawResponse<'_> {
    RawResponse { status, headers: &[], json, text: "" }
}

/// As a contract would have it: a name, a note that may be null, free keys, a list.
fn stored() -> StoredPlaces {
    let place = |path: &str, types: &[&str]| {
        let words = |text: &[&str]| text.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        (words(&path.split('/').collect::<Vec<_>>()), words(types))
    };
    StoredPlaces::new([
        place("data", &["array"]),
        place("data/title", &["string"]),
        place("data/*/title", &["string"]),
        place("data/note", &["string", "null"]),
        place("data/tied", &["object", "null"]),
        place("data/fields", &["array"]),
    ])
}

#[test]
fn what_is_stored_is_named_by_its_type_and_keeps_its_identity() {
    let thing = |id: &str, title: Value, note: Value, tied: Value, fields: Value| {
        json!({"data": {"id": id, "type": "legal_request", "title": title, "note": note,
            "tied": tied, "fields": fields, "status": "draft"}})
    };
    let shown = |title: &str, note: &str, tied: &str| {
        json!({"data": {"fields": ["string"], "id": "[request:1]", "note": note, "status": "draft",
            "tied": tied, "title": title, "type": "legal_request"}})
    };
    let one = thing("ab12", json!("NDA"), json!(null), json!(null), json!(["a"]));
    let first = shown("[text:1]", "[text or null:1]", "[object or null:1]");
    check(std::slice::from_ref(&one), first.clone());
    // Other data: the same. What is tied to it has no name of its own, which would move the others.
    let tied = json!({"id": "ef56", "type": "legal_request"});
    let other = thing("cd34", json!("Lease"), json!("n"), tied.clone(), json!(["b", "c"]));
    check(&[other], first.clone());
    // The same thing again, and then changed.
    check(&[one.clone(), one.clone()], first);
    let changed = thing("ab12", json!("NDA 2"), json!("n"), tied, json!(["a"]));
    check(&[one, changed], shown("[text:2]", "[text or null:2]", "[object or null:2]"));
}

#[test]
fn another_type_of_a_stored_value_shows() {
    let thing = |title: Value, fields: Value| json!({"data": {"fields": fields, "title": title}});
    check(&[thing(json!(7), json!([1]))], thing(json!(7), json!(["integer"])));
    check(&[thing(json!(null), json!("a"))], thing(json!(null), json!("a")));
    check(&[thing(json!("NDA"), json!([]))], thing(json!("[text:1]"), json!(["(none)"])));
}

fn legal_request(id: &str) -> Value {
    json!({"data": {"id": id, "type": "legal_request", "attributes": {"status": "draft"}}})
}

#[test]
fn an_id_keeps_its_name_within_a_scenario() {
    let shown = |name: &str| json!({"data": {"attributes": {"status": "draft"}, "id": name, "type": "legal_request"}});
    check(&[legal_request("ab12")], shown("[request:1]"));
    check(&[legal_request("ab12"), legal_request("ab12")], shown("[request:1]"));
    check(&[legal_request("ab12"), legal_request("cd34")], shown("[request:2]"));
}

#[test]
fn an_id_is_known_in_texts_and_paths_wherever_it_stands_first() {
    check(
        &[json!({"type": "request_not_found", "status": 404, "title": "Request not found",
            "detail": "no request ab12", "instance": "/sandboxes/s7/v1/requests/ab12",
            "request_id": "9f8e7d"})],
        json!({"detail": "no request [request:1]",
            "instance": "[base-path]/v1/requests/[request:1]", "request_id": "[request-id:1]",
            "status": 404, "title": "Request not found", "type": "request_not_found"}),
    );
}

#[test]
fn times_are_named_per_resource_and_member() {
    let upload = json!({"success": true, "message": "ok",
        "data": {"id": "d1d1", "name": "a.pdf", "created_at": "2026-03-05T14:30:00Z"}});
    let document = |id: &str, at: &str| json!({"data": {"id": id, "type": "repository_document", "attributes": {"created_at": at}}});
    let shown = |id: &str, at: &str| json!({"data": {"attributes": {"created_at": at}, "id": id, "type": "repository_document"}});
    let same = "2026-03-05T14:30:00Z";
    check(&[upload.clone(), document("d1d1", same)], shown("[document:1]", "[time:1]"));
    check(
        &[upload.clone(), document("d1d1", "2026-03-05T14:30:01Z")],
        shown("[document:1]", "[time:2]"),
    );
    // Made in the same second: no identity by chance.
    check(&[upload, document("e2e2", same)], shown("[document:2]", "[time:2]"));
}

#[test]
fn a_token_is_never_shown() {
    check(
        &[json!({"access_token": "s3cr3t-s3cr3t", "token_type": "Bearer", "expires_in": 7200,
            "scope": "read", "created_at": 1772721000})],
        json!({"access_token": "[token:1]", "created_at": "[time:1]", "expires_in": 7200,
            "scope": "read", "token_type": "Bearer"}),
    );
}

#[test]
fn a_member_that_is_new_in_each_response_is_not_compared() {
    let body = |trace: &str| json!({"code": "request_not_found", "jti": trace});
    let (uuid, hex) = ("6f1c3a52-9d0e-4b7a-8f25-0c4d1e9b7a63", "4bf92f3577b34da6");
    for trace in [uuid, hex] {
        check(&[body(trace)], body("[opaque]"));
        assert_eq!(Placeholders::default().shown_member(trace), "[opaque]");
        // A header is compared: a build number differs between deployments.
        assert_eq!(Placeholders::default().shown(trace), trace);
    }
    // Several words, a short word, a code and a date keep their text.
    for text in [
        "legal_request_not_found",
        "version 2026 of the contract",
        "release-2026-11",
        "LEGAL-REQUEST-4041",
        "2026-11-01-preview",
    ] {
        check(&[body(text)], body(text));
        assert_eq!(Placeholders::default().shown_member(text), text);
    }
}

#[test]
fn a_list_of_resources_is_its_merged_shape() {
    let item = |id: &str| json!({"id": id, "type": "workflow", "attributes": {"name": id}});
    let page = |count: u64, items: Vec<Value>| {
        json!({"pagination": {"current_page": 1, "per_page": 25, "total_pages": count,
            "total_count": count}, "data": items})
    };
    let expected = json!({
        "data": [{"attributes": {"name": "string"}, "id": "[workflow]", "type": "workflow"}],
        "pagination": {"current_page": 1, "per_page": 25, "total_count": "[count]",
            "total_pages": "[count]"},
    });
    check(&[page(1, vec![item("a")])], expected.clone());
    check(&[page(9, vec![item("c"), item("b"), item("a")])], expected);
}

#[test]
fn addresses_and_the_tag_of_the_run_are_named() {
    check(
        &[json!({"name": "NDA tag42", "requester": "nobody-tag42@example.invalid",
            "agreement_url": "http://127.0.0.1:4010/sandboxes/s7/agreements/0a1b2c3d4e5f6a7b8c?x=1",
            "url": "http://127.0.0.1:39999/hook"})],
        json!({"agreement_url": "[base]/agreements/[id:1]?[query]",
            "name": "NDA [tag]", "requester": "nobody-[tag]@example.invalid",
            "url": "[origin]/hook"}),
    );
}

#[test]
fn only_stable_headers_are_kept_and_pointers_are_redacted() {
    let headers = [
        ("date", "Thu, 05 Mar 2026 14:30:00 GMT"),
        ("retry-after", "17"),
        ("content-type", "application/json"),
        ("x-request-id", "abc"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let body = json!({"a": {"b": 1}, "c": 2, "id": "ab12"});
    let pointers = ["/a/b".to_owned(), "/id".to_owned(), "/nowhere".to_owned()];
    assert_eq!(
        Placeholders::default().response(
            RawResponse { headers: &headers, ..told(429, Some(&body)) },
            &stored(),
            &pointers
        ),
        "HTTP 429\ncontent-type: application/json\nretry-after: [present]\n\n\
         {\n  \"a\": {\n    \"b\": \"[redacted]\"\n  },\n  \"c\": 2,\n  \"id\": \"[redacted]\"\n}"
    );
}

#[test]
fn a_body_that_is_no_json_is_shown_escaped() {
    let shown = |text: &str| {
        let told = RawResponse { text, ..told(502, None) };
        Placeholders::default().response(told, &StoredPlaces::default(), &[])
    };
    assert_eq!(shown(""), "HTTP 502\n\n(no body)");
    assert_eq!(shown("<p>\u{1b}[31m"), "HTTP 502\n\n<p>\\u{1b}[31m");
    assert_eq!(shown("%PDF\u{fffd}"), "HTTP 502\n\n(binary)");
    assert!(shown(&"x".repeat(4000)).ends_with('x'));
    assert!(shown(&"x".repeat(4001)).ends_with("\n(cut)"));
}
