//! The token endpoint, and the lifetime of a token (§4.1, §5).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use moot_fixtures::contract::ScopeBeyond;
use moot_mock::call::{Body, BodyFault};
use moot_mock::control::ControlAction;

use crate::support::{
    Bench, Sent, TestResponse, bench, bench_answering, bench_with, get, post, secret,
};

fn issue(client_id: &str, secret: &str, scope: Option<&str>) -> Sent {
    let mut fields = vec![
        ("grant_type", "client_credentials"),
        ("client_id", client_id),
        ("client_secret", secret),
    ];
    fields.extend(scope.map(|scope| ("scope", scope)));
    post("/oauth/token").form(&fields)
}

#[track_caller]
fn check(bench: &Bench, sent: &Sent, expected: (u16, &str)) -> TestResponse {
    let response = bench.send(sent);
    let (status, error) = response.outcome();
    assert_eq!((status, error.as_str()), expected, "{sent:?}");
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("pragma"), "no-cache");
    response
}

#[test]
fn scopes_are_granted_by_the_table_of_4_1() {
    let bench = bench();
    for (client_id, asked, granted) in [
        ("demo-main", Some("read"), Ok("read")),
        ("demo-main", Some("write"), Ok("write")),
        ("demo-main", Some("read write"), Ok("read write")),
        ("demo-main", Some("write read"), Ok("read write")),
        ("demo-main", Some("read read"), Ok("read")),
        ("demo-main", None, Err("invalid_scope")),
        ("demo-main", Some(""), Err("invalid_scope")),
        ("demo-main", Some(" "), Err("invalid_scope")),
        ("demo-main", Some("admin"), Err("invalid_scope")),
        ("demo-main", Some("read admin"), Err("invalid_scope")),
        ("demo-main", Some("READ"), Err("invalid_scope")),
        ("demo-reader", None, Ok("read")),
        ("demo-reader", Some("read"), Ok("read")),
        ("demo-reader", Some("write"), Err("invalid_scope")),
        ("demo-reader", Some("read write"), Err("invalid_scope")),
        ("demo-writer", None, Ok("read")),
        ("demo-writer", Some("write"), Ok("write")),
        ("demo-writer", Some("read"), Err("invalid_scope")),
    ] {
        let sent = issue(client_id, &secret(client_id), asked);
        match granted {
            Ok(scope) => {
                let response = check(&bench, &sent, (200, ""));
                assert_eq!(response.text("/scope"), scope, "{client_id} {asked:?}");
                assert_eq!(response.text("/token_type"), "Bearer");
                assert_eq!(response.value("/expires_in"), 7200);
                assert_eq!(response.value("/created_at"), 1_772_721_000);
            }
            Err(error) => {
                check(&bench, &sent, (400, error));
            }
        }
    }
}

#[test]
fn a_scope_beyond_is_dropped_where_the_answers_say_so() {
    let bench = bench_answering(|answers| answers.scope_beyond_application = ScopeBeyond::Dropped);
    let ask = |scope| issue("demo-reader", &secret("demo-reader"), Some(scope));
    assert_eq!(check(&bench, &ask("read write"), (200, "")).text("/scope"), "read");
    assert_eq!(check(&bench, &ask("read admin"), (200, "")).text("/scope"), "read");
    check(&bench, &ask("write"), (400, "invalid_scope"));
}

#[test]
fn wrong_credentials_are_an_invalid_client_and_nothing_says_which_part_is_wrong() {
    let bench = bench();
    let right = secret("demo-main");
    let mut bodies = Vec::new();
    for (client_id, secret) in [
        ("nobody", right.as_str()),
        ("demo-main", &right[..right.len() - 1]),
        ("demo-main", &right.to_lowercase()),
        ("demo-main", secret("demo-reader").as_str()),
        ("DEMO-MAIN", right.as_str()),
    ] {
        let sent = issue(client_id, secret, Some("read"));
        let response = check(&bench, &sent, (401, "invalid_client"));
        assert_eq!(response.header("www-authenticate"), r#"Basic realm="legal requests""#);
        bodies.push(response.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
    for missing in ["client_id", "client_secret"] {
        let mut fields = vec![("grant_type", "client_credentials"), ("scope", "read")];
        fields.extend([("client_id", "demo-main"), ("client_secret", right.as_str())]);
        fields.retain(|(name, _)| *name != missing);
        check(&bench, &post("/oauth/token").form(&fields), (401, "invalid_client"));
    }
}

#[test]
fn malformed_token_calls_are_invalid_requests() {
    let bench = bench();
    let right = secret("demo-main");
    let sound = issue("demo-main", &right, Some("read"));
    let credentials = [("client_id", "demo-main"), ("client_secret", right.as_str())];
    let with = |more: &[(&str, &str)]| {
        let fields: Vec<_> = credentials.iter().chain(more).copied().collect();
        post("/oauth/token").form(&fields)
    };
    check(&bench, &with(&[]), (400, "invalid_request"));
    check(&bench, &with(&[("grant_type", "password")]), (400, "unsupported_grant_type"));
    check(&bench, &with(&[("grant_type", "")]), (400, "invalid_request"));
    let twice = [("grant_type", "client_credentials"), ("client_id", "demo-main")];
    check(&bench, &with(&twice), (400, "invalid_request"));
    check(&bench, &Sent { headers: Default::default(), ..sound.clone() }, (400, "invalid_request"));
    check(&bench, &post("/oauth/token").json(&serde_json::json!({})), (400, "invalid_request"));
    let broken = |fault| Sent { body: Body::Broken(fault), ..sound.clone() };
    check(&bench, &broken(BodyFault::TooLarge), (400, "invalid_request"));
    check(&bench, &broken(BodyFault::Truncated), (400, "invalid_request"));
    check(&bench, &sound, (200, ""));
}

#[test]
fn basic_authentication_is_an_answer() {
    let right = secret("demo-main");
    let grant = [("grant_type", "client_credentials"), ("scope", "read")];
    let header = |text: &str| format!("Basic {}", STANDARD.encode(text));
    let sent = |value: &str| post("/oauth/token").form(&grant).header("authorization", value);
    let with_basic = bench();
    let without = bench_answering(|answers| answers.token_client_authentication.basic = false);
    for (value, expected) in [
        (header(&format!("demo-main:{right}")), (200, "")),
        (header(&format!("demo%2Dmain:{right}")), (200, "")),
        (header("demo-main:wrong"), (401, "invalid_client")),
        (header("demo-main"), (401, "invalid_client")),
        ("Basic ?".to_owned(), (401, "invalid_client")),
        ("Bearer x".to_owned(), (401, "invalid_client")),
    ] {
        check(&with_basic, &sent(&value), expected);
        check(&without, &sent(&value), (401, "invalid_client"));
    }
    let both = issue("demo-main", &right, Some("read"))
        .header("authorization", &header(&format!("demo-main:{right}")));
    check(&with_basic, &both, (400, "invalid_request"));
    check(&without, &both, (200, ""));
    let basic = header(&format!("demo-main:{right}"));
    let two_headers = sent(&basic).header("authorization", &basic);
    check(&with_basic, &two_headers, (400, "invalid_request"));
}

#[test]
fn token_is_valid_at_7199_and_expired_at_7200_seconds() {
    let bench = bench();
    let token = bench.token();
    let call = get("/v1/requests").token(&token);
    bench.advance(7199);
    assert_eq!(bench.send(&call).status, 200);
    bench.advance(1);
    assert_eq!(bench.send(&call).outcome(), (401, "token_expired".to_owned()));
}

#[test]
fn minted_tokens_are_as_old_as_asked() {
    let bench = bench();
    for (age_seconds, status) in [(0, 200), (7199, 200), (7200, 401), (-60, 200), (100_000, 401)] {
        let token = bench.minted("demo-main", age_seconds);
        assert_eq!(bench.send(&get("/v1/requests").token(&token)).status, status, "{age_seconds}");
    }
    let far = ControlAction::MintToken {
        client_id: "demo-main".into(),
        scopes: None,
        age_seconds: i64::MIN,
    };
    assert_eq!(bench.ask(far).expect_err("beyond the end of time").status, 422);
    let nobody =
        ControlAction::MintToken { client_id: "nobody".into(), scopes: None, age_seconds: 0 };
    assert_eq!(bench.ask(nobody).expect_err("no such application").status, 404);
}

#[test]
fn expired_and_revoked_tokens_have_different_problems() {
    let bench = bench();
    let (expired, revoked, kept) = (bench.token(), bench.token(), bench.token());
    bench.ask(ControlAction::ExpireToken { token: expired.clone() }).expect("it is a token");
    bench.ask(ControlAction::RevokeToken { token: revoked.clone() }).expect("it is a token");
    let outcome = |token: &str| bench.send(&get("/v1/requests").token(token)).outcome();
    assert_eq!(outcome(&expired), (401, "token_expired".to_owned()));
    assert_eq!(outcome(&revoked), (401, "token_revoked".to_owned()));
    assert_eq!(outcome(&kept).0, 200);
    let forged = bench.ask(ControlAction::RevokeToken { token: "x".to_owned() });
    assert_eq!(forged.expect_err("no token").status, 404);
}

#[test]
fn the_revocation_endpoint_follows_rfc_7009() {
    let bench = bench();
    let right = secret("demo-main");
    let own = [("client_id", "demo-main"), ("client_secret", right.as_str())];
    let revoke = |token: &str| {
        let fields: Vec<_> = own.into_iter().chain([("token", token)]).collect();
        bench.send(&post("/oauth/revoke").form(&fields))
    };
    let (token, foreign) = (bench.token(), bench.token_of("demo-reader", "read"));
    assert_eq!(revoke("no token at all").status, 200);
    let response = revoke(&token);
    assert_eq!((response.status.as_u16(), response.body.len()), (200, 0));
    assert_eq!(revoke(&foreign).outcome(), (400, "unauthorized_client".to_owned()));
    assert_eq!(bench.send(&post("/oauth/revoke").form(&own)).outcome().1, "invalid_request");
    let nobody = [("client_id", "demo-main"), ("client_secret", "x"), ("token", &token)];
    assert_eq!(bench.send(&post("/oauth/revoke").form(&nobody)).outcome().1, "invalid_client");
    assert_eq!(bench.send(&get("/v1/requests").token(&token)).outcome().1, "token_revoked");
    assert_eq!(bench.send(&get("/v1/requests").token(&foreign)).status, 200);
}

#[test]
fn a_newer_token_revokes_the_earlier_one_where_the_answers_say_so() {
    let bench = bench_answering(|answers| answers.token_revocation.newer_token = true);
    let first = bench.token();
    let other = bench.token_of("demo-reader", "read");
    let second = bench.token();
    let outcome = |token: &str| bench.send(&get("/v1/requests").token(token)).outcome();
    assert_eq!(outcome(&first), (401, "token_revoked".to_owned()));
    assert_eq!(outcome(&second).0, 200);
    assert_eq!(outcome(&other).0, 200, "another application's tokens stay");
}

#[test]
fn a_token_means_nothing_under_another_seed() {
    let token = bench().token();
    let other = bench_with(|settings| settings.seed = 8);
    let response = other.send(&get("/v1/requests").token(&token));
    assert_eq!(response.outcome(), (401, "invalid_token".to_owned()));
}

/// A stored world may come back on another port.
#[test]
fn a_token_is_bound_to_its_world_and_not_to_its_address() {
    let token = bench().token();
    let moved = bench_with(|settings| settings.base_url.push('2'));
    assert_eq!(moved.send(&get("/v1/requests").token(&token)).outcome().0, 200);
}
