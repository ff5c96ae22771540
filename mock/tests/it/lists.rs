//! Lists: pages, filters, order, and the visibility of data between companies (§4, §5.6).

use std::collections::BTreeSet;

use moot_fixtures::contract::{
    InvalidPage, LegalRequestStatus, ListOrder, PagePastEnd, UnknownFilter,
};
use serde_json::Value;

use crate::support::{Bench, bench, bench_answering, bench_with, get, sound};

const LISTS: [&str; 4] =
    ["/v1/workflows", "/v1/requests", "/v1/repository_documents", "/v1/webhooks"];

#[track_caller]
fn check(bench: &Bench, target: &str, expected: (u16, &str)) {
    let (status, problem) = bench.get(target).outcome();
    assert_eq!((status, problem.as_str()), expected, "{target}");
}

/// The ids of every page of a list.
fn walk(bench: &Bench, path: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for page in 1.. {
        let response = bench.get(&format!("{path}?page={page}")).ok();
        let pagination = response.value("/pagination");
        assert_eq!(pagination["current_page"], page);
        ids.extend(response.ids());
        if pagination["total_pages"].as_u64() <= Some(page) {
            assert_eq!(pagination["total_count"], ids.len());
            return ids;
        }
        assert_eq!(response.ids().len() as u64, pagination["per_page"].as_u64().unwrap_or(0));
    }
    ids
}

#[test]
fn pages_partition_each_list_for_any_page_size() {
    for (per_page, order) in
        [(25, ListOrder::NewestFirst), (1, ListOrder::OldestFirst), (7, ListOrder::NewestFirst)]
    {
        let bench = bench_answering(|answers| {
            answers.per_page = per_page;
            answers.list_order = order;
        });
        for path in LISTS {
            let ids = walk(&bench, path);
            let unique: BTreeSet<&String> = ids.iter().collect();
            assert_eq!(unique.len(), ids.len(), "{path}");
        }
    }
}

#[test]
fn a_list_of_25_has_one_page_and_one_of_26_has_two() {
    let bench = bench_with(|settings| {
        let mut world = (*settings.seed_world).clone();
        world.companies[0].legal_requests.clear();
        world.companies[0].generated_legal_requests = 25;
        settings.seed_world = world.into();
    });
    let pagination = |bench: &Bench| bench.get("/v1/requests").value("/pagination");
    assert_eq!(
        pagination(&bench).to_string(),
        r#"{"current_page":1,"per_page":25,"total_pages":1,"total_count":25}"#
    );
    let id = bench.create(&sound());
    let after = pagination(&bench);
    assert_eq!((&after["total_pages"], &after["total_count"]), (&2.into(), &26.into()));
    assert_eq!(bench.get("/v1/requests").ids()[0], id, "the newest is first");
    assert_eq!(bench.get("/v1/requests?page=2").ids().len(), 1);
}

#[test]
fn page_must_be_a_whole_number_of_at_least_1() {
    let bench = bench();
    let refused = (400, "parameter_missing");
    for page in ["0", "-1", "1.0", "abc", "", "%20", "1e3", "+1", "0x1", "1&page=2"] {
        check(&bench, &format!("/v1/requests?page={page}"), refused);
    }
    for page in ["1", "01", "2", "999", "18446744073709551615", "99999999999999999999999"] {
        check(&bench, &format!("/v1/requests?page={page}"), (200, ""));
    }
    let lenient = bench_answering(|answers| answers.page_invalid = InvalidPage::FirstPage);
    let first = lenient.get("/v1/requests").body;
    assert_eq!(lenient.get("/v1/requests?page=0").body, first);
    assert_eq!(lenient.get("/v1/requests?page=abc").body, first);
}

#[test]
fn the_page_after_the_last_is_an_answer() {
    let last = bench().get("/v1/requests").value("/pagination/total_pages").as_u64();
    let last = last.expect("a number");
    let past = format!("/v1/requests?page={}", last + 1);
    let response = bench().get(&past).ok();
    assert_eq!(response.value("/data"), Value::Array(Vec::new()));
    assert_eq!(response.value("/pagination/current_page"), last + 1);
    for (choice, expected) in [
        (PagePastEnd::NotFound, (404, "request_not_found")),
        (PagePastEnd::BadRequest, (400, "parameter_missing")),
    ] {
        let bench = bench_answering(|answers| answers.page_past_end = choice);
        check(&bench, &past, expected);
        check(&bench, &format!("/v1/requests?page={last}"), (200, ""));
    }
}

#[test]
fn an_empty_list_has_its_first_page_with_any_answers() {
    for total_pages in [0, 1] {
        let bench = bench_with(|settings| {
            settings.seed_world =
                moot_fixtures::world::named("empty").expect("it is embedded").clone().into();
            settings.answers.empty_total_pages = total_pages;
            settings.answers.page_past_end = PagePastEnd::NotFound;
        });
        let client = bench.service.describe();
        let client_id = client["applications"][0]["client_id"].as_str().expect("an id");
        let token = bench.minted(client_id, 0);
        let response = bench.send(&get("/v1/requests").token(&token)).ok();
        assert_eq!(response.value("/pagination/total_pages"), total_pages);
        assert_eq!(response.value("/data"), Value::Array(Vec::new()));
    }
}

#[test]
fn the_status_filter_neither_leaks_nor_misses() {
    let bench = bench();
    let mut filtered = Vec::new();
    for status in LegalRequestStatus::ALL {
        let response = bench.get(&format!("/v1/requests?status={}", status.as_str())).ok();
        let members = response.value("/data");
        let members = members.as_array().expect("a list");
        assert!(!members.is_empty(), "the demo world shows every status");
        assert!(members.iter().all(|member| member["attributes"]["status"] == status.as_str()));
        filtered.extend(response.ids());
    }
    filtered.sort();
    let mut all = walk(&bench, "/v1/requests");
    all.sort();
    assert_eq!(filtered, all);
}

#[test]
fn an_unknown_status_is_an_answer() {
    for (choice, expected) in [
        (UnknownFilter::Refused, None),
        (UnknownFilter::Empty, Some(0)),
        (UnknownFilter::Ignored, Some(25)),
    ] {
        let bench = bench_answering(|answers| answers.status_filter_unknown = choice);
        for query in ["status=nope", "status=", "status=Draft", "status=draft&status=draft"] {
            let response = bench.get(&format!("/v1/requests?{query}"));
            match expected {
                None => {
                    assert_eq!(response.outcome(), (400, "parameter_missing".to_owned()));
                    let detail = response.text("/detail");
                    assert!(detail.starts_with("`status` must be given once, as one of draft, "));
                }
                Some(members) => assert_eq!(response.ids().len(), members, "{query}"),
            }
        }
    }
    check(&bench(), "/v1/workflows?status=draft", (400, "parameter_missing"));
    check(&bench(), "/v1/webhooks?status=draft", (200, ""));
}

#[test]
fn a_company_sees_nothing_of_another() {
    let bench = bench();
    let other = bench.token_of("other-main", "read write");
    for path in LISTS {
        let ours: BTreeSet<String> = walk(&bench, path).into_iter().collect();
        let theirs = bench.send(&get(path).token(&other)).ok().ids();
        assert!(!theirs.is_empty() && theirs.iter().all(|id| !ours.contains(id)), "{path}");
        if path != "/v1/webhooks" {
            check(&bench, &format!("{path}/{}", theirs[0]), (404, "request_not_found"));
        }
    }
    let forbidding = bench_answering(|answers| answers.other_company = 403);
    let theirs = forbidding.send(&get("/v1/requests").token(&other)).ok().ids();
    let target = format!("/v1/requests/{}", theirs[0]);
    check(&forbidding, &target, (403, "forbidden"));
    check(&forbidding, &format!("{target}/activity"), (403, "forbidden"));
    check(&forbidding, "/v1/requests/unknown1", (404, "request_not_found"));
}

#[test]
fn members_of_a_list_equal_single_resources() {
    let bench = bench();
    for path in &LISTS[..3] {
        let list = bench.get(path).value("/data");
        for member in list.as_array().expect("a list") {
            let id = member["id"].as_str().expect("an id");
            assert_eq!(&bench.get(&format!("{path}/{id}")).value("/data"), member);
        }
    }
}
