//! Seed rows: fixed ids, logs with legal status changes, and sharing between worlds until one of them changes
//! the rows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moot_fixtures::contract::LegalRequestStatus as Status;
use moot_fixtures::{answers, world};
use moot_mock::control::ControlAction;
use moot_mock::{SeedData, Service, World};

use crate::support::{Bench, bench, bench_with, delete, settings, sound};

fn bench_over(seed_data: &Arc<SeedData>, base_url: &str) -> Bench {
    let mut run = settings().run();
    run.base_url = base_url.to_owned();
    let world = World::from_seed_data(seed_data.clone(), run).expect("sound settings");
    Bench { service: Service::new(world), client: [127, 0, 0, 1].into() }
}

/// The ids of the first page do not depend on the other settings.
#[track_caller]
fn check(path: &str, other: &Bench) {
    assert_eq!(bench().get(path).ids(), other.get(path).ids());
}

#[test]
fn ids_of_seed_rows_do_not_depend_on_the_run() {
    let other = bench_with(|settings| {
        settings.seed = 12345;
        settings.base_url = "https://other.example".to_owned();
    });
    for path in ["/v1/workflows", "/v1/requests", "/v1/repository_documents", "/v1/webhooks"] {
        check(path, &other);
    }
    let created = bench().create(&sound());
    assert_ne!(created, other.create(&sound()), "new rows do");
}

#[test]
fn a_named_row_is_found_by_its_name_alone_and_no_two_rows_share_an_id() {
    let derived = bench().get("/v1/requests?page=1").ids();
    let last = derived.first().expect("a row").clone();
    let named = |name: &str| {
        let mut settings = settings();
        let mut world = (*settings.seed_world).clone();
        // The newest generated row of the company, now with a name in the seed world.
        let company = &mut world.companies[0];
        company.generated_legal_requests = 0;
        company.legal_requests.truncate(2);
        company.legal_requests[1].id = Some(name.to_owned());
        settings.seed_world = world.into();
        World::new(settings)
    };
    let first = named("first-of-all").expect("a name of its own");
    let bench = Bench { service: Service::new(first), client: [127, 0, 0, 1].into() };
    let ids = bench.get("/v1/requests").ids();
    assert!(ids.contains(&"first-of-all".to_owned()), "{ids:?}");
    for id in &ids {
        assert_eq!(bench.get(&format!("/v1/requests/{id}")).value("/data/id"), id.as_str());
    }
    assert_eq!(bench.get(&format!("/v1/requests/{last}")).status, 404, "it is not a row any more");
    let other = ids.iter().find(|id| *id != "first-of-all").expect("another row");
    let refused = named(other).expect_err("two rows with one id").to_string();
    assert!(refused.contains("two requests"), "{refused}");
}

#[test]
fn histories_are_legal_and_lie_before_the_seeded_time() {
    let bench = bench();
    let seeded_at = world::named("demo").expect("it is embedded").seeded_at.clone();
    let graph = &answers::default().transitions;
    for page in 1..=3 {
        for id in bench.get(&format!("/v1/requests?page={page}")).ids() {
            let known = bench.known(&id);
            let log = known["activity"].as_array().expect("a list");
            let mut at = Status::Draft;
            let mut times = Vec::new();
            for entry in log {
                times.push(entry["attributes"]["created_at"].as_str().expect("a time"));
                let to = entry["attributes"]["additional_data"]["to"].as_str();
                if let Some(to) = to.and_then(|to| to.parse::<Status>().ok()) {
                    assert!(graph[&at].contains(&to), "{at:?} {to:?}");
                    at = to;
                }
            }
            assert_eq!(known["status"], at.as_str());
            assert!(times.is_sorted() && times.last() < Some(&seeded_at.as_str()));
        }
    }
}

#[test]
fn archived_seed_requests_have_their_document_and_lists_are_in_order_of_time() {
    let bench = bench();
    let archived = bench.get("/v1/requests?status=archived").ids();
    let mut related = BTreeMap::new();
    let mut times = Vec::new();
    for page in 1..=3 {
        let list = bench.get(&format!("/v1/repository_documents?page={page}")).value("/data");
        for document in list.as_array().expect("a list") {
            times.push(document["attributes"]["created_at"].to_string());
            let request = document["relationships"]["legal_request"]["data"]["id"].as_str();
            if let Some(request) = request {
                *related.entry(request.to_owned()).or_insert(0) += 1;
            }
        }
    }
    times.reverse();
    assert!(times.is_sorted());
    assert_eq!(related.len(), archived.len());
    assert!(archived.iter().all(|id| related.get(id) == Some(&1)));
}

#[test]
fn worlds_share_rows_until_one_changes_them() {
    let seed_data = bench().service.seed_data();
    let one = bench_over(&seed_data, "http://moot.test/one");
    let two = bench_over(&seed_data, "http://moot.test/two");
    let paths = ["/v1/requests", "/v1/webhooks", "/v1/repository_documents"];
    let before: Vec<_> = paths.iter().map(|path| two.get(path).body).collect();
    let draft = one.get("/v1/requests?status=draft").ids().remove(0);
    one.set_status(&draft, Status::Archived);
    one.create(&sound());
    let hook = one.get("/v1/webhooks").ids().remove(0);
    one.send(&delete(&format!("/v1/webhooks/{hook}")).token(&one.token())).ok();
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(two.get(path).body, before, "{path}");
        assert_ne!(one.get(path).ids(), two.get(path).ids(), "{path}");
    }
    one.ask(ControlAction::Reset).expect("an order");
    for path in paths {
        assert_eq!(one.get(path).ids(), two.get(path).ids(), "{path}");
    }
}

#[test]
fn a_world_over_shared_rows_is_made_in_microseconds() {
    let seed_data = bench().service.seed_data();
    let began = Instant::now();
    const WORLDS: u32 = 1000;
    for _ in 0..WORLDS {
        World::from_seed_data(seed_data.clone(), settings().run()).expect("sound settings");
    }
    // The limit is wide, because test machines are slow. Copying the rows would take far longer.
    assert!(began.elapsed() < WORLDS * Duration::from_millis(2), "{:?}", began.elapsed());
}

#[test]
fn seed_worlds_and_settings_that_make_no_world_are_refused() {
    let refused = |change: &dyn Fn(&mut moot_mock::Settings)| {
        let mut settings = settings();
        change(&mut settings);
        World::new(settings).expect_err("no world").to_string()
    };
    let broken = |change: &dyn Fn(&mut moot_fixtures::world::SeedWorld)| {
        refused(&|settings| {
            let mut world = (*settings.seed_world).clone();
            change(&mut world);
            settings.seed_world = world.into();
        })
    };
    for base_url in ["", "moot.test", "ftp://moot.test", "http://moot.test/", "http://moot.test?x"]
    {
        assert!(refused(&|settings| settings.base_url = base_url.to_owned()).contains("base"));
    }
    let timed = moot_mock::settings::Progression::Timed { seconds: 0 };
    assert!(refused(&|settings| settings.progression = timed).contains("timed:0"));
    let path = "/schema";
    assert!(refused(&|s| s.answers.workflow_schema_endpoint.path = path.into()).contains("{id}"));
    assert!(broken(&|world| world.seeded_at = "soon".to_owned()).contains("seeded_at"));
    assert!(broken(&|world| world.companies[0].legal_requests[0].workflow = 99).contains("99"));
    let twice = |world: &mut moot_fixtures::world::SeedWorld| {
        world.companies[1].applications[0].client_id = "demo-main".to_owned();
    };
    assert!(broken(&twice).contains("demo-main"));
}

#[test]
fn every_world_of_the_fixtures_makes_a_world_under_every_set_of_answers() {
    for name in world::NAMES {
        for answers in ["default", "documented"] {
            bench_with(|settings| {
                settings.seed_world = world::named(name).expect("embedded").clone().into();
                settings.answers = answers::named(answers).expect("embedded").clone();
            });
        }
    }
}
