//! Tables of bodies and the result of reading them, cut into pieces in every way.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use sha2::{Digest, Sha256};

use super::spool::MEMORY_BYTES_MAX;
use super::{BodyTimes, Store, read};
use crate::value::message::call::{self, MultipartLimits, Part, Reading};
use crate::value::message::content::ContentPlace;

const LIMITS: MultipartLimits =
    MultipartLimits { parts_max: 3, text_bytes_max: 20, part_bytes_max: 40, body_bytes_max: 2_000 };

fn headers(content_type: &str) -> HeaderMap {
    let value = HeaderValue::from_str(content_type).expect("a row's content type is sound");
    HeaderMap::from_iter([(CONTENT_TYPE, value)])
}

fn form() -> HeaderMap {
    headers("multipart/form-data; boundary=b")
}

fn in_pieces(
    body: &[u8],
    size: usize,
) -> impl Body<Data = Bytes, Error = Infallible> + Send + use<> {
    let pieces: Vec<Bytes> = body.chunks(size).map(Bytes::copy_from_slice).collect();
    StreamBody::new(stream::iter(pieces).map(|piece| Ok(Frame::data(piece))))
}

async fn read_from<B>(body: B, headers: &HeaderMap, reading: Reading, store: &Store) -> call::Body
where
    B: Body<Data = Bytes> + Send,
{
    read(pin!(body), headers, reading, BodyTimes::default(), store)
        .await
        .expect("the store is writable")
}

/// Shows a body: `name=text`, `name(file name,type)=text`, `!` where it is cut, or the fault.
fn shown(body: &call::Body) -> String {
    match body {
        call::Body::Empty => "empty".to_owned(),
        call::Body::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        call::Body::Broken(fault) => format!("{fault:?}"),
        call::Body::Multipart(parts) => parts.iter().map(shown_part).collect::<Vec<_>>().join(" "),
    }
}

fn shown_part(part: &Part) -> String {
    let content = &part.content;
    let ContentPlace::Memory(bytes) = &content.place else { return "a file".to_owned() };
    assert_eq!(content.length, bytes.len() as u64);
    assert_eq!(content.digest[..], Sha256::digest(bytes)[..]);
    let (cut, text) = (if part.is_cut { "!" } else { "" }, String::from_utf8_lossy(bytes));
    let Some(name) = &part.file_name else { return format!("{}={text}{cut}", part.name) };
    let content_type = part.content_type.as_deref().unwrap_or("-");
    format!("{}({name},{content_type})={text}{cut}", part.name)
}

/// The same must come of it, however the body is cut into pieces.
#[track_caller]
fn check(headers: &HeaderMap, body: &str, reading: Reading, expected: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    for size in [1, 2, 7, usize::MAX] {
        let store = Store::default();
        let body = in_pieces(body.as_bytes(), size);
        let read = runtime.block_on(read_from(body, headers, reading, &store));
        assert_eq!(shown(&read), expected, "in pieces of {size}");
    }
}

#[track_caller]
fn check_form(body: &str, expected: &str) {
    check(&form(), body, Reading::Multipart(LIMITS), expected);
}

#[track_caller]
fn check_type(content_type: &str, expected: &str) {
    let body = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n";
    check(&headers(content_type), body, Reading::Multipart(LIMITS), expected);
}

#[test]
fn sound_parts_are_read_in_order() {
    check_form(
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
         --b\r\ncontent-disposition: form-data; name=\"f\"; filename=\"x.pdf\"\r\n\
         Content-Type: application/pdf\r\n\r\n%PDF\r\n-\n--\r\n--b--\r\n",
        "a=1 f(x.pdf,application/pdf)=%PDF\r\n-\n--",
    );
    check_form("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b--", "a=");
    check_form(
        "preamble\r\n--b  \r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\nepilogue",
        "a=1",
    );
    check_form("--b--\r\n", "");
    // A boundary counts only at the beginning of a line. A part may consist of text that is almost a boundary.
    let nearly = "1\r\n--\r\n-\r\n--c\r\n1--b\r";
    check_form(
        &format!(
            "--b\r\nContent-Disposition: form-data; name=a; filename=x\r\n\r\n{nearly}\r\n--b--"
        ),
        &format!("a(x,-)={nearly}"),
    );
}

#[test]
fn the_boundary_must_be_there_once() {
    check_type("multipart/form-data; boundary=b", "a=1");
    check_type("Multipart/Form-Data; charset=utf-8; Boundary=\"b\"", "a=1");
    check_type("multipart/form-data", "NoBoundary");
    check_type("multipart/form-data; boundary=", "NoBoundary");
    check_type("multipart/form-data; boundary=\"\"", "NoBoundary");
    check_type("multipart/form-data; boundary=b; boundary=c", "NoBoundary");
    check_type(&format!("multipart/form-data; boundary={}", "b".repeat(71)), "NoBoundary");
    check_type("multipart/mixed; boundary=b", "WrongMediaType");
    check_type("application/json", "WrongMediaType");
    check_type("text", "WrongMediaType");
    check(&HeaderMap::new(), "", Reading::Multipart(LIMITS), "NoBoundary");
}

#[test]
fn several_content_types_are_refused() {
    for (second, expected) in [
        ("multipart/form-data; boundary=b", "NoBoundary"),
        ("text/plain", "WrongMediaType"),
        ("application/json", "WrongMediaType"),
    ] {
        let mut headers = headers("application/json");
        headers.append(CONTENT_TYPE, HeaderValue::from_static(second));
        check(&headers, "{}", Reading::Multipart(LIMITS), expected);
    }
    let mut headers = form();
    headers.append(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    check(&headers, "--b--\r\n", Reading::Multipart(LIMITS), "NoBoundary");
}

#[test]
fn what_breaks_the_format_is_named() {
    const ENDS: &str = "Malformed(\"a boundary is missing or broken\")";
    check_form("", ENDS);
    check_form("no boundary at all", ENDS);
    check_form("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1", ENDS);
    check_form("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b", ENDS);
    check_form("--b\r\nContent-Disposition: form-data; name=a\r\n", ENDS);
    check_form(
        "--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--",
        "Malformed(\"a part has no `Content-Disposition`\")",
    );
    check_form(
        "--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--",
        "Malformed(\"a part has no `name`\")",
    );
    check_form(
        "--b\r\nno header\r\n\r\n1\r\n--b--",
        "Malformed(\"the headers of a part cannot be read\")",
    );
    check_form("--b\r\n\r\n1\r\n--b--", ENDS);
    check_form("--bc\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--bc--", ENDS);
}

#[track_caller]
fn check_names(disposition: &str, expected: &str) {
    check_form(&format!("--b\r\nContent-Disposition: {disposition}\r\n\r\n1\r\n--b--"), expected);
}

#[test]
fn names_are_read_as_clients_write_them() {
    check_names("form-data; name=a", "a=1");
    check_names(r#"form-data; name="a;b""#, "a;b=1");
    check_names(r#"form-data; name="a%22b""#, "a\"b=1");
    check_names(r#"form-data; name="a\"b""#, "a\"b=1");
    check_names(r#"form-data; name="""#, "=1");
    check_names(r#"Form-Data; name="support_documents[]""#, "support_documents[]=1");
    check_names(r#"form-data; name="f"; filename="a.pdf""#, "f(a.pdf,-)=1");
    check_names(r#"form-data; name="f"; filename="a; \"b\".pdf""#, "f(a; \"b\".pdf,-)=1");
    check_names(r#"form-data; name="f"; filename="a%22b%25.pdf""#, "f(a\"b%25.pdf,-)=1");
    check_names(r#"form-data; name="f"; filename="Vertrag für.pdf""#, "f(Vertrag für.pdf,-)=1");
    check_names(r#"form-data; name="f"; filename="""#, "f(,-)=1");
    check_names(r#"form-data; name="f"; size=3"#, "f=1");
}

/// RFC 7578, section 4.2: senders must not use it, so receivers do not.
#[test]
fn an_extended_file_name_is_ignored() {
    check_names(
        "form-data; name=f; filename=x.pdf; filename*=utf-8'de'f%C3%BCr.pdf",
        "f(x.pdf,-)=1",
    );
    check_names("form-data; name=f; filename*=UTF-8''x.pdf", "f=1");
    check_names(
        "form-data; filename*=utf-8'de'f%C3%BCr.exe; name*=UTF-8''g; name=f; filename=\"x.pdf\"",
        "f(x.pdf,-)=1",
    );
    check_names(
        r#"form-data; name=f; x="filename=\"y.exe\"; filename=z"; filename=x.pdf"#,
        "f(x.pdf,-)=1",
    );
}

#[test]
fn paths_are_stripped_to_their_last_segment() {
    check_names(r#"form-data; name="f"; filename="../../etc/passwd""#, "f(passwd,-)=1");
    check_names(r#"form-data; name="f"; filename="C:\docs\nda.docx""#, "f(nda.docx,-)=1");
}

#[test]
fn what_names_nothing_is_refused() {
    const NAMELESS: &str = "Malformed(\"a part has no `name`\")";
    check_names("form-data", NAMELESS);
    check_names("form-data; filename=a", NAMELESS);
    check_names("form-data; name", NAMELESS);
    check_names(r#"form-data; name="a"#, NAMELESS);
    check_names("form-data; name*=UTF-8''a", NAMELESS);
    check_names(
        "attachment; name=a",
        "Malformed(\"the disposition of a part is not `form-data`\")",
    );
}

fn parts(count: usize, text: &str, file: Option<&str>) -> String {
    let file = file.map(|name| format!("; filename={name}")).unwrap_or_default();
    let part = format!("--b\r\nContent-Disposition: form-data; name=a{file}\r\n\r\n{text}\r\n");
    format!("{}--b--\r\n", part.repeat(count))
}

#[test]
fn limits_hold_on_both_sides_of_each() {
    check_form(&parts(3, "1", None), "a=1 a=1 a=1");
    check_form(&parts(4, "1", None), "TooLarge");
    check_form(&parts(1, &"1".repeat(20), None), &format!("a={}", "1".repeat(20)));
    check_form(&parts(1, &"1".repeat(21), None), "TooLarge");
    let file = |text: &str| parts(1, text, Some("x"));
    check_form(&file(&"1".repeat(40)), &format!("a(x,-)={}", "1".repeat(40)));
    check_form(&file(&"1".repeat(41)), &format!("a(x,-)={}!", "1".repeat(40)));
    let with_epilogue = |length: usize| {
        let sound = parts(1, "1", None);
        format!("{sound}{}", "e".repeat(length - sound.len()))
    };
    check_form(&with_epilogue(2_000), "a=1");
    check_form(&with_epilogue(2_001), "TooLarge");
    check_form(&parts(1, &"1".repeat(2_000), Some("x")), "TooLarge");
}

#[test]
fn whole_bodies_are_bounded() {
    let reading = Reading::Whole { bytes_max: 4 };
    check(&HeaderMap::new(), "", reading, "");
    check(&HeaderMap::new(), "1234", reading, "1234");
    check(&HeaderMap::new(), "12345", reading, "TooLarge");
    check(&HeaderMap::new(), "12345", Reading::Drain, "empty");
}

#[test]
fn less_than_declared_is_truncated() {
    let declared = |length: u64| HeaderMap::from_iter([(CONTENT_LENGTH, length.into())]);
    let reading = Reading::Whole { bytes_max: 9 };
    check(&declared(4), "1234", reading, "1234");
    check(&declared(5), "1234", reading, "Truncated");
    check(&declared(10), "1234", reading, "TooLarge");
    let mut headers = form();
    headers.insert(CONTENT_LENGTH, 500.into());
    check(&headers, &parts(1, "1", None)[..30], Reading::Multipart(LIMITS), "Truncated");
    check(&headers, &parts(1, "1", None), Reading::Multipart(LIMITS), "Truncated");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_ends_by_time() {
    let started = tokio::time::Instant::now();
    let first = stream::iter([Ok::<_, io::Error>(Frame::data(Bytes::from("--b\r\n")))]);
    let body = StreamBody::new(first.chain(stream::pending()));
    let read = read_from(body, &form(), Reading::Multipart(LIMITS), &Store::default()).await;
    assert_eq!(shown(&read), "Truncated");
    assert_eq!(started.elapsed().as_secs(), BodyTimes::default().stall_max.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_drips_ends_by_time() {
    let started = tokio::time::Instant::now();
    let drip = stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_secs(9)).await;
        Some((Ok::<_, io::Error>(Frame::data(Bytes::from("1"))), ()))
    });
    let body = StreamBody::new(Box::pin(drip));
    let reading = Reading::Whole { bytes_max: 1_000_000 };
    let read = read_from(body, &HeaderMap::new(), reading, &Store::default()).await;
    assert_eq!(shown(&read), "Truncated");
    assert_eq!(started.elapsed().as_secs(), BodyTimes::default().grace.as_secs());
}

/// At the least rate a body is given up only when its whole time is over.
#[tokio::test(start_paused = true)]
async fn a_slow_body_of_the_least_rate_ends_by_time() {
    let started = tokio::time::Instant::now();
    let slow = stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Some((Ok::<_, io::Error>(Frame::data(Bytes::from(vec![b'1'; 10 * 1024]))), ()))
    });
    let body = StreamBody::new(Box::pin(slow));
    let reading = Reading::Whole { bytes_max: 1_000_000_000 };
    let read = read_from(body, &HeaderMap::new(), reading, &Store::default()).await;
    assert_eq!(shown(&read), "Truncated");
    assert_eq!(started.elapsed().as_secs(), BodyTimes::default().total_max.as_secs());
}

#[tokio::test]
async fn a_connection_that_breaks_truncates() {
    let first = Ok(Frame::data(Bytes::from("--b\r\n")));
    let body = StreamBody::new(stream::iter([first, Err(io::ErrorKind::ConnectionReset)]));
    let body = http_body_util::BodyExt::map_err(body, io::Error::from);
    let read = read_from(body, &form(), Reading::Multipart(LIMITS), &Store::default()).await;
    assert_eq!(shown(&read), "Truncated");
}

/// A boundary is found wherever the body is cut into two pieces.
#[test]
fn a_boundary_is_found_across_any_cut() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let content = "1\r\r\n\r\n-\r\n--\r\n--c\r\r\n--\r";
    let body = format!("{}--b--", parts(2, content, Some("x")).trim_end_matches("--b--\r\n"));
    let expected = format!("a(x,-)={content} a(x,-)={content}");
    for cut in 0..body.len() {
        let pieces =
            [&body[..cut], &body[cut..]].map(|piece| Bytes::copy_from_slice(piece.as_bytes()));
        let frames = stream::iter(pieces).map(|piece| Ok::<_, Infallible>(Frame::data(piece)));
        let (headers, store) = (form(), Store::default());
        let read = read_from(StreamBody::new(frames), &headers, Reading::Multipart(LIMITS), &store);
        assert_eq!(shown(&runtime.block_on(read)), expected, "cut at {cut}");
    }
}

const WIDE: MultipartLimits = MultipartLimits {
    parts_max: 3,
    text_bytes_max: 20,
    part_bytes_max: 200_000_000,
    body_bytes_max: 300_000_000,
};

/// Received bytes are on disk, except for the last pieces. Measured at each request for a piece.
#[tokio::test]
async fn a_hundred_megabytes_stream_into_a_temporary_file() {
    const PIECE: usize = 100_000;
    const PIECES: u64 = 1_000;
    let (store, sent, held_max) =
        (Arc::new(Store::default()), AtomicU64::new(0), Arc::new(AtomicU64::new(0)));
    let head = "--b\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n";
    let (watched, held) = (store.clone(), held_max.clone());
    let zeros = stream::repeat(Bytes::from(vec![0; PIECE])).take(1_000).inspect(move |piece| {
        let before = sent.fetch_add(piece.len() as u64, Ordering::Relaxed);
        held.fetch_max(before.saturating_sub(bytes_on_disk(&watched)), Ordering::Relaxed);
    });
    let pieces = stream::iter([Bytes::from(head)])
        .chain(zeros)
        .chain(stream::iter([Bytes::from("\r\n--b--\r\n")]));
    let body = StreamBody::new(pieces.map(|piece| Ok::<_, Infallible>(Frame::data(piece))));
    let read = read_from(body, &form(), Reading::Multipart(WIDE), &store).await;
    let call::Body::Multipart(parts) = read else { panic!("{}", shown(&read)) };
    let content = parts[0].content.clone();
    drop(parts);
    assert_eq!((content.length, bytes_on_disk(&store)), (PIECES * PIECE as u64, 100_000_000));
    let held = held_max.load(Ordering::Relaxed);
    assert!(held <= 4 * PIECE as u64, "{held} bytes were held in memory");
    drop(content);
    assert_eq!(bytes_on_disk(&store), 0);
}

#[tokio::test]
async fn only_a_part_above_the_threshold_goes_to_a_file() {
    for (length, is_file) in [(MEMORY_BYTES_MAX, false), (MEMORY_BYTES_MAX + 1, true)] {
        let store = Store::default();
        let body = parts(1, &"1".repeat(length), Some("x"));
        let body = in_pieces(body.as_bytes(), 10_000);
        let read = read_from(body, &form(), Reading::Multipart(WIDE), &store).await;
        let call::Body::Multipart(parts) = read else { panic!("{}", shown(&read)) };
        let content = &parts[0].content;
        assert_eq!(matches!(content.place, ContentPlace::File { .. }), is_file, "{length}");
        assert_eq!(content.digest[..], Sha256::digest(vec![b'1'; length])[..]);
        assert_eq!(store.path().is_some(), is_file);
    }
}

fn bytes_on_disk(store: &Store) -> u64 {
    let Some(path) = store.path() else { return 0 };
    let files = std::fs::read_dir(path).expect("the folder exists");
    files.map(|file| file.and_then(|file| file.metadata()).map_or(0, |data| data.len())).sum()
}

/// The reader holds bytes that may belong to a boundary. Their number must not grow with the body.
#[test]
fn a_preamble_or_headers_without_end_are_refused() {
    const EXPECTED: &str = "Malformed(\"no part begins, or the headers of a part never end\")";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    for start in ["", "--b\r\nContent-Disposition: form-data; name=a\r\nX-Long: "] {
        for (length, is_refused) in [(60_000, false), (400_000, true)] {
            let body = format!("{start}{}", "x".repeat(length));
            let body = in_pieces(body.as_bytes(), 1_000);
            let (headers, store) = (form(), Store::default());
            let read = read_from(body, &headers, Reading::Multipart(WIDE), &store);
            assert_eq!(shown(&runtime.block_on(read)) == EXPECTED, is_refused, "{start} {length}");
        }
    }
}
