//! Implicit checks of creation times: the time of the creation, later for later objects, and always the same.

use moot_fixtures::contract::Operation;
use moot_harness::exchange::Exchange;
use moot_harness::verdict::check::Judgement;
use moot_harness::verdict::check::implicit::{self, ImplicitContext};
use serde_json::json;

use crate::check_support::{Seen, check};

/// The number of failures for an upload with this id, at this `Date`, that was created `at`.
fn failures(context: &ImplicitContext, id: &str, date: &'static str, at: &str) -> usize {
    messages(context, id, date, at).len()
}

/// The messages of these failures. The request was sent at the time of its `Date`.
fn messages(context: &ImplicitContext, id: &str, date: &'static str, at: &str) -> Vec<String> {
    let sent_at = jiff::fmt::rfc2822::parse(date).expect("it is a date").timestamp().as_second();
    messages_of(context, id, (date, sent_at), at)
}

fn messages_of(
    context: &ImplicitContext,
    id: &str,
    (date, sent_at): (&'static str, i64),
    at: &str,
) -> Vec<String> {
    let data = json!({ "id": id, "name": "a.pdf", "created_at": at });
    let body = json!({ "success": true, "message": "stored", "data": data });
    let path = "/v1/repository_documents";
    let seen = Seen::new(Operation::CreateRepositoryDocument, path, 201, &body);
    let exchange = Exchange { sent_at_seconds: sent_at, ..seen.header("date", date).exchange() };
    let found = implicit::judge(&exchange, context).into_iter();
    let message = |judgement| match judgement {
        Judgement::Fails(mismatch) => Some(mismatch.message),
        Judgement::Holds | Judgement::NotApplicable { .. } => None,
    };
    found.filter_map(|(_, judgement)| message(judgement)).collect()
}

#[test]
fn a_creation_time_is_the_time_of_the_creation() {
    let body = |at: i64| {
        json!({
            "access_token": format!("t{at}"), "token_type": "Bearer", "expires_in": 7200,
            "scope": "read", "created_at": at,
        })
    };
    let issued = |at: i64| {
        let seen = Seen::new(Operation::CreateAccessToken, "/oauth/token", 200, &body(at));
        seen.header("cache-control", "no-store")
    };
    // The `Date` of the response is 1,772,721,000 s.
    check(&issued(1_772_721_000 + 300), &[]);
    check(&issued(1_772_721_000 - 900), &["timestamps.made-now"]);
    check(&issued(1_772_721_000_000), &["timestamps.made-now"]);
    let ours = issued(1_772_721_000).header("date", "");
    check(&ours, &["http.date", "~timestamps.made-now"]);
}

/// `Date` may come from a proxy, whose clock an operator does not move.
#[test]
fn a_creation_may_be_ahead_by_the_time_that_an_operator_moved_the_clock() {
    let context = ImplicitContext::new("/api", false);
    let fails = |id, at| failures(&context, id, "Thu, 05 Mar 2026 14:30:00 GMT", at);
    assert_eq!(fails("a", "2026-03-05T16:30:00Z"), 1);
    for _ in 0..2 {
        context.note_clock_moved("a step".to_owned(), 7_200);
    }
    assert_eq!(fails("b", "2026-03-05T16:30:00Z"), 0);
    assert_eq!(fails("c", "2026-03-05T16:35:01Z"), 1, "each cause counts once");
    assert_eq!(fails("d", "2026-03-05T14:24:59Z"), 1);
    context.note_clock_moved("a long step".to_owned(), i64::MAX);
    assert_eq!(fails("e", "2036-03-05T14:30:00Z"), 0);
}

#[test]
fn a_clock_that_an_earlier_run_may_have_moved_is_named() {
    let message = |is_movable, at| {
        let context = ImplicitContext::new("/api", is_movable);
        messages(&context, "a", "Thu, 05 Mar 2026 14:30:00 GMT", at).concat()
    };
    let (ahead, behind) = ("2026-03-05T16:30:00Z", "2026-03-05T12:30:00Z");
    assert_ne!(message(true, ahead), message(false, ahead));
    assert_eq!(message(true, behind), message(false, behind));
}

#[test]
fn later_creations_have_later_times() {
    let context = ImplicitContext::new("/api", false);
    let fails = |id, date, at| failures(&context, id, date, at);
    assert_eq!(fails("a", "Thu, 05 Mar 2026 14:30:05 GMT", "2026-03-05T14:30:05Z"), 0);
    assert_eq!(fails("b", "Thu, 05 Mar 2026 14:30:07 GMT", "2026-03-05T14:30:05Z"), 0);
    assert_eq!(fails("c", "Thu, 05 Mar 2026 14:30:08 GMT", "2026-03-05T14:30:05Z"), 1);
    assert_eq!(fails("d", "Thu, 05 Mar 2026 14:31:01 GMT", "2026-03-05T14:31Z"), 0);
    assert_eq!(fails("e", "Thu, 05 Mar 2026 14:31:59 GMT", "2026-03-05T14:31Z"), 0);
}

/// A busy server may send the `Date` of some seconds ago.
#[test]
fn a_date_that_lags_behind_is_no_later_creation() {
    let fails = |later: &'static str, sent_at| {
        let context = ImplicitContext::new("/api", false);
        let created = "2026-03-05T14:30:05Z";
        let first = ("Thu, 05 Mar 2026 14:30:02 GMT", 1_772_721_005);
        assert_eq!(messages_of(&context, "a", first, created).len(), 0);
        messages_of(&context, "b", (later, sent_at), created).len()
    };
    assert_eq!(fails("Thu, 05 Mar 2026 14:30:05 GMT", 1_772_721_005), 0);
    assert_eq!(fails("Thu, 05 Mar 2026 14:30:05 GMT", 1_772_721_007), 0);
    assert_eq!(fails("Thu, 05 Mar 2026 14:30:05 GMT", 1_772_721_008), 1);
    assert_eq!(fails("Thu, 05 Mar 2026 14:35:05 GMT", 1_772_721_005), 1, "its clock was moved");
}

/// Without `Date`, the clock of this machine tells how far apart two creations are.
#[test]
fn later_creations_have_later_times_without_a_date_too() {
    let fails = |is_movable, sent_at| {
        let context = ImplicitContext::new("/api", is_movable);
        let created = "2026-03-05T14:30:05Z";
        assert_eq!(undated(&context, "a", 1_772_721_005, created), [""; 0]);
        undated(&context, "b", sent_at, created)
    };
    assert_eq!(fails(false, 1_772_721_007), [""; 0]);
    assert_eq!(fails(false, 1_772_721_008), ["timestamps.tell-times-apart"]);
    assert_eq!(fails(true, 1_772_721_008), [""; 0], "an operator may have stopped its clock");
}

/// The requirements that an upload without `Date` fails.
fn undated(context: &ImplicitContext, id: &str, sent_at: i64, at: &str) -> Vec<&'static str> {
    let data = json!({ "id": id, "name": "a.pdf", "created_at": at });
    let body = json!({ "success": true, "message": "stored", "data": data });
    let path = "/v1/repository_documents";
    let seen = Seen::new(Operation::CreateRepositoryDocument, path, 201, &body).header("date", "");
    let exchange = Exchange { sent_at_seconds: sent_at, ..seen.exchange() };
    let found = implicit::judge(&exchange, context).into_iter();
    let failed = found.filter(|(requirement, judgement)| {
        matches!(judgement, Judgement::Fails(_)) && *requirement != "http.date"
    });
    failed.map(|(requirement, _)| requirement).collect()
}
