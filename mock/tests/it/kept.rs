//! A service with a keeper: a response is sent only after its change is stored.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use jiff::Timestamp;
use moot_mock::call::{Admission, Body, Call, Head};
use moot_mock::content::{Content, ContentPlace};
use moot_mock::control::{ClockMove, ControlAction};
use moot_mock::defect::{self, Defect};
use moot_mock::response::{Response, ResponseBody};
use moot_mock::service::{KeepError, Keeper};
use moot_mock::shell;
use moot_mock::{Service, World};

use crate::shell_support::{MAIN, settings};

/// Timeout of the tests.
const PATIENCE: Duration = Duration::from_secs(60);
const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// A service whose keeper reports each call of `finish`, and finishes on demand.
struct Bench {
    service: Arc<Service>,
    finish_calls: Receiver<u64>,
    results: Sender<Result<(), KeepError>>,
    /// Receives the number of changes each time that the keeper takes some.
    changed: Receiver<usize>,
    token: String,
}

impl Bench {
    fn new() -> Self {
        Self::with_defects(&[])
    }

    fn with_defects(defects: &[&'static Defect]) -> Self {
        let (finish_call, finish_calls) = channel();
        let (results, next_result) = channel();
        let (change, changed) = channel();
        let taken = AtomicU64::new(0);
        let (finish_call, next_result, change) =
            (Mutex::new(finish_call), Mutex::new(next_result), Mutex::new(change));
        let keeper = Keeper {
            may_act: Box::new(|| true),
            take: Box::new(move |noted| {
                let count = noted.changes.len();
                change.lock().expect("no panic").send(count).expect("the test listens");
                taken.fetch_add(1, Ordering::SeqCst) + 1
            }),
            finish: Box::new(move |number| {
                finish_call.lock().expect("no panic").send(number).expect("the test listens");
                next_result.lock().expect("no panic").recv_timeout(PATIENCE).expect("a result")
            }),
        };
        let world = World::new(settings()).expect("the settings are sound");
        let service = Arc::new(Service::kept(defect::install(world, defects), keeper));
        let ask =
            ControlAction::MintToken { client_id: MAIN.to_owned(), scopes: None, age_seconds: 0 };
        let minted = service.control(NOW, ask).expect("a known application");
        let token = minted["access_token"].as_str().expect("a token").to_owned();
        Self { service, finish_calls, results, changed, token }
    }

    /// Makes a call on its own thread. Its response comes through the channel.
    fn call(&self, method: Method, path: &'static str, body: &'static str) -> Receiver<Response> {
        let (sender, receiver) = channel();
        let (service, token) = (self.service.clone(), self.token.clone());
        std::thread::spawn(move || {
            let mut headers = HeaderMap::new();
            let value = HeaderValue::from_str(&format!("Bearer {token}")).expect("plain text");
            headers.insert(AUTHORIZATION, value);
            headers.insert("content-type", HeaderValue::from_static("application/json"));
            let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
            let head =
                Head { method: &method, path, query: None, headers: &headers, client, wire: None };
            let Admission::Admitted(admitted) = service.admit(NOW, &head) else {
                panic!("{method} {path} is refused");
            };
            let body =
                if body.is_empty() { Body::Empty } else { Body::Whole(body.as_bytes().into()) };
            let call = Call { head, admitted: &admitted, body, fetched: None };
            sender.send(service.answer(NOW, &call)).expect("the test listens");
        });
        receiver
    }

    /// Waits until `finish` is called. No call that saw the change may be answered before.
    #[track_caller]
    fn wait_for_finish(&self, receivers: &[&Receiver<Response>]) -> u64 {
        let number = self.finish_calls.recv_timeout(PATIENCE).expect("a call waits");
        assert!(
            receivers.iter().all(|receiver| receiver.try_recv().is_err()),
            "answered too early"
        );
        number
    }

    #[track_caller]
    fn tell(&self, result: Result<(), KeepError>) {
        self.results.send(result).expect("the keeper listens");
    }
}

const WEBHOOK: &str = r#"{"name": "Kept", "url": "http://127.0.0.1:9/", "auth_type": "none"}"#;

#[track_caller]
fn text(receiver: &Receiver<Response>) -> (StatusCode, String) {
    let response = receiver.recv_timeout(PATIENCE).expect("a response");
    let ResponseBody::Bytes(bytes) = response.body else { panic!("it is in memory") };
    (response.status, String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn neither_writer_nor_reader_is_answered_before_it_is_kept() {
    let bench = Bench::new();
    let writer = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    let number = bench.wait_for_finish(&[&writer]);
    bench.tell(Ok(()));
    let reader = bench.call(Method::GET, "/v1/webhooks", "");
    assert_eq!(bench.wait_for_finish(&[&reader]), number, "a reader of a change waits for it");
    bench.tell(Ok(()));
    assert_eq!(text(&writer).0, StatusCode::CREATED);
    let (status, list) = text(&reader);
    assert_eq!(status, StatusCode::OK);
    assert!(list.contains(r#""name":"Kept""#), "{list}");
}

/// The second writer changes the world while the first one waits, so both changes can be stored together.
#[test]
fn writers_of_one_world_do_not_wait_for_each_other() {
    let bench = Bench::new();
    let writers = [(); 2].map(|()| bench.call(Method::POST, "/v1/webhooks", WEBHOOK));
    bench.wait_for_finish(&[&writers[0], &writers[1]]);
    // The keeper has not finished yet, and has both changes.
    bench.changed.recv_timeout(PATIENCE).expect("the first change");
    bench.changed.recv_timeout(PATIENCE).expect("the second change");
    bench.tell(Ok(()));
    bench.wait_for_finish(&[]);
    bench.tell(Ok(()));
    for writer in &writers {
        assert_eq!(text(writer).0, StatusCode::CREATED);
    }
}

#[test]
fn a_change_that_was_not_stored_is_never_shown() {
    let bench = Bench::new();
    let writer = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    bench.wait_for_finish(&[&writer]);
    bench.tell(Err(KeepError("no room".to_owned())));
    let (status, problem) = text(&writer);
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(problem.contains("state_not_kept") && problem.contains("no room"), "{problem}");
    let reader = bench.call(Method::GET, "/v1/webhooks", "");
    bench.wait_for_finish(&[&reader]);
    bench.tell(Err(KeepError("no room".to_owned())));
    let (status, problem) = text(&reader);
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!problem.contains("Kept\""), "{problem}");
    bench.tell(Err(KeepError("no room".to_owned())));
    let refused = bench
        .service
        .control(NOW, ControlAction::MoveClock(ClockMove::Next))
        .expect_err("it changes no more");
    assert_eq!((refused.status, refused.problem), (500, "state_not_kept"));
}

/// The disk was full and has space again, without a restart.
#[test]
fn after_a_failure_changes_are_stored_and_shown_again() {
    let bench = Bench::new();
    let writer = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    let number = bench.wait_for_finish(&[&writer]);
    bench.tell(Err(KeepError("no room".to_owned())));
    assert_eq!(text(&writer).0, StatusCode::INTERNAL_SERVER_ERROR);
    let second = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    assert_eq!(
        bench.wait_for_finish(&[&second]),
        number,
        "nothing changes until the first change is kept"
    );
    bench.tell(Err(KeepError("no room".to_owned())));
    assert_eq!(text(&second).0, StatusCode::INTERNAL_SERVER_ERROR);
    let third = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    assert_eq!(bench.wait_for_finish(&[&third]), number);
    bench.tell(Ok(()));
    assert_eq!(bench.wait_for_finish(&[&third]), number + 1, "the second call changed nothing");
    bench.tell(Ok(()));
    assert_eq!(text(&third).0, StatusCode::CREATED);
}

#[test]
fn a_shared_record_is_stored_once_for_each_company() {
    let defect = shell::settings::defect("isolation.webhook-shared").expect("a defect");
    let bench = Bench::with_defects(&[defect]);
    let writer = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    bench.tell(Ok(()));
    assert_eq!(text(&writer).0, StatusCode::CREATED);
    assert_eq!(bench.changed.recv_timeout(PATIENCE), Ok(settings().seed_world.companies.len()));
}

/// RFC 6749, section 5.2.
#[test]
fn a_token_that_could_not_be_kept_is_refused_in_the_form_of_oauth() {
    let bench = Bench::new();
    let writer = bench.call(Method::POST, "/v1/webhooks", WEBHOOK);
    bench.wait_for_finish(&[&writer]);
    bench.tell(Err(KeepError("no room".to_owned())));
    assert_eq!(text(&writer).0, StatusCode::INTERNAL_SERVER_ERROR);
    let token = bench.call(Method::POST, "/oauth/token", "grant_type=client_credentials");
    bench.wait_for_finish(&[&token]);
    bench.tell(Err(KeepError("no room".to_owned())));
    let (status, body) = text(&token);
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(body["error"], "server_error", "{body}");
    let why = body["error_description"].as_str().expect("a text");
    assert!(why.contains("no room") && body.get("type").is_none(), "{body}");
}

/// The bytes of an upload. Removing them after a reset must not block readers.
struct Removal {
    bench: Arc<crate::support::Bench>,
    was_readable: Sender<bool>,
}

impl Drop for Removal {
    fn drop(&mut self) {
        let (read, is_read) = channel();
        let bench = self.bench.clone();
        std::thread::spawn(move || read.send(bench.service.now(NOW)));
        let is_read = is_read.recv_timeout(Duration::from_secs(5));
        let _ = self.was_readable.send(is_read.is_ok());
    }
}

#[test]
fn files_are_removed_after_a_reset_without_blocking_readers() {
    let bench = Arc::new(crate::support::bench());
    let (was_readable, seen) = channel();
    let keep = Arc::new(Removal { bench: bench.clone(), was_readable });
    let place = ContentPlace::File { path: "nowhere".into(), keep };
    let content = Content { place, ..Content::in_memory(bytes::Bytes::from_static(b"bytes")) };
    let part = crate::support::file_with("file", "large.txt", content);
    let sent = crate::support::post("/v1/repository_documents").token(&bench.token());
    bench.send(&sent.multipart(vec![part])).ok();
    bench.service.control(NOW, ControlAction::Reset).expect("a reset");
    assert!(seen.recv_timeout(PATIENCE).expect("the file is removed"), "the world was locked");
}
