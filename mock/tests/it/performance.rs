//! What a call costs, as counts: a regression shows here without a clock.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use jiff::Timestamp;
use moot_fixtures::{answers, world};
use moot_mock::call::{Admission, Body, Call, Content, Head, Part};
use moot_mock::control::ControlAction;
use moot_mock::response::{Response, ResponseBody};
use moot_mock::settings::Progression;
use moot_mock::shell::{Site, SiteOptions};
use moot_mock::{Seeded, Service, Settings, World};
use tokio::runtime::{Builder, Runtime};

use crate::shell_support::{BASE, CLIENT, LEGAL_REQUEST, MAIN, call, settings, token};

fn service(settings: Settings) -> Service {
    Service::new(World::new(settings, Timestamp::UNIX_EPOCH).expect("the settings are sound"))
}

/// Whether two answers hold the very same bytes, not a copy.
fn are_shared(one: &Response, other: &Response) -> bool {
    match (&one.body, &other.body) {
        (ResponseBody::Bytes(one), ResponseBody::Bytes(other)) => one.as_ptr() == other.as_ptr(),
        _ => false,
    }
}

struct Client<'s> {
    service: &'s Service,
    headers: HeaderMap,
}

impl<'s> Client<'s> {
    fn new(service: &'s Service) -> Self {
        let ask =
            ControlAction::MintToken { client_id: MAIN.to_owned(), scopes: None, age_seconds: 0 };
        let minted = service.control(Timestamp::UNIX_EPOCH, ask).expect("a known application");
        let token = minted["access_token"].as_str().expect("a token");
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(&format!("Bearer {token}")).expect("plain text");
        headers.insert(AUTHORIZATION, value);
        Self { service, headers }
    }

    #[track_caller]
    fn send(&self, method: &Method, path: &str, body: Body) -> Response {
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let head = Head { method, path, query: None, headers: &self.headers, client };
        let Admission::Admitted(admitted) = self.service.admit(Timestamp::UNIX_EPOCH, &head) else {
            panic!("{method} {path} is refused");
        };
        self.service
            .answer(Timestamp::UNIX_EPOCH, &Call { head, admitted: &admitted, body, fetched: None })
    }

    #[track_caller]
    fn create(&self) {
        let parts = LEGAL_REQUEST.iter().map(|part| {
            let (name, text) = part.split_once('=').expect("a name and a text");
            Part {
                name: name.to_owned(),
                file_name: None,
                content_type: None,
                content: Content::in_memory(Bytes::from(text)),
                is_cut: false,
            }
        });
        let body = Body::Multipart(parts.collect());
        let created = self.send(&Method::POST, "/v1/requests", body);
        assert_eq!(created.status, StatusCode::CREATED, "{created:?}");
    }
}

/// Wakings of the thread that delivers, by three creations.
#[track_caller]
fn check_wakings(progression: Progression, expected: usize) {
    let service = service(Settings { progression, ..settings() });
    let wakings = Arc::new(AtomicUsize::new(0));
    let client = Client::new(&service);
    let counted = wakings.clone();
    service.set_waker(Box::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    for _ in 0..3 {
        client.create();
    }
    assert_eq!(wakings.load(Ordering::Relaxed), expected, "{progression}");
}

#[test]
fn nobody_is_woken_for_what_makes_nothing_due() {
    check_wakings(Progression::Manual, 0);
    check_wakings(Progression::OnRead { reads: 2 }, 0);
}

#[test]
fn only_the_first_of_what_falls_due_together_wakes() {
    check_wakings(Progression::Timed { seconds: 5 }, 1);
}

#[test]
fn a_row_is_rendered_once_and_shared_by_every_answer() {
    let settings = settings();
    let run = settings.run();
    let seeded = Seeded::new(&settings.seed_world, settings.answers).expect("sound rows");
    let seeded = Arc::new(seeded);
    let of_seeded = || {
        let world = World::from_seeded(seeded.clone(), run.clone(), Timestamp::UNIX_EPOCH);
        Service::new(world.expect("the settings are sound"))
    };
    let (one, other) = (of_seeded(), of_seeded());
    let (one, other) = (Client::new(&one), Client::new(&other));
    let ask = |client: &Client<'_>| client.send(&Method::GET, "/v1/requests", Body::Empty);
    let ResponseBody::Bytes(list) = ask(&one).body else { panic!("a list is bytes") };
    let list: serde_json::Value = serde_json::from_slice(&list).expect("JSON");
    let id = list["data"][0]["id"].as_str().expect("an id");
    let path = format!("/v1/requests/{id}");
    let get = |client: &Client<'_>| client.send(&Method::GET, &path, Body::Empty);
    assert!(are_shared(&get(&one), &get(&one)), "one world renders a row twice");
    assert!(are_shared(&get(&one), &get(&other)), "worlds of the same rows do not share them");
}

#[test]
fn a_page_is_put_together_once_until_a_row_of_its_list_changes() {
    let service = service(settings());
    let client = Client::new(&service);
    let ask = |path: &str| client.send(&Method::GET, path, Body::Empty);
    let lists = ["/v1/requests", "/v1/repository_documents", "/v1/webhooks", "/v1/workflows"];
    let first = lists.map(ask);
    for (path, first) in lists.iter().zip(&first) {
        assert!(are_shared(first, &ask(path)), "{path} is put together twice");
    }
    client.create();
    assert!(!are_shared(&first[0], &ask(lists[0])), "a page without what was created");
    assert!(are_shared(&first[1], &ask(lists[1])), "nothing of this list changed");
}

/// A form with three fields.
const FORM: &str = "--b0\r\nContent-Disposition: form-data; name=\"workflow_id\"\r\n\r\nWORKFLOW\r\n\
    --b0\r\nContent-Disposition: form-data; name=\"requester_email\"\r\n\r\nrequester@bench.example\r\n\
    --b0\r\nContent-Disposition: form-data; name=\"counterparty_name\"\r\n\r\nSample Works Ltd\r\n--b0--\r\n";
const GRANT: &str =
    "grant_type=client_credentials&client_id=bench&client_secret=bench-secret&scope=read+write";

/// Of getting one, listing, asking for a token, creating with three fields.
const ALLOCATIONS_MAX: [u64; 4] = [4, 3, 9, 34];

/// Allocations of a call through the shell, with room for them: the fewest of some, since now and then
/// a table grows.
#[track_caller]
fn allocations(bench: &Bench, (method, path, content_type, body): (&str, &str, &str, &str)) -> u64 {
    let counts = (0..5).map(|_| {
        // A client that asks for a token names itself in the form.
        let authorization =
            path.starts_with("/v1").then_some((AUTHORIZATION, &bench.authorization));
        let request = Request::builder().method(method).uri(format!("{BASE}{path}"));
        let request = authorization
            .into_iter()
            .fold(request, |request, (name, value)| request.header(name, value));
        let request = request
            .header(CONTENT_TYPE, content_type)
            .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
            .expect("a sound request");
        let mut answer = None;
        let counted = allocation_counter::measure(|| {
            answer = Some(bench.runtime.block_on(bench.site.call(request, CLIENT)));
        });
        let status = answer.map(|answer| answer.status()).expect("an answer");
        assert!(status.is_success(), "{method} {path}: {status}");
        counted.count_total
    });
    counts.min().unwrap_or_default()
}

/// A site of the world that is measured, called from one thread.
struct Bench {
    site: Site,
    runtime: Runtime,
    authorization: String,
}

#[test]
fn a_call_allocates_little() {
    let world = world::named("bench").expect("it is embedded").clone();
    let settings = Settings { seed_world: Arc::new(world), ..settings() };
    let site = Site::new(SiteOptions::new(settings)).expect("the settings are sound");
    let said = site.describe();
    let workflow = said["workflows"][0]["id"].as_str().expect("an id");
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let token = runtime.block_on(token(&site, BASE, "bench"));
    let list = runtime.block_on(call(&site, "GET /api/v1/requests", &token));
    let one = format!("/v1/requests/{}", list.text("/data/0/id"));
    let bench = Bench { site, runtime, authorization: format!("Bearer {token}") };
    let form = "application/x-www-form-urlencoded";
    let create = FORM.replace("WORKFLOW", workflow);
    let multipart = "multipart/form-data; boundary=b0";
    let counts = [
        allocations(&bench, ("GET", &one, "", "")),
        allocations(&bench, ("GET", "/v1/requests", "", "")),
        allocations(&bench, ("POST", "/oauth/token", form, GRANT)),
        allocations(&bench, ("POST", "/v1/requests", multipart, &create)),
    ];
    let is_within = counts.iter().zip(ALLOCATIONS_MAX).all(|(count, max)| *count <= max);
    assert!(is_within, "{counts:?} are more than {ALLOCATIONS_MAX:?}");
}

/// Rows of a world, to be weighed.
const ROWS: u32 = 10_000;

#[test]
fn a_row_weighs_less_than_a_kibibyte() {
    let mut world = world::named("bench").expect("it is embedded").clone();
    world.companies[0].generated_legal_requests = ROWS;
    let mut seeded = None;
    let weighed = allocation_counter::measure(|| {
        seeded = Some(Seeded::new(&world, answers::default().clone()).expect("sound rows"));
    });
    let each = weighed.bytes_current / i64::from(ROWS);
    assert!((1..=1024).contains(&each), "{each} bytes a row");
    drop(seeded);
}
