//! Implicit checks: a correct exchange has no failure. Each mistake fails its requirement.

use moot_fixtures::contract::Operation;
use moot_harness::exchange::Trouble;
use moot_harness::verdict::check::Judgement;
use moot_harness::verdict::check::implicit::{self, ImplicitContext, TABLE};
use serde_json::{Value, json};

use crate::check_support::{Seen, check, findings};

fn problem() -> Value {
    json!({
        "type": "request_not_found",
        "status": 404,
        "title": "Request not found",
        "detail": "There is no such request.",
        "instance": "/api/v1/requests/x",
        "request_id": "r-1",
    })
}

fn with(member: &str, value: Value) -> Value {
    let mut problem = problem();
    problem[member] = value;
    problem
}

fn without(member: &str) -> Value {
    let mut problem = problem();
    problem.as_object_mut().expect("it is an object").shift_remove(member);
    problem
}

fn missing(body: &Value) -> Seen {
    Seen::new(Operation::GetLegalRequest, "/v1/requests/x", 404, body)
}

fn token() -> Seen {
    let body = json!({
        "access_token": "t", "token_type": "Bearer", "expires_in": 7200, "scope": "read",
        "created_at": 1_772_721_000,
    });
    let seen = Seen::new(Operation::CreateAccessToken, "/oauth/token", 200, &body);
    seen.header("cache-control", "private, No-Store")
}

fn list(body: &Value) -> Seen {
    Seen::new(Operation::ListLegalRequests, "/v1/requests?page=1", 200, body)
}

fn empty_list() -> Value {
    let pagination =
        json!({ "current_page": 1, "per_page": 25, "total_pages": 0, "total_count": 0 });
    json!({ "pagination": pagination, "data": [] })
}

#[test]
fn correct_responses_fail_no_check() {
    check(&missing(&problem()), &[]);
    check(&token(), &[]);
    check(&list(&empty_list()), &[]);
}

#[test]
fn every_finding_is_of_its_row() {
    let verified: Vec<&str> = TABLE.iter().flat_map(|row| row.verifies.iter().copied()).collect();
    for seen in [missing(&problem()), token(), list(&empty_list()), missing(&json!([]))] {
        for (requirement, _) in findings(&seen) {
            assert!(verified.contains(&requirement), "{requirement}");
        }
    }
}

#[test]
fn trouble_of_the_network_is_no_violation() {
    let mut exchange = missing(&problem()).exchange();
    exchange.outcome = Err(Trouble::Unreachable("refused".to_owned()));
    assert_eq!(implicit::judge(&exchange, &ImplicitContext::default()), []);
}

#[test]
fn each_member_of_a_problem_is_checked() {
    check(&missing(&without("type")), &["errors.member-type"]);
    check(&missing(&with("type", json!(""))), &["errors.member-type"]);
    check(&missing(&without("status")), &["errors.member-status"]);
    check(&missing(&with("status", json!("404"))), &["errors.member-status"]);
    check(&missing(&without("title")), &["errors.member-title"]);
    check(&missing(&with("detail", Value::Null)), &["errors.member-detail"]);
    check(&missing(&with("instance", json!({}))), &["errors.member-instance"]);
    check(&missing(&with("request_id", json!(7))), &["errors.member-request-id"]);
    check(&missing(&with("more", json!(7))), &[]);
}

#[test]
fn a_body_that_is_no_problem_is_one_failure() {
    let mut text = missing(&problem()).header("content-type", "text/plain");
    text.body = "not found".to_owned();
    check(&text, &["errors.media-type", "errors.member-type"]);
    text.body = String::new();
    check(&text, &["errors.media-type", "errors.member-type"]);
}

#[test]
fn an_error_in_another_form_is_one_failure_and_two_absent_members_are_two() {
    check(&missing(&json!({ "detail": "Not found." })), &["errors.member-type"]);
    let mut body = without("type");
    body.as_object_mut().expect("an object").remove("title");
    check(&missing(&body), &["errors.member-type", "errors.member-title"]);
    body.as_object_mut().expect("an object").remove("request_id");
    check(&missing(&body), &["errors.member-type"]);
    let mut typed = problem();
    for name in ["title", "detail", "request_id"] {
        typed.as_object_mut().expect("an object").remove(name);
    }
    let all = ["errors.member-title", "errors.member-detail", "errors.member-request-id"];
    check(&missing(&typed), &all);
}

#[test]
fn a_problem_agrees_with_its_response() {
    check(&missing(&with("status", json!(400))), &["errors.status-agrees"]);
    check(&missing(&with("instance", json!("/v1/requests/x"))), &[]);
    check(&missing(&with("instance", json!("/api/v1/requests/x?page=1"))), &[]);
    check(&missing(&with("instance", json!("/v1/requests"))), &["errors.instance-is-path"]);
    let address = "https://legal.example/api/v1/requests/x";
    check(&missing(&with("instance", json!(address))), &["errors.instance-is-path"]);
    check(&missing(&with("instance", json!("v1/requests/x"))), &["errors.instance-is-path"]);
    // Routers remove empty segments.
    check(&missing(&with("instance", json!("/v1/requests/x/"))), &[]);
    check(&missing(&with("instance", json!("//api/v1//requests/x"))), &[]);
}

#[test]
fn an_instance_may_be_without_the_line_breaks_and_tabs_of_the_path() {
    let asked = |path: &'static str, instance: &str| {
        let body = with("instance", json!(instance));
        Seen::new(Operation::GetLegalRequest, path, 404, &body)
    };
    for path in ["/v1/requests/x%0A", "/v1/requests/x%0D%0A", "/v1/requests/%09x"] {
        check(&asked(path, "/v1/requests/x"), &[]);
        check(&asked(path, path), &[]);
        check(&asked(path, "/v1/requests/y"), &["errors.instance-is-path"]);
    }
    check(&asked("/v1/requests/x%20", "/v1/requests/x"), &["errors.instance-is-path"]);
}

#[test]
fn a_stated_type_comes_with_its_status_and_title() {
    check(&missing(&with("title", json!("Not found"))), &["errors.title-of-type"]);
    check(&missing(&with("type", json!("of_our_own"))), &[]);
    let mut body = with("status", json!(403));
    body["type"] = json!("token_expired");
    body["title"] = json!("Token Expired");
    let forbidden = Seen::new(Operation::GetLegalRequest, "/v1/requests/x", 403, &body);
    check(&forbidden, &["errors.known-type"]);
}

#[test]
fn a_status_that_a_question_frees_may_come_with_any_type() {
    let mut body = with("status", json!(409));
    body["type"] = json!("parameter_missing");
    body["title"] = json!("Bad Request");
    body["instance"] = json!("/v1/repository_documents");
    let path = "/v1/repository_documents";
    let upload = Seen::new(Operation::CreateRepositoryDocument, path, 409, &body);
    check(&upload, &["~errors.known-type"]);
    body["type"] = json!("insufficient_scope");
    body["title"] = json!("Forbidden");
    let upload = Seen::new(Operation::CreateRepositoryDocument, path, 409, &body);
    check(&upload, &["errors.known-type"]);
    let hidden = Seen::new(Operation::GetLegalRequest, "/v1/requests/x", 403, &{
        with("status", json!(403))
    });
    check(&hidden, &["~errors.known-type"]);
}

#[test]
fn titles_of_other_missing_resources_are_open() {
    let mut body = with("title", json!("Webhook not found"));
    body["instance"] = json!("/v1/webhooks/x");
    let seen = Seen::new(Operation::DeleteWebhook, "/v1/webhooks/x", 404, &body);
    check(&seen, &["~errors.title-of-type"]);
}

#[test]
fn a_media_type_that_a_question_allows_is_a_warning() {
    let json = missing(&problem()).header("content-type", "application/json; charset=utf-8");
    check(&json, &["~errors.media-type"]);
    let html = missing(&problem()).header("content-type", "text/html");
    check(&html, &["http.json-media-type", "errors.media-type"]);
}

#[test]
fn other_errors_without_a_problem_are_a_warning() {
    let page = |operation: Option<Operation>, status: u16| {
        let mut seen = missing(&problem()).header("content-type", "text/html");
        seen = if status == 405 { seen.header("allow", "GET") } else { seen };
        (seen.operation, seen.status, seen.body) = (operation, status, "<html>".to_owned());
        seen
    };
    let fails = ["errors.media-type", "errors.member-type"];
    let create = Some(Operation::CreateLegalRequest);
    // Without an operation: an unknown path, or a method that the path does not take.
    for status in [400, 403, 404, 405] {
        check(&page(None, status), &["~errors.media-type"]);
    }
    check(&page(None, 401), &fails);
    check(&page(create, 404), &fails);
    for status in [413, 414, 415, 431] {
        let refused: Vec<_> = findings(&page(create, status))
            .into_iter()
            .filter(|(id, it)| *id != "http.declared-status" && matches!(it, Judgement::Fails(_)))
            .collect();
        let [(id, Judgement::Fails(mismatch))] = refused.as_slice() else { panic!("{refused:?}") };
        assert!(*id == "errors.media-type" && mismatch.is_tolerable, "{refused:?}");
    }
    // A server in front refuses a path with control characters, with 400 or, as Apache httpd, with 404.
    let mut strange = page(Some(Operation::GetLegalRequest), 400);
    check(&strange, &["~http.declared-status", fails[0], fails[1]]);
    strange.path = "/v1/requests/x%00";
    check(&strange, &["~errors.media-type"]);
    let mut unknown = page(Some(Operation::GetLegalRequest), 404);
    check(&unknown, &fails);
    unknown.path = "/v1/requests/x%00";
    check(&unknown, &["~errors.media-type"]);
    // A body whose media type is that of a problem is judged.
    let mut seen = missing(&without("type"));
    seen.operation = None;
    check(&seen, &["errors.member-type"]);
    let mut seen = missing(&with("title", json!(7))).header("content-type", "application/json");
    seen.operation = None;
    check(&seen, &["~errors.media-type", "errors.member-title"]);
}

#[test]
fn responses_of_the_limiter_are_free() {
    for status in [429, 503] {
        let mut limited = missing(&problem()).header("content-type", "text/plain");
        limited.status = status;
        limited.body = "slow down".to_owned();
        check(&limited, &[]);
    }
}

#[test]
fn server_errors_fail_and_those_of_a_gateway_warn() {
    let mut body = with("status", json!(500));
    body["type"] = json!("internal");
    let mut failed = missing(&body);
    failed.status = 500;
    check(&failed, &["errors.never-5xx"]);
    failed.status = 502;
    failed.body = String::new();
    check(&failed, &["~errors.never-5xx"]);
}

#[test]
fn some_calls_may_be_refused_with_any_client_error() {
    let refused = |operation, path: &'static str, status: u16| {
        let mut body = with("status", json!(status));
        body["type"] = json!("of_our_own");
        body["instance"] = json!(path.split('?').next());
        Seen::new(operation, path, status, &body)
    };
    for status in [404, 409, 422] {
        for path in ["/v1/requests?page=9", "/v1/requests?page=-1", "/v1/requests?status=odd"] {
            check(&refused(Operation::ListLegalRequests, path, status), &[]);
        }
        check(&refused(Operation::RevokeToken, "/oauth/revoke", status), &[]);
        check(&refused(Operation::CreateWebhook, "/v1/webhooks", status), &[]);
        let upload = "/v1/repository_documents";
        check(&refused(Operation::CreateRepositoryDocument, upload, status), &[]);
        let bare = refused(Operation::ListLegalRequests, "/v1/requests", status);
        check(&bare, &["~http.declared-status"]);
    }
}

#[test]
fn a_media_type_that_is_not_offered_may_be_refused() {
    let mut body = with("status", json!(406));
    body["type"] = json!("not_acceptable");
    body["instance"] = json!("/v1/workflows");
    let seen = Seen::new(Operation::ListWorkflows, "/v1/workflows", 406, &body);
    for (accept, is_open) in
        [("application/x-moot", true), (";;;", true), ("application/json", false)]
    {
        let mut exchange = seen.exchange();
        exchange.request.headers.push(("accept".to_owned(), accept.to_owned()));
        let judged = implicit::judge(&exchange, &ImplicitContext::new("/api", false));
        let fails = |(id, it): &(&str, Judgement)| {
            *id == "http.declared-status" && matches!(it, Judgement::Fails(_))
        };
        assert_eq!(!judged.iter().any(fails), is_open, "{accept}");
    }
    check(&seen, &["~http.declared-status"]);
}

#[test]
fn statuses_are_documented_or_open() {
    let mut list = list(&empty_list());
    list.status = 202;
    check(&list, &["http.declared-status"]);
    let mut other = with("status", json!(418));
    other["type"] = json!("teapot");
    let mut undeclared = missing(&other);
    undeclared.status = 418;
    check(&undeclared, &["~http.declared-status"]);
    let refused = |path: &'static str| {
        let mut body = with("status", json!(400));
        body["type"] = json!("parameter_missing");
        body["title"] = json!("Bad Request");
        body["instance"] = json!(path);
        Seen::new(Operation::GetLegalRequest, path, 400, &body)
    };
    check(&refused("/v1/requests/%FF%FE"), &[]);
    check(&refused("/v1/requests/%00"), &[]);
    check(&refused("/v1/requests/%F0%9F%93%84"), &["~http.declared-status"]);
    let document = json!({
        "success": true, "message": "m",
        "data": { "id": "d", "name": "n.pdf", "created_at": "2026-03-05T14:30:00Z" },
    });
    let path = "/v1/repository_documents";
    for status in [200, 201, 202] {
        check(&Seen::new(Operation::CreateRepositoryDocument, path, status, &document), &[]);
    }
    let moved = Seen::new(Operation::CreateRepositoryDocument, path, 302, &document);
    check(&moved, &["http.declared-status"]);
}

#[test]
fn a_part_of_a_list_is_what_a_range_asks_for() {
    let failed = |range: &str, status: u16, content_range: &str| {
        let mut seen = list(&empty_list());
        seen.status = status;
        seen.body.truncate(10);
        let mut exchange = seen.exchange();
        exchange.request.headers.push((range.to_owned(), "bytes=0-9".to_owned()));
        if let Ok(response) = &mut exchange.outcome {
            response.headers.push(("content-range".to_owned(), content_range.to_owned()));
        }
        let found = implicit::judge(&exchange, &ImplicitContext::new("/api", false));
        found.iter().any(|(_, judgement)| matches!(judgement, Judgement::Fails(_)))
    };
    assert!(!failed("range", 206, "bytes 0-9/120"));
    assert!(!failed("range", 206, "bytes 0-9/*"));
    assert!(failed("range", 206, "bytes 0-8/120"));
    assert!(failed("range", 200, "bytes 0-9/120"));
    assert!(failed("accept", 206, "bytes 0-9/120"));
}

#[test]
fn a_date_is_an_http_date() {
    check(&missing(&problem()).header("date", ""), &["http.date"]);
    check(&missing(&problem()).header("date", "2026-03-05T14:30:00Z"), &["http.date"]);
}

#[test]
fn json_has_no_member_twice_and_parses() {
    let mut twice = list(&empty_list());
    twice.body = twice.body.replacen('{', "{\"data\":[],", 1);
    check(&twice, &["json.valid"]);
    // A client that reads the first value gets a different list than one that reads the last.
    let shape = "list-legal-requests.shape";
    let other = |more: &str| list(&empty_list()).body.replacen('{', &format!("{{{more},"), 1);
    twice.body = other("\"data\":7");
    check(&twice, &["json.valid", shape]);
    twice.body = other("\"new\":[{\"a\":1,\"a\":2}]");
    check(&twice, &["json.valid", shape]);
    twice.body = "{\"a\":{\"b\":1,\"b\":1}}".to_owned();
    twice.operation = None;
    check(&twice, &["json.valid"]);
    twice.body = "{\"a\":[{\"b\":1},{\"b\":1}]}".to_owned();
    check(&twice, &[]);
    twice.body = "{\"a\":1".to_owned();
    check(&twice, &["json.valid"]);
}

#[test]
fn a_refusal_of_a_token_carries_a_challenge() {
    let mut body = with("status", json!(401));
    body["type"] = json!("invalid_token");
    body["title"] = json!("Invalid Token");
    let refused = Seen::new(Operation::GetLegalRequest, "/v1/requests/x", 401, &body);
    check(&refused, &["oauth.challenge"]);
    check(&refused.clone().header("www-authenticate", "Basic realm=\"x\""), &["oauth.challenge"]);
    check(&refused.clone().header("www-authenticate", "bearer realm=\"x\""), &[]);
    check(&refused.header("www-authenticate", "Basic realm=\"x\", Bearer"), &[]);
}

#[test]
fn a_wrong_method_is_answered_with_those_there_are() {
    let mut body = with("status", json!(405));
    body["type"] = json!("method_not_allowed");
    let mut wrong = missing(&body);
    wrong.status = 405;
    wrong.operation = None;
    check(&wrong, &["http.allow-on-405"]);
    check(&wrong.header("allow", "GET"), &[]);
}

#[test]
fn token_responses_have_their_own_bodies() {
    check(&token().header("cache-control", ""), &["oauth.no-store"]);
    check(&token().header("cache-control", "no-cache"), &["oauth.no-store"]);
    let mut token = token();
    token.body = json!({ "access_token": "t" }).to_string();
    check(&token, &["token.response-shape"]);
    let failure = json!({ "error": "invalid_client", "error_description": "no" });
    let refused = Seen::new(Operation::CreateAccessToken, "/oauth/token", 401, &failure);
    check(&refused.clone().header("content-type", "application/json"), &[]);
    let half = json!({ "error": "invalid_client" });
    let refused = Seen::new(Operation::CreateAccessToken, "/oauth/token", 400, &half);
    check(&refused.header("content-type", "application/json"), &["token-failure.shape"]);
}

#[test]
fn successes_have_their_shapes() {
    check(&list(&json!({ "data": [] })), &["list-legal-requests.shape"]);
    let mut text = list(&empty_list()).header("content-type", "text/plain");
    text.body = "ok".to_owned();
    check(&text, &["list-legal-requests.shape"]);
    let mut more = empty_list();
    more["links"] = json!({});
    check(&list(&more), &[]);
}

fn entry(id: &str, at: &str, description: &str, comment: Option<&str>) -> Value {
    let attributes = json!({
        "action": "status_change",
        "description": description,
        "comment": comment,
        "additional_data": { "number": id },
        "created_at": at,
    });
    json!({ "id": id, "type": "activity_log", "attributes": attributes })
}

fn log(entries: &[Value]) -> Seen {
    let body = json!({ "data": entries });
    Seen::new(Operation::GetLegalRequestActivity, "/v1/requests/x/activity", 200, &body)
}

#[test]
fn a_log_tells_each_change_once() {
    let (one, two) = ("2026-03-05T14:30:00Z", "2026-03-05T14:30:01Z");
    let (draft, signed) = ("Draft", "Signed");
    let sound = [
        log(&[]),
        log(&[entry("a", one, draft, None), entry("b", one, signed, None)]),
        // It returns to an earlier status within a second.
        log(&[
            entry("a", one, draft, None),
            entry("b", one, signed, None),
            entry("c", one, draft, None),
        ]),
        log(&[entry("a", one, draft, None), entry("b", two, draft, None)]),
        log(&[entry("a", one, draft, Some("Please.")), entry("b", one, draft, Some("Again."))]),
        // Without the status, these may be different changes.
        log(&[entry("a", one, "Status changed", None), entry("b", one, "Status changed", None)]),
    ];
    for seen in sound {
        check(&seen, &[]);
    }
    let mut comment = entry("a", one, draft, None);
    comment["attributes"]["action"] = json!("comment");
    let mut alike = comment.clone();
    alike["id"] = json!("b");
    check(&log(&[comment, alike]), &[]);

    let twice = log(&[entry("a", one, signed, None), entry("b", one, signed, None)]);
    check(&twice, &["activity.each-change-once"]);
    let again = log(&[entry("a", one, signed, None), entry("a", one, signed, None)]);
    check(&again, &["activity.entry-id-unique"]);
}

#[test]
fn a_deletion_has_no_body() {
    let mut deleted = Seen::new(Operation::DeleteWebhook, "/v1/webhooks/x", 204, &json!(null));
    deleted.body = String::new();
    check(&deleted, &[]);
    deleted.status = 200;
    check(&deleted, &[]);
    deleted.body = "{}".to_owned();
    check(&deleted, &["delete-webhook.no-body"]);
}

#[test]
fn a_body_that_was_cut_is_not_judged() {
    let mut exchange = list(&empty_list()).exchange();
    if let Ok(response) = &mut exchange.outcome {
        response.is_cut = true;
        response.json = None;
    }
    let findings = implicit::judge(&exchange, &ImplicitContext::new("/api", false));
    assert!(findings.iter().all(|(_, judgement)| *judgement == Judgement::Holds), "{findings:?}");
}

#[test]
fn a_request_id_is_of_one_call_of_one_service() {
    let context = ImplicitContext::new("/api", false);
    let clashes = |seen: &Seen| {
        implicit::judge(&seen.exchange(), &context)
            .into_iter()
            .any(|(_, judgement)| matches!(judgement, Judgement::Fails(_)))
    };
    let first = missing(&problem());
    let second = Seen { number: 2, ..first.clone() };
    assert!(!clashes(&first));
    assert!(!clashes(&first), "the same call judged twice is not a clash");
    assert!(clashes(&second));
    let mut elsewhere = Seen { number: 3, ..first }.exchange();
    elsewhere.request.url = "https://legal.example/api/sandboxes/2/v1/requests/x".to_owned();
    let found = implicit::judge(&elsewhere, &context);
    assert!(
        found.iter().all(|(_, judgement)| *judgement == Judgement::Holds),
        "another world: {found:?}"
    );
}

#[test]
fn an_error_shows_no_internals() {
    let trace = "Traceback (most recent call last): File x";
    check(&missing(&with("detail", json!(trace))), &["errors.no-internals"]);
    check(&missing(&with("detail", json!("There is no request at that place."))), &[]);
    let (context, fields) =
        (ImplicitContext::new("/api", false), ImplicitContext::new("/api", false));
    let detail_in = |context: &ImplicitContext, problem_type: &str, status: u16, number: u64| {
        let mut seen = missing(&with("type", json!(problem_type)));
        (seen.number, seen.status) = (number, status);
        let mut body: Value = serde_json::from_str(&seen.body).expect("JSON");
        body["status"] = json!(status);
        body["request_id"] = json!(format!("r-{number}"));
        seen.body = body.to_string();
        let found = implicit::judge(&seen.exchange(), context).into_iter();
        let fails = found.filter(|(_, judgement)| matches!(judgement, Judgement::Fails(_)));
        fails.map(|(requirement, _)| requirement).collect::<Vec<_>>()
    };
    let detail = |problem_type: &str, status: u16, number: u64| {
        detail_in(&context, problem_type, status, number)
    };
    let none = Vec::<&str>::new();
    assert_eq!(detail("of_our_own", 404, 1), none);
    assert_eq!(detail("of_our_own", 404, 2), none);
    assert_eq!(detail("of_another", 404, 3), none, "nothing is there, of whatever kind");
    assert_eq!(detail("of_another", 403, 4), ["errors.detail-of-this-error"]);
    let of_field = |status: u16, number: u64| {
        let found = detail_in(&fields, &format!("of_a_field_{status}"), status, number);
        found.contains(&"errors.detail-of-this-error")
    };
    assert!(!of_field(400, 1) && !of_field(422, 2), "a field may be refused with either");
    assert!(of_field(404, 3));
}

#[test]
fn a_refused_token_has_a_type_of_a_token() {
    let mut body = with("status", json!(401));
    body["type"] = json!("unauthorized");
    let refused = Seen::new(Operation::GetLegalRequest, "/v1/requests/x", 401, &body);
    let refused = refused.header("www-authenticate", "Bearer");
    check(&refused, &["errors.type-of-401"]);
}
