//! `GET /events`: server-sent events of a world.
//!
//! A task polls the world for new events and passes them to the connection. While the reader does not read,
//! the task waits. The next message then says how many events were lost.

use std::fmt::Write as _;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

use crate::control::{ControlEvent, EventKind, EventWatcher, ExchangeFilter};
use crate::shell::clock;
use crate::shell::response::{SiteBody, problem};
use crate::shell::sandbox::Realm;
use crate::shell::site::Site;
use crate::value::message::wire::WireCall;

/// Time between two polls.
const POLL: Duration = Duration::from_millis(40);
/// Time between two polls after events were lost. It saves work while the mock is busy.
const POLL_AFTER_LOSS: Duration = Duration::from_millis(250);
/// After this number of polls without an event a comment is sent, so that no gateway closes the connection.
const IDLE_POLLS_MAX: u32 = 250;
/// The media type of server-sent events.
const EVENT_STREAM: &str = "text/event-stream";
/// The header in which a reader names the last event that it received.
const LAST_EVENT_ID: &str = "last-event-id";

/// Streams the events of a world until the reader disconnects, the mock ends, or `timeout` has passed.
pub(super) fn stream(
    site: &Site,
    realm: &Arc<Realm>,
    parts: &Parts,
    filter: ExchangeFilter,
    timeout: Option<Duration>,
) -> Response<SiteBody> {
    let last = parts.headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok()?.parse().ok());
    let (watcher, hello) = {
        let world = realm.service.world();
        let watcher = EventWatcher::new(&world, filter, last);
        let hello = watcher.hello(&world);
        (watcher, hello)
    };
    // Without a socket (wiremock) the whole body is collected first, so an endless one would never be sent.
    let is_on_socket = parts.extensions.get::<WireCall>().is_some();
    let timeout = timeout.or((!is_on_socket).then_some(Duration::ZERO));
    // One message at a time: events are not buffered for a slow reader.
    let (to_reader, messages) = mpsc::channel(1);
    let ending = site.ending.subscribe();
    tokio::spawn(send_events(Arc::downgrade(realm), watcher, to_reader, hello, timeout, ending));
    let mut response = problem::respond(StatusCode::OK, EVENT_STREAM, String::new());
    *response.body_mut() = SiteBody::messages(messages);
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    // Without it nginx buffers the response.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

async fn send_events(
    realm: Weak<Realm>,
    mut watcher: EventWatcher,
    to_reader: mpsc::Sender<Bytes>,
    hello: ControlEvent,
    timeout: Option<Duration>,
    mut ending: watch::Receiver<bool>,
) {
    // A timeout that is too large for the clock counts as none.
    let end = timeout.and_then(|timeout| clock::instant().checked_add(timeout));
    let mut polls = tokio::time::interval(POLL);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut message = text(&[hello]);
    let mut idle_polls = 0;
    loop {
        let Some(realm) = realm.upgrade() else { return };
        let events = watcher.news(&realm.service.world(), clock::now());
        drop(realm);
        if events.iter().any(|event| event.kind == EventKind::Lost) {
            polls.reset_after(POLL_AFTER_LOSS);
        }
        message.push_str(&text(&events));
        idle_polls = if message.is_empty() { idle_polls + 1 } else { 0 };
        if idle_polls > IDLE_POLLS_MAX {
            message.push_str(":\n\n");
            idle_polls = 0;
        }
        if !message.is_empty() {
            let is_sent = tokio::select! {
                sent = to_reader.send(Bytes::from(std::mem::take(&mut message))) => sent.is_ok(),
                _ = ending.wait_for(|is_ending| *is_ending) => false,
            };
            if !is_sent {
                return;
            }
        }
        if end.is_some_and(|end| clock::instant() >= end) {
            return;
        }
        tokio::select! {
            _ = polls.tick() => {}
            () = to_reader.closed() => return,
            _ = ending.wait_for(|is_ending| *is_ending) => return,
        }
    }
}

/// Events in the form of [`EVENT_STREAM`]. JSON on one line contains no line break.
fn text(events: &[ControlEvent]) -> String {
    let mut text = String::new();
    for event in events {
        let kind: &str = event.kind.into();
        let _ = writeln!(text, "event: {kind}");
        if let Some(id) = event.id {
            let _ = writeln!(text, "id: {id}");
        }
        let _ = write!(text, "data: {}\n\n", event.data);
    }
    text
}
