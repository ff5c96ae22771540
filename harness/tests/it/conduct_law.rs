//! A law of the waiting rules: waiting longer before a call never adds a finding.

use std::collections::BTreeSet;

use moot_harness::conduct::findings;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::conduct_support::{call, journal};

/// The rules that are about waiting.
const WAITING: [&str; 5] =
    ["impatient-retry", "no-back-off", "retry-storm", "polls-fast", "over-the-limit"];

/// A client's calls: each a kind with a pause before it, in milliseconds.
fn calls() -> impl Strategy<Value = Vec<Value>> {
    let one = (0..4_usize, 0..4_usize, 0..2_u32).prop_map(|(kind, pause, seconds)| {
        let after_ms = [0, 60, 900, 4_000][pause];
        let answer = json!({ "data": [] });
        match kind {
            0 => {
                call("list_legal_requests", 200, &json!({ "after_ms": after_ms, "answer": answer }))
            }
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

/// The waiting rules that are broken, each with the calls that show it.
fn broken(calls: &[Value]) -> BTreeSet<String> {
    let found = findings(&[journal(calls)]);
    let waiting = found.into_iter().filter(|it| WAITING.contains(&it.rule.as_str()));
    waiting.map(|it| it.rule).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// On one connection, where nothing is on its way when an answer is written.
    #[test]
    fn waiting_longer_before_a_call_adds_no_finding(
        calls in calls(), at in any::<prop::sample::Index>(), longer_ms in 1..20_000_u64,
    ) {
        let before = broken(&calls);
        let mut later = calls.clone();
        let call = at.index(calls.len());
        let pause = later[call]["after_ms"].as_u64().unwrap_or_default();
        later[call]["after_ms"] = (pause + longer_ms).into();
        let after = broken(&later);
        prop_assert!(after.is_subset(&before), "{after:?} is more than {before:?}");
    }
}
