//! A property of the waiting rules: a longer wait before a call never adds a finding.

use std::collections::BTreeSet;

use moot_harness::grading::conduct::findings;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::conduct_support::{call, journal};

/// The rules about waiting.
const WAITING: [&str; 5] =
    ["impatient-retry", "no-back-off", "retry-storm", "polls-fast", "over-the-limit"];

/// A call on another connection within this time may have been sent before the response.
const IN_FLIGHT_MS: u64 = 250;

/// Calls of a client. Each has a kind, and a pause before it in milliseconds.
fn calls() -> impl Strategy<Value = Vec<Value>> {
    let one = (0..4_usize, 0..4_usize, 0..2_u32).prop_map(|(kind, pause, seconds)| {
        let after_ms = [0, 60, 900, 4_000][pause];
        let body = json!({ "data": [] });
        match kind {
            0 => call("list_legal_requests", 200, &json!({ "after_ms": after_ms, "answer": body })),
            1 => call("list_legal_requests", 503, &json!({ "after_ms": after_ms })),
            2 => call("list_legal_requests", 429, &json!({ "after_ms": after_ms })),
            _ => {
                let wait = json!({ "retry_after_seconds": seconds });
                call("list_legal_requests", 429, &json!({ "after_ms": after_ms, "response": wait }))
            }
        }
    });
    prop::collection::vec(one, 1..30)
}

/// As [`calls`], on two connections. The pauses are so long that each call was sent after the response before it.
fn calls_of_two() -> impl Strategy<Value = Vec<Value>> {
    let apart = |(mut call, connection): (Value, u64)| {
        let pause = call["after_ms"].as_u64().unwrap_or_default();
        call["after_ms"] = pause.max(IN_FLIGHT_MS).into();
        call["connection"] = connection.into();
        call
    };
    let with_connections = |calls: Vec<Value>| {
        let connections = prop::collection::vec(1..=2_u64, calls.len());
        (Just(calls), connections)
    };
    calls().prop_flat_map(with_connections).prop_map(move |(calls, connections)| {
        calls.into_iter().zip(connections).map(apart).collect()
    })
}

/// The broken waiting rules, each with its evidence.
fn broken(calls: &[Value]) -> BTreeSet<String> {
    let found = findings(&[journal(calls)]);
    let waiting = found.into_iter().filter(|it| WAITING.contains(&it.rule.as_str()));
    waiting.map(|it| it.rule).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// On one connection, each call is sent after the response before it.
    #[test]
    fn waiting_longer_before_a_call_adds_no_finding(
        calls in calls(), at in any::<prop::sample::Index>(), longer_ms in 1..20_000_u64,
    ) {
        check_later(&calls, at.index(calls.len()), longer_ms)?;
    }

    /// On two connections, each call is sent after the responses before it were read.
    #[test]
    fn waiting_longer_on_two_connections_adds_no_finding(
        calls in calls_of_two(), at in any::<prop::sample::Index>(), longer_ms in 1..20_000_u64,
    ) {
        check_later(&calls, at.index(calls.len()), longer_ms)?;
    }
}

/// Asserts that a longer pause before one call breaks no further waiting rule.
fn check_later(calls: &[Value], call: usize, longer_ms: u64) -> Result<(), TestCaseError> {
    let before = broken(calls);
    let mut later = calls.to_vec();
    let pause = later[call]["after_ms"].as_u64().unwrap_or_default();
    later[call]["after_ms"] = (pause + longer_ms).into();
    let after = broken(&later);
    prop_assert!(after.is_subset(&before), "{after:?} is more than {before:?}");
    Ok(())
}
