//! Is a body valid JSON: UTF-8, one JSON text, no member twice (RFC 8259 §2, §4, §8.1)? If it is not,
//! the judgement names the first wrong byte and shows the bytes around it.

use super::document::{is_json, media_type};
use super::duplicate_members::{self, DEPTH_MAX};
use super::value_text::shortened;
use super::{Document, JsonFault, Judgement, MismatchKind};

/// The number of bytes in the message before the first wrong byte, and after it.
const BYTES_BEFORE: usize = 40;
const BYTES_AFTER: usize = 60;

const EXPECTED: &str = "JSON in UTF-8, nothing after it, no member twice";

/// Judges whether the body is valid JSON.
pub(super) fn judge(body: &[u8]) -> Judgement {
    if body.iter().all(u8::is_ascii_whitespace) {
        let message = "the body is empty, and not JSON".to_owned();
        return fails(JsonFault::Empty, message, String::new());
    }
    if let Err(error) = std::str::from_utf8(body) {
        let at = error.valid_up_to();
        let message = format!("the body is not JSON: byte {at} is not UTF-8");
        return fails(JsonFault::Encoding, message, around(body, at));
    }
    let (read, reading) = duplicate_members::read(body);
    let Err(error) = read else {
        let Some(name) = reading.duplicate else { return Judgement::Holds };
        let message = format!("the body has the member `{name}` twice in one object");
        let actual = shortened(&String::from_utf8_lossy(body));
        return fails(JsonFault::DuplicateMember, message, actual);
    };
    if error.is_eof() {
        let message = format!("the body ends inside its JSON, after {} bytes", body.len());
        return fails(JsonFault::Short, message, around(body, body.len()));
    }
    let at = offset(body, error.line(), error.column());
    // `serde_json` has no kind of error for its limit.
    if reading.depth == DEPTH_MAX && matches!(body.get(at), Some(b'[' | b'{')) {
        return Judgement::not_applicable("the body is nested too deeply to be read");
    }
    let (fault, message) = if is_json_text(body) {
        // JSON allows such values, and readers may refuse them (RFC 8259 §6, §8.2).
        let what = "half of a UTF-16 pair, or a number that is too large";
        (JsonFault::Syntax, format!("the body cannot be read: near byte {at} is {what}"))
    } else if is_json_text(&body[..at]) {
        let message = format!("the body has more bytes after its JSON, from byte {at}");
        (JsonFault::TrailingBytes, message)
    } else {
        (JsonFault::Syntax, format!("the body is not JSON: byte {at} breaks its grammar"))
    };
    fails(fault, message, around(body, at))
}

/// The failure of a body that is sent as JSON and cannot be read.
pub(super) fn unreadable(document: &Document) -> Option<Judgement> {
    let is_sent_as_json = media_type(&document.headers).is_some_and(|kind| is_json(&kind));
    if document.json.is_some() || document.body.is_empty() || !is_sent_as_json {
        return None;
    }
    Some(judge(&document.body)).filter(|judged| matches!(judged, Judgement::Fails(_)))
}

fn fails(fault: JsonFault, message: String, actual: String) -> Judgement {
    Judgement::fails(MismatchKind::Json { fault }, message, EXPECTED, actual)
}

/// Whether these bytes follow the grammar of JSON. The values of texts and numbers are not read.
fn is_json_text(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// The index of the byte at this line and column, both from 1.
fn offset(body: &[u8], line: usize, column: usize) -> usize {
    let before: usize = body
        .split_inclusive(|byte| *byte == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    (before + column.saturating_sub(1)).min(body.len())
}

/// The bytes around a place, with a mark before it: `… "id": 7} ▶ garbage`.
fn around(body: &[u8], at: usize) -> String {
    let (from, to) = (at.saturating_sub(BYTES_BEFORE), (at + BYTES_AFTER).min(body.len()));
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).escape_debug().to_string().replace("\\\"", "\"")
    };
    let (head, tail) = (if from > 0 { "… " } else { "" }, if to < body.len() { " …" } else { "" });
    format!("{head}{} ▶ {}{tail}", text(&body[from..at]), text(&body[at..to]))
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::verdict::check::{JsonFault, Judgement, MismatchKind};

    #[track_caller]
    fn check(body: &[u8], fault: JsonFault, message: &str, actual: &str) {
        let Judgement::Fails(mismatch) = judge(body) else { panic!("{body:?} is sound") };
        assert_eq!(mismatch.kind, MismatchKind::Json { fault });
        assert_eq!((mismatch.message.as_str(), mismatch.actual.as_str()), (message, actual));
    }

    #[test]
    fn the_depth_of_nesting_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(judge(nested(127).as_bytes()), Judgement::Holds);
        let limited = Judgement::not_applicable("the body is nested too deeply to be read");
        assert_eq!(judge(nested(128).as_bytes()), limited);
        let objects = r#"{"a":"#.repeat(128);
        assert_eq!(judge(objects.as_bytes()), limited);
        let faulty = "[".repeat(127) + ";";
        assert!(matches!(judge(faulty.as_bytes()), Judgement::Fails(_)));
    }

    #[test]
    fn the_message_names_and_shows_the_first_wrong_byte() {
        let message = "the body has more bytes after its JSON, from byte 8";
        check(b"{\"a\": 1}</html>", JsonFault::TrailingBytes, message, "{\"a\": 1} ▶ </html>");
        let message = "the body has more bytes after its JSON, from byte 9";
        check(b"{\"a\": 1}\n{}", JsonFault::TrailingBytes, message, "{\"a\": 1}\\n ▶ {}");
        let message = "the body is not JSON: byte 7 breaks its grammar";
        check(b"{\"a\": 1; 2}", JsonFault::Syntax, message, "{\"a\": 1 ▶ ; 2}");
        let message = "the body ends inside its JSON, after 7 bytes";
        check(b"{\"a\": 1", JsonFault::Short, message, "{\"a\": 1 ▶ ");
        let message = "the body is not JSON: byte 7 is not UTF-8";
        check(b"{\"a\": \"\xff\"}", JsonFault::Encoding, message, "{\"a\": \" ▶ \u{fffd}\"}");
        let message = "the body has the member `a` twice in one object";
        check(b"{\"a\": 1, \"a\": 1}", JsonFault::DuplicateMember, message, "{\"a\": 1, \"a\": 1}");
        let unreadable = "half of a UTF-16 pair, or a number that is too large";
        let message = format!("the body cannot be read: near byte 13 is {unreadable}");
        check(br#"{"a": "\ud83d"}"#, JsonFault::Syntax, &message, r#"{"a": "\\ud83d ▶ "}"#);
        let message = format!("the body cannot be read: near byte 10 is {unreadable}");
        check(b"{\"a\": 1e999}", JsonFault::Syntax, &message, "{\"a\": 1e99 ▶ 9}");
        check(b" \n", JsonFault::Empty, "the body is empty, and not JSON", "");
        assert_eq!(judge(b"{\"a\": 1}\n"), Judgement::Holds);
    }
}
