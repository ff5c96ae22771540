//! Laws that hold for every world and every call.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use http::{HeaderMap, Method};
use jiff::SignedDuration;
use moot_fixtures::answers;
use moot_mock::World;
use moot_mock::call::{Admission, Call, Head};
use moot_mock::response::{Response, ResponseBody};
use moot_mock::settings::{Progression, RateLimitMode};
use proptest::prelude::*;
use serde_json::Value;

use crate::arbitrary;
use crate::support::{
    Bench, Sent, bench, bench_with, delete, get, post, sound, start, texts, world_with,
};

/// Status, headers and body.
type Wire = (u16, Vec<(String, Vec<u8>)>, Vec<u8>);

/// Calls a world without a service, and returns the bytes of the response.
fn call(world: &mut World, sent: &Sent) -> Wire {
    let now = world.now(start());
    let head = Head {
        method: &sent.method,
        path: &sent.path,
        query: sent.query.as_deref(),
        headers: &sent.headers,
        client: IpAddr::V4(Ipv4Addr::LOCALHOST),
        wire: None,
    };
    let response = match world.admit(now, &head) {
        Admission::Refused(response, _) => response,
        Admission::Admitted(admitted) => {
            let call = Call { head, admitted: &admitted, body: sent.body.clone(), fetched: None };
            let outcome = world.answer(now, &call);
            let again = world.answer(now, &call);
            assert_eq!(wire(&outcome.response), wire(&again.response), "asked twice");
            if outcome.response.status.as_u16() >= 400 {
                assert!(outcome.changes.is_empty(), "an error changes nothing");
            }
            world.apply(outcome.changes);
            world.perform_due(now);
            outcome.response
        }
    };
    wire(&response)
}

fn wire(response: &Response) -> Wire {
    let headers = response.headers.iter();
    let body = match &response.body {
        ResponseBody::Bytes(bytes) => bytes.to_vec(),
        ResponseBody::Content(content) => content.digest.to_vec(),
    };
    let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    (response.status.as_u16(), headers.collect(), body)
}

fn minted(bench: &Bench) -> String {
    bench.minted("demo-main", 0)
}

/// All data of a world that the API shows, read page by page.
fn shown(bench: &Bench) -> Vec<Bytes> {
    let token = minted(bench);
    let paths = ["/v1/requests", "/v1/repository_documents", "/v1/webhooks", "/v1/workflows"];
    let pages =
        paths.iter().flat_map(|path| (1..=4).map(move |page| format!("{path}?page={page}")));
    pages.map(|target| bench.send(&get(&target).token(&token)).body).collect()
}

/// Calls that create, read, change and delete, in any order.
fn sequence() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0..8_u8, 1..25)
}

fn sound_call(number: u8, token: &str) -> Sent {
    let hook = serde_json::json!({ "name": "hook", "url": "https://hooks.example/" });
    let sent = match number {
        0 => post("/v1/requests").multipart(texts(&sound())),
        1 => post("/v1/requests").multipart(texts(&sound()[1..])),
        2 => get("/v1/requests?status=draft"),
        3 => get("/v1/repository_documents?page=2"),
        4 => post("/v1/webhooks").json(&hook),
        5 => delete("/v1/webhooks/unknown1"),
        6 => get("/v1/requests/unknown1/activity"),
        _ => {
            post("/v1/repository_documents").multipart(texts(&[("url", "https://f.example/a.pdf")]))
        }
    };
    sent.token(token)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_call_is_answered_below_500_and_an_error_changes_no_resource(
        (sent, with_token) in arbitrary::call()
    ) {
        thread_local! {
            // One world serves many cases, so that earlier calls are part of the test.
            static BENCH: (Bench, String) = {
                let bench = bench();
                let token = bench.token();
                (bench, token)
            };
        }
        BENCH.with(|(bench, token)| {
            let mut sent = sent.clone();
            if with_token {
                sent.headers.remove("authorization");
                sent = sent.token(token);
            }
            let before = shown(bench);
            let response = bench.send(&sent);
            prop_assert!(response.status.as_u16() < 500);
            prop_assert!(response.headers.contains_key("date"));
            if response.status.as_u16() >= 400 {
                prop_assert_eq!(shown(bench), before);
                prop_assert!(response.json().is_object());
            }
            Ok(())
        })?;
    }

    #[test]
    fn any_base_path_and_answers_keep_calls_below_500(
        (sent, _) in arbitrary::call(), seed in 0..1000_u64
    ) {
        let mut world = world_with(|settings| settings.answers = answers::draw(seed));
        let (status, _, _) = call(&mut world, &sent);
        prop_assert!(status < 500);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn equal_worlds_give_equal_bytes(numbers in sequence(), seed in any::<u64>()) {
        let run = || {
            let mut world = world_with(|settings| {
                settings.seed = seed;
                settings.progression = Progression::Immediate;
            });
            let token = minted(&Bench {
                service: moot_mock::Service::new(world_with(|settings| settings.seed = seed)),
                client: IpAddr::V4(Ipv4Addr::LOCALHOST),
            });
            let calls = numbers.iter().map(|number| call(&mut world, &sound_call(*number, &token)));
            calls.collect::<Vec<_>>()
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn pages_partition_the_created_requests(count in 0..60_usize, per_page in 1..30_u32) {
        let bench = bench_with(|settings| settings.answers.per_page = per_page);
        let created: Vec<String> = (0..count).map(|_| bench.create(&sound())).collect();
        let token = minted(&bench);
        let mut walked: Vec<String> = Vec::new();
        for page in 1.. {
            let target = format!("/v1/requests?status=draft&page={page}");
            let response = bench.send(&get(&target).token(&token));
            walked.extend(response.ids());
            if response.ids().is_empty() {
                prop_assert_eq!(response.value("/pagination/total_count"), walked.len());
                break;
            }
        }
        let newest: Vec<String> = created.iter().rev().cloned().collect();
        prop_assert_eq!(&walked[..count], &newest[..]);
        let total = walked.len();
        walked.sort();
        walked.dedup();
        prop_assert_eq!(walked.len(), total, "a request is on one page");
    }

    #[test]
    fn a_token_works_for_7200_seconds_from_any_moment(offset in 0..2_000_000_i64, age in 0..20_000_i64) {
        let bench = bench();
        bench.advance(offset.unsigned_abs());
        let token = minted(&bench);
        bench.advance(age.unsigned_abs());
        let expected = if age < 7200 { 200 } else { 401 };
        prop_assert_eq!(bench.send(&get("/v1/workflows").token(&token)).status, expected);
    }

    #[test]
    fn of_any_60_seconds_no_more_than_600_calls_are_served(
        gaps in proptest::collection::vec(0..2_000_i64, 1..1500)
    ) {
        let world = world_with(|settings| settings.rate_limit = RateLimitMode::Enforce);
        let (method, headers) = (Method::GET, HeaderMap::new());
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let head = Head { method: &method, path: "/", query: None, headers: &headers, client, wire: None };
        let mut elapsed = 0;
        let mut served: Vec<i64> = Vec::new();
        for gap in gaps {
            elapsed += gap / 20;
            let now = start() + SignedDuration::from_millis(elapsed);
            let within = served.iter().rev().take_while(|at| elapsed - **at < 60_000).count();
            let is_served = match world.admit(now, &head) {
                Admission::Refused(response, _) => response.status != 429,
                Admission::Admitted(_) => true,
            };
            prop_assert_eq!(is_served, within < 600, "{} calls in the window", within);
            if is_served {
                served.push(elapsed);
            }
        }
    }
}

#[test]
fn readers_and_writers_at_once_lose_nothing() {
    let bench = bench();
    let token = minted(&bench);
    let before = bench.send(&get("/v1/requests").token(&token)).value("/pagination/total_count");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let created = bench.send(&sound_call(0, &token));
                    let id = created.text("/data/id");
                    let read = bench.send(&get(&format!("/v1/requests/{id}")).token(&token));
                    assert_eq!(read.text("/data/id"), id, "read your own write");
                }
            });
        }
    });
    let after = bench.send(&get("/v1/requests").token(&token)).value("/pagination/total_count");
    assert_eq!(after.as_u64(), before.as_u64().map(|count| count + 400));
    assert_ne!(after, Value::Null);
}
