//! Actions of the control plane that no other test file covers.

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::LegalRequestStatus;
use moot_mock::control::{ClockMove, ControlAction};
use moot_mock::settings::{ClockSetting, Progression};
use serde_json::json;

use crate::support::{Bench, bench, bench_with, get, post, sound, start};

#[track_caller]
fn check(bench: &Bench, ask: ControlAction, status: u16) {
    assert_eq!(bench.ask(ask.clone()).expect_err("it cannot be done").status, status, "{ask:?}");
}

#[test]
fn the_world_is_shown_with_its_counts() {
    let bench = bench();
    bench.create(&sound());
    let world = bench.ask(ControlAction::World).expect("a question");
    assert_eq!(world["seed"], 7);
    assert_eq!(world["base_url"], "http://moot.test/api");
    assert_eq!(world["time"], "2026-03-05T14:30:00Z");
    assert_eq!(world["rate_limit"], "off");
    assert_eq!(world["progression"], "manual");
    assert_eq!(world["deliveries"], json!({ "queued": 0, "delivered": 0, "failed": 0 }));
    let company = &world["companies"][0];
    assert_eq!(company["applications"], json!(["demo-main", "demo-reader", "demo-writer"]));
    assert_eq!(company["counts"]["workflows"], 5);
    assert_eq!(company["counts"]["legal_requests"], 74);
    assert_eq!(company["counts"]["webhooks"], 58);
    let answers = serde_json::from_value(world["answers"].clone()).expect("full answers");
    assert_eq!(moot_fixtures::answers::default(), &answers);
}

#[test]
fn credentials_users_and_workflows_are_described() {
    let described = bench().service.describe();
    assert_eq!(described["applications"][0]["client_id"], "demo-main");
    assert_eq!(described["applications"][0]["scopes"], json!(["read", "write"]));
    assert_eq!(described["users"]["Northwind Example Ltd"][0], "requester@northwind.example");
    assert_eq!(described["workflows"][0]["type"], "generated");
}

#[test]
fn a_reset_is_the_first_day_again() {
    let bench = bench();
    let first = bench.get("/v1/requests").body;
    let id = bench.create(&sound());
    bench.advance(100);
    bench.ask(ControlAction::Reset).expect("an order");
    assert_eq!(bench.get("/v1/requests").body, first);
    assert_eq!(
        bench.ask(ControlAction::GetClock).expect("a question")["now"],
        "2026-03-05T14:30:00Z"
    );
    check(&bench, ControlAction::GetLegalRequest { id: id.clone() }, 404);
    assert_eq!(bench.create(&sound()), id, "the same calls give the same ids");
}

#[test]
fn clocks_go_forward_only() {
    let bench = bench();
    let later: Timestamp = "2026-03-05T15:00:00Z".parse().expect("a time");
    let moved = bench.ask(ControlAction::MoveClock(ClockMove::To(later))).expect("it is later");
    assert_eq!((&moved["now"], &moved["frozen"]), (&json!("2026-03-05T15:00:00Z"), &json!(true)));
    bench.ask(ControlAction::MoveClock(ClockMove::To(later))).expect("it is that time already");
    check(&bench, ControlAction::MoveClock(ClockMove::To(start())), 422);
    check(&bench, ControlAction::MoveClock(ClockMove::Advance(u64::MAX)), 422);
    check(&bench, ControlAction::MoveClock(ClockMove::Advance(i64::MAX as u64)), 422);
    assert_eq!(bench.get("/v1/requests").header("date"), "Thu, 05 Mar 2026 15:00:00 GMT");
}

#[test]
fn a_running_clock_keeps_running_after_it_was_moved() {
    let bench = bench_with(|settings| settings.clock = ClockSetting::Real);
    bench.advance(60);
    let system_now = start() + SignedDuration::from_secs(5);
    let shown = bench.service.control(system_now, ControlAction::GetClock).expect("a question");
    assert_eq!(shown["now"], "2026-03-05T14:31:05Z");
    assert_eq!(shown["frozen"], false);
}

#[test]
fn a_clock_is_frozen_and_runs_on_from_its_time() {
    let bench = bench_with(|settings| settings.clock = ClockSetting::Real);
    let at = |seconds| start() + SignedDuration::from_secs(seconds);
    let ask = |seconds, action| bench.service.control(at(seconds), action).expect("it is done");
    let freeze = |freeze| ControlAction::MoveClock(ClockMove::Freeze(freeze));
    assert_eq!(ask(5, freeze(true))["frozen"], true);
    assert_eq!(ask(60, ControlAction::GetClock)["now"], "2026-03-05T14:30:05Z");
    ask(60, ControlAction::MoveClock(ClockMove::Advance(10)));
    assert_eq!(ask(99, freeze(true))["now"], "2026-03-05T14:30:15Z");
    assert_eq!(ask(100, freeze(false))["frozen"], false);
    assert_eq!(ask(107, ControlAction::GetClock)["now"], "2026-03-05T14:30:22Z");
    assert_eq!(ask(108, freeze(false))["now"], "2026-03-05T14:30:23Z");
}

/// With a stopped clock nothing falls due. It happens when the clock runs again.
#[test]
fn nothing_falls_due_while_the_clock_is_frozen() {
    let bench = bench_with(|settings| {
        settings.clock = ClockSetting::Real;
        settings.progression = Progression::Timed { seconds: 30 };
    });
    let id = bench.create(&sound());
    bench.ask(ControlAction::MoveClock(ClockMove::Freeze(true))).expect("an order");
    let much_later = start() + SignedDuration::from_secs(3_600);
    let ask = |action| bench.service.control(much_later, action).expect("it is done");
    assert_eq!(bench.service.next_due(much_later), None);
    let look = || ask(ControlAction::GetLegalRequest { id: id.clone() })["status"].clone();
    assert_eq!(look(), "draft");
    ask(ControlAction::MoveClock(ClockMove::Freeze(false)));
    assert_eq!(look(), "draft", "it runs on from its own time");
    assert!(bench.service.next_due(much_later).is_some_and(|due| due > much_later));
}

#[test]
fn a_checkpoint_is_the_same_state_again() {
    let bench = bench();
    let checkpoint = |name: &str| ControlAction::PutCheckpoint { name: name.to_owned() };
    let restore = |name: &str| ControlAction::RestoreCheckpoint { id: name.to_owned() };
    let seeded = bench.get("/v1/webhooks").body;
    let staged = bench.create(&sound());
    bench.advance(100);
    bench.ask(checkpoint("stage")).expect("a sound name");
    let (world, list) =
        (bench.ask(ControlAction::World).expect("a question"), bench.get("/v1/requests").body);
    for _ in 0..2 {
        let later = bench.create(&sound());
        bench.set_status(&staged, LegalRequestStatus::Canceled);
        bench.advance(10);
        bench.ask(restore("stage")).expect("it is known");
        assert_eq!(bench.ask(ControlAction::World).expect("a question"), world);
        assert_eq!(bench.get("/v1/requests").body, list);
        check(&bench, ControlAction::GetLegalRequest { id: later }, 404);
    }
    bench.ask(ControlAction::Reset).expect("an order");
    assert_eq!(bench.get("/v1/webhooks").body, seeded);
    bench.ask(restore("stage")).expect("a reset keeps checkpoints");
    assert_eq!(bench.get("/v1/requests").body, list);
    bench.ask(ControlAction::DeleteCheckpoint { id: "stage".to_owned() }).expect("it is known");
    check(&bench, restore("stage"), 404);
    check(&bench, ControlAction::DeleteCheckpoint { id: "stage".to_owned() }, 404);
    for name in ["", "a b", "..", "a/b", &"x".repeat(101)] {
        check(&bench, checkpoint(name), 422);
    }
}

#[test]
fn the_clock_moves_to_the_next_thing_due() {
    let bench = bench_with(|settings| settings.progression = Progression::Timed { seconds: 90 });
    let idle = bench.ask(ControlAction::MoveClock(ClockMove::Next)).expect("an order");
    assert_eq!(idle["now"], "2026-03-05T14:30:00Z");
    assert_eq!(idle["fired"], json!([]));
    let id = bench.create(&sound());
    let next = bench.ask(ControlAction::MoveClock(ClockMove::Next)).expect("an order");
    assert_eq!(next["now"], "2026-03-05T14:31:30Z");
    assert_eq!(next["fired"][0]["detail"], "draft -> initial_review");
    assert_eq!(bench.status(&id), "initial_review");
}

#[test]
fn the_journal_shows_requests_and_reasons_of_refusals() {
    let bench = bench();
    let token = bench.token();
    bench.send(&get("/v1/requests?page=1").token(&token));
    bench.send(&get("/v1/requests"));
    bench.send(&get("/nowhere"));
    bench.send(&post("/v1/requests").token(&token));
    let all = bench.exchanges(100);
    let rows: Vec<_> = all
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| {
            json!([
                row["serial"],
                row["operation"],
                row["application"],
                row["status"],
                row["problem"],
                row["decision"]
            ])
        })
        .collect();
    assert_eq!(
        rows,
        [
            json!([1, "create_access_token", null, 200, null, "served"]),
            json!([2, "list_legal_requests", "demo-main", 200, null, "served"]),
            json!([3, "list_legal_requests", null, 401, "invalid_token", "token"]),
            json!([4, null, null, 404, "request_not_found", "route"]),
            json!([5, "create_legal_request", "demo-main", 400, "parameter_missing", "body"]),
        ]
    );
    assert_eq!(all[1]["path"], "/v1/requests");
    assert_eq!(all[1]["client"], "127.0.0.1");
    assert_eq!(all[1]["at"], "2026-03-05T14:30:00Z");
    let listed = |row: usize| {
        let response = &all[row]["response"];
        json!([response["page"], response["pages"]])
    };
    assert_eq!(listed(1), json!([1, 3]), "a list says which page it is, and of how many");
    assert_eq!(listed(0), json!([null, null]));
    assert_eq!(bench.exchanges(1)[0]["serial"], 5);
    bench.ask(ControlAction::ClearExchanges).expect("an order");
    assert_eq!(bench.exchanges(100), json!([]));
}

#[test]
fn the_journal_is_bounded_in_calls_and_in_bytes() {
    let bench = bench();
    let kept = |bench: &Bench| {
        let all = bench.exchanges(usize::MAX);
        let rows = all.as_array().expect("a list");
        (rows.len(), rows.last().expect("some")["serial"].as_u64().expect("a number"))
    };
    for _ in 0..12_000 {
        bench.send(&get("/"));
    }
    assert_eq!(kept(&bench), (10_000, 12_000));
    let long = format!("/{}ü", "x".repeat(5_000));
    for _ in 0..12_000 {
        bench.send(&get(&long));
    }
    let (calls, newest) = kept(&bench);
    assert_eq!(newest, 24_000);
    assert!((2_000..4_000).contains(&calls), "{calls} long calls fit into two mebibytes");
}

#[test]
fn ids_that_do_not_exist_are_unknown() {
    let bench = bench();
    let id = || "unknown1".to_owned();
    let status = LegalRequestStatus::Signed;
    check(&bench, ControlAction::GetLegalRequest { id: id() }, 404);
    check(&bench, ControlAction::SetStatus { id: id(), status, comment: None, force: true }, 404);
    check(&bench, ControlAction::Redeliver { id: 1 }, 404);
    check(&bench, ControlAction::ExpireToken { token: id() }, 404);
}
