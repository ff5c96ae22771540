//! `GET /events`: server-sent events of a world.
//!
//! A task looks for news many times a second and hands them to the connection. While a reader does not take
//! them, the task waits. Then the reader is told how many events it has lost.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;

use crate::control::{ControlEvent, EventKind, EventWatcher, ExchangeFilter};
use crate::shell::answer::{SiteBody, problem};
use crate::shell::clock;
use crate::shell::sandbox::Realm;
use crate::shell::site::Site;
use crate::value::message::wire::WireCall;

/// Between two looks for news.
const LOOK: Duration = Duration::from_millis(40);
/// After a look that found more than a reader is told, the next one is later: a busy mock has better things to do.
const LOOK_AFTER_LOSS: Duration = Duration::from_millis(250);
/// After so many looks without news a comment is sent, so that no gateway closes the connection.
const QUIET_LOOKS_MAX: u32 = 250;
/// The media type of server-sent events.
pub(super) const EVENT_STREAM: &str = "text/event-stream";
/// With this header a reader says which event it has seen last.
const LAST_EVENT_ID: &str = "last-event-id";

/// The events of a world, until the reader leaves, the mock ends, or `timeout` is over.
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
    // Without a socket a body is collected whole.
    let is_on_socket = parts.extensions.get::<WireCall>().is_some();
    let timeout = timeout.or((!is_on_socket).then_some(Duration::ZERO));
    // One message at a time: what a slow reader has not taken is not kept for it.
    let (to_reader, messages) = mpsc::channel(1);
    let reader = EventReader { realm: Arc::downgrade(realm), watcher, to_reader };
    tokio::spawn(reader.run(hello, timeout, site.ending.subscribe()));
    let mut response = problem::respond(StatusCode::OK, EVENT_STREAM, String::new());
    *response.body_mut() = SiteBody::messages(messages);
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    // nginx collects answers otherwise.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct EventReader {
    realm: std::sync::Weak<Realm>,
    watcher: EventWatcher,
    to_reader: mpsc::Sender<Bytes>,
}

impl EventReader {
    async fn run(
        mut self,
        hello: ControlEvent,
        timeout: Option<Duration>,
        mut ending: watch::Receiver<bool>,
    ) {
        let end = timeout.map(|timeout| clock::instant() + timeout);
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut text = text(&[hello]);
        let mut quiet_looks = 0;
        loop {
            let Some(realm) = self.realm.upgrade() else { return };
            let news = self.watcher.news(&realm.service.world(), clock::now());
            if news.iter().any(|event| event.kind == EventKind::Lost) {
                looks.reset_after(LOOK_AFTER_LOSS);
            }
            text.push_str(&self::text(&news));
            drop(realm);
            quiet_looks = if text.is_empty() { quiet_looks + 1 } else { 0 };
            if quiet_looks > QUIET_LOOKS_MAX {
                text.push_str(":\n\n");
                quiet_looks = 0;
            }
            if !text.is_empty() {
                let sent = tokio::select! {
                    sent = self.to_reader.send(Bytes::from(std::mem::take(&mut text))) => sent.is_ok(),
                    _ = ending.wait_for(|is_ending| *is_ending) => false,
                };
                if !sent {
                    return;
                }
            }
            if end.is_some_and(|end| clock::instant() >= end) {
                return;
            }
            tokio::select! {
                _ = looks.tick() => {}
                () = self.to_reader.closed() => return,
                _ = ending.wait_for(|is_ending| *is_ending) => return,
            }
        }
    }
}

/// Events as their media type writes them. JSON has no line break outside of its texts, and none in them.
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
