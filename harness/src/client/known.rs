//! Bodies that were seen before: a page that is read a thousand times is read as JSON, judged and held
//! once. Found by the bytes themselves, never by a digest alone; nothing here judges.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;

use crate::check::KnownBody;
use crate::client::response;
use crate::exchange::ReceivedResponse;

/// Bodies that are remembered.
const BODIES_MAX: usize = 64;
/// Bytes of all of them together.
const BYTES_MAX: usize = 512 * 1024;
/// Shorter ones are read sooner than found.
const BODY_BYTES_MIN: usize = 200;

/// The bodies that were seen last.
#[derive(Default)]
pub(crate) struct KnownBodies(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The one seen last at the end.
    bodies: VecDeque<Held>,
    bytes: usize,
}

struct Held {
    body: Bytes,
    json: Option<Arc<Value>>,
    known: Arc<KnownBody>,
}

impl KnownBodies {
    /// Reads the body of an answer that has just arrived.
    pub(crate) fn read(&self, response: &mut ReceivedResponse) {
        let length = response.body.len();
        if response.is_cut || !(BODY_BYTES_MIN..=BYTES_MAX).contains(&length) {
            response::read(response);
            return;
        }
        if let Some(known) = self.0.lock().find(&response.body) {
            response.body = known.body.clone();
            response.json.clone_from(&known.json);
            response.known = Some(Arc::clone(&known.known));
            return;
        }
        response::read(response);
        self.0.lock().keep(response);
    }
}

impl Known {
    fn find(&mut self, body: &Bytes) -> Option<&Held> {
        let at = self.bodies.iter().rposition(|known| known.body == *body)?;
        let found = self.bodies.remove(at)?;
        self.bodies.push_back(found);
        self.bodies.back()
    }

    fn keep(&mut self, response: &mut ReceivedResponse) {
        let ReceivedResponse { body, json, known, .. } = response;
        self.bytes += body.len();
        while self.bodies.len() >= BODIES_MAX || self.bytes > BYTES_MAX {
            let Some(oldest) = self.bodies.pop_front() else { break };
            self.bytes -= oldest.body.len();
        }
        let found: &Arc<KnownBody> = known.get_or_insert_default();
        let (json, known) = (json.clone(), Arc::clone(found));
        self.bodies.push_back(Held { body: body.clone(), json, known });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::response::BodyReader;
    use super::{BODIES_MAX, BYTES_MAX, KnownBodies};
    use crate::exchange::ReceivedResponse;

    fn read(known: &KnownBodies, body: &str) -> ReceivedResponse {
        let mut arriving = BodyReader::default();
        assert!(arriving.take(body.as_bytes()));
        let mut response = arriving.finish(200, Vec::new());
        known.read(&mut response);
        response
    }

    fn is_shared(first: &ReceivedResponse, second: &ReceivedResponse) -> bool {
        let is_same_json = match (&first.json, &second.json) {
            (Some(first), Some(second)) => Arc::ptr_eq(first, second),
            (_, _) => false,
        };
        let known = first.known.as_ref().zip(second.known.as_ref());
        assert_eq!(is_same_json, known.is_some_and(|(one, other)| Arc::ptr_eq(one, other)));
        assert_eq!(is_same_json, first.body.as_ptr() == second.body.as_ptr());
        is_same_json
    }

    fn text(number: usize, length: usize) -> String {
        format!("[{number:07},\"{}\"]", "x".repeat(length)).replacen("[0", "[1", 1)
    }

    #[test]
    fn the_same_bytes_are_read_and_held_once_and_others_for_themselves() {
        let known = KnownBodies::default();
        let (first, other) = (read(&known, &text(1, 300)), read(&known, &text(2, 300)));
        assert!(is_shared(&first, &read(&known, &text(1, 300))));
        assert!(!is_shared(&first, &other));
        assert_eq!(other.json.as_ref().map(|it| it[0].clone()), Some(1_000_002.into()));
        assert!(
            !is_shared(&read(&known, "[1]"), &read(&known, "[1]")),
            "too short to be looked for"
        );
        let no_json = "x".repeat(400);
        assert!(read(&known, &no_json).json.is_none() && read(&known, &no_json).json.is_none());
    }

    #[test]
    fn few_bodies_and_few_bytes_are_remembered() {
        let known = KnownBodies::default();
        let first = read(&known, &text(0, 300));
        for number in 1..BODIES_MAX {
            read(&known, &text(number, 300));
        }
        assert!(is_shared(&first, &read(&known, &text(0, 300))));
        read(&known, &text(BODIES_MAX, 300));
        assert!(is_shared(&first, &read(&known, &text(0, 300))), "it was seen again since");
        for number in 0..4 {
            read(&known, &text(number, BYTES_MAX / 3));
        }
        assert!(!is_shared(&first, &read(&known, &text(0, 300))));
        assert!(known.0.lock().bytes <= BYTES_MAX);
        let long = text(9, BYTES_MAX);
        assert!(!is_shared(&read(&known, &long), &read(&known, &long)));
    }
}
