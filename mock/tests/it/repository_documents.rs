//! Uploads and downloads of §4.9 to §4.11.

use moot_fixtures::contract::UrlDocumentName;
use moot_mock::call::Part;
use moot_mock::control::{AddressContent, ControlAction};
use serde_json::json;

use crate::support::{
    BASE_URL, Bench, as_cut, bench, bench_answering, file, file_of, get, post, text,
};

/// Checks status, problem and detail of an upload, and that only a success stores a document.
#[track_caller]
fn check(bench: &Bench, parts: Vec<Part>, expected: (u16, &str), said: &str) -> Option<String> {
    let count = || bench.get("/v1/repository_documents").value("/pagination/total_count").as_u64();
    let before = count().expect("a number");
    let response = bench
        .send(&post("/v1/repository_documents").token(&bench.token()).multipart(parts.clone()));
    let (status, problem) = response.outcome();
    assert_eq!((status, problem.as_str()), expected, "{parts:?} {response:?}");
    assert_eq!(count(), Some(before + u64::from(status < 300)));
    if status < 300 {
        assert_eq!(response.value("/success"), true);
        return Some(response.text("/data/id"));
    }
    assert!(response.text("/detail").contains(said), "{response:?}");
    None
}

const CREATED: (u16, &str) = (201, "");
const MISSING: (u16, &str) = (400, "parameter_missing");
const UNPROCESSABLE: (u16, &str) = (422, "repository_document_creation_error");

fn by_address(url: &str) -> Vec<Part> {
    vec![text("url", url)]
}

#[test]
fn a_file_is_kept_with_its_metadata_and_comes_back_byte_for_byte() {
    let bench = bench();
    let metadata = r#"{"agreement_url": "x\"agreement_url\":\"", "nested": {"a": [1, null]}}"#;
    let parts = vec![file("file", "Größe “a”.pdf"), text("metadata", metadata)];
    let id = check(&bench, parts, CREATED, "").expect("it was created");
    let read = bench.get(&format!("/v1/repository_documents/{id}")).ok();
    assert_eq!(read.text("/data/attributes/name"), "Größe “a”.pdf");
    assert_eq!(read.text("/data/attributes/created_at"), "2026-03-05T14:30:00Z");
    let sent: serde_json::Value = serde_json::from_str(metadata).expect("sound JSON");
    assert_eq!(read.value("/data/attributes/custom_fields"), sent);
    assert_eq!(read.value("/data/relationships/legal_request/data"), json!(null));
    let address = read.text("/data/attributes/agreement_url");
    let path = address.strip_prefix(BASE_URL).expect("below the base address");
    let download = bench.send(&get(path)).ok();
    assert_eq!(download.body, "some bytes");
    assert_eq!(download.header("content-type"), "application/pdf");
    let disposition = download.header("content-disposition");
    assert!(disposition.starts_with("attachment; filename=\"Gr__e _a_.pdf\""), "{disposition}");
    assert!(disposition.contains("filename*=UTF-8''Gr%C3%B6%C3%9Fe"), "{disposition}");
}

#[test]
fn a_download_is_unguessable_and_asks_for_a_token_by_answer() {
    let bench = bench_answering(|answers| answers.agreement_download.token = true);
    let list = bench.get("/v1/repository_documents");
    let address = list.text("/data/0/attributes/agreement_url");
    let path = address.strip_prefix(BASE_URL).expect("below the base address");
    let outcome = |path: &str, token: &str| bench.send(&get(path).token(token)).outcome().0;
    assert_eq!(bench.send(&get(path)).status, 401);
    assert_eq!(outcome(path, &bench.token()), 200);
    assert_eq!(outcome(path, &bench.token_of("other-main", "read")), 404);
    let id = list.text("/data/0/id");
    for guess in
        [format!("/agreements/{id}"), path[..path.len() - 1].to_owned(), format!("{path}x")]
    {
        assert_eq!(outcome(&guess, &bench.token()), 404, "{guess}");
    }
}

#[test]
fn exactly_one_of_file_and_url_is_given() {
    let bench = bench();
    check(&bench, Vec::new(), MISSING, "file or URL is required");
    check(&bench, vec![text("metadata", "{}")], MISSING, "file or URL is required");
    check(&bench, vec![text("url", "")], MISSING, "file or URL is required");
    check(&bench, vec![file_of("file", "", 0)], MISSING, "has no file name");
    check(&bench, vec![file_of("file", "a.pdf", 0)], MISSING, "`file` is empty");
    let both = vec![file("file", "a.pdf"), text("url", "https://files.example/a.pdf")];
    check(&bench, both.clone(), MISSING, "not both");
    check(&bench, vec![file("file", "a.pdf"), file("file", "b.pdf")], MISSING, "more than once");
    check(&bench, vec![text("file", "text")], MISSING, "must be a file");
    for (status, problem) in [(422, "repository_document_creation_error"), (409, "conflict")] {
        let other = bench_answering(|answers| answers.file_and_url = status);
        check(&other, both.clone(), (status, problem), "not both");
    }
}

#[test]
fn files_have_an_accepted_type_and_size() {
    let bench = bench();
    for name in ["a.pdf", "a.docx", "a.doc", "a.rtf", "a.odt", "a.txt", "a.TXT"] {
        check(&bench, vec![file("file", name)], CREATED, "");
    }
    for name in ["a.exe", "a.png", "a", "pdf", ".pdf", "a.pdf.zip"] {
        check(&bench, vec![file("file", name)], UNPROCESSABLE, "file type");
    }
    let sized = |length| vec![file_of("file", "a.pdf", length)];
    check(&bench, sized(104_857_600), CREATED, "");
    check(&bench, sized(104_857_601), (413, "content_too_large"), "104857600");
    check(&bench, as_cut(sized(104_857_600)), (413, "content_too_large"), "104857600");
}

#[test]
fn metadata_is_a_json_object() {
    let bench = bench();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for metadata in ["[]", "1", "no JSON", "null", r#"{"a": }"#, deep.as_str()] {
        let parts = vec![file("file", "a.pdf"), text("metadata", metadata)];
        check(&bench, parts, UNPROCESSABLE, "metadata");
    }
    let parts = |metadata: &str| vec![file("file", "a.pdf"), text("metadata", metadata)];
    check(&bench, parts("[]"), UNPROCESSABLE, "object: not an object");
    check(&bench, parts(r#"{"a": "\ud83d"}"#), UNPROCESSABLE, "hex escape");
    check(&bench, parts("{}"), CREATED, "");
    check(&bench, parts(""), CREATED, "");
    let bench = bench_answering(|answers| answers.request_field_invalid = 400);
    check(&bench, parts("[]"), MISSING, "metadata");
}

#[test]
fn addresses_that_are_not_public_and_https_are_refused() {
    let bench = bench();
    for url in [
        "http://files.example/a.pdf",
        "ftp://files.example/a.pdf",
        "file:///etc/passwd",
        "files.example/a.pdf",
        "https://",
        "//files.example/a.pdf",
        "data:text/plain,x",
        "https://user@files.example/a.pdf",
        "https://files.example:0/a.pdf",
        "https://user:secret@files.example/a.pdf",
        "https://localhost/a.pdf",
        "https://LOCALHOST./a.pdf",
        "https://a.localhost/a.pdf",
        "https://printer.local/a.pdf",
        "https://db.internal/a.pdf",
        "https://x.home.arpa/a.pdf",
        "https://intranet/a.pdf",
        "https://nowhere.invalid/a.pdf",
        "https://127.0.0.1/a.pdf",
        "https://127.1/a.pdf",
        "https://2130706433/a.pdf",
        "https://0x7f.0.0.1/a.pdf",
        "https://0177.0.0.1/a.pdf",
        "https://0/a.pdf",
        "https://%31%32%37.0.0.1/a.pdf",
        "https://127。0。0。1/a.pdf",
        "https://10.1.2.3/a.pdf",
        "https://172.16.0.1/a.pdf",
        "https://172.31.255.255/a.pdf",
        "https://192.168.1.1/a.pdf",
        "https://169.254.169.254/a.pdf",
        "https://100.64.0.1/a.pdf",
        "https://198.18.0.1/a.pdf",
        "https://192.0.2.1/a.pdf",
        "https://203.0.113.9/a.pdf",
        "https://224.0.0.1/a.pdf",
        "https://255.255.255.255/a.pdf",
        "https://240.0.0.1/a.pdf",
        "https://[::1]/a.pdf",
        "https://[::]/a.pdf",
        "https://[fe80::1]/a.pdf",
        "https://[fc00::1]/a.pdf",
        "https://[::ffff:127.0.0.1]/a.pdf",
        "https://[::ffff:8.8.8.8]/a.pdf",
        "https://[64:ff9b::7f00:1]/a.pdf",
        "https://[2002:7f00:1::]/a.pdf",
        "https://[2001::1]/a.pdf",
        "https://[2001:db8::1]/a.pdf",
        "https://[ff02::1]/a.pdf",
        "https://[3fff::1]/a.pdf",
    ] {
        check(&bench, by_address(url), UNPROCESSABLE, "public https");
    }
    for url in [
        "https://files.example/a.pdf",
        "https://8.8.8.8/a.pdf",
        "https://172.32.0.1/a.pdf",
        "https://100.128.0.1/a.pdf",
        "https://[2606:4700::1]/a.pdf",
        "https://files.example:8443/a.pdf",
        "HTTPS://FILES.EXAMPLE/a.pdf",
        "https://notlocal.example/a.pdf",
        "https://mylocalhost.example/a.pdf",
    ] {
        check(&bench, by_address(url), CREATED, "");
    }
    let long = format!("https://files.example/{}.pdf", "a".repeat(2048));
    check(&bench, by_address(&long), UNPROCESSABLE, "2,048");
    let other = bench_answering(|answers| answers.url_refused = 403);
    check(&other, by_address("http://files.example/a.pdf"), (403, "forbidden"), "https");
}

#[test]
fn a_document_by_address_is_named_by_answer() {
    for (choice, url, name) in [
        (UrlDocumentName::LastSegment, "https://files.example/x/a%20%C3%A4.pdf?q=1#f", "a ä.pdf"),
        (UrlDocumentName::LastSegment, "https://files.example/x/y/", "y"),
        (UrlDocumentName::LastSegment, "https://files.example", "files.example"),
        (UrlDocumentName::Host, "https://files.example/x/a.pdf", "files.example"),
    ] {
        let bench = bench_answering(|answers| answers.url_document_name = choice);
        let id = check(&bench, by_address(url), CREATED, "").expect("it was created");
        let read = bench.get(&format!("/v1/repository_documents/{id}"));
        assert_eq!(read.text("/data/attributes/name"), name);
    }
    check(&bench(), by_address("https://files.example/a.exe"), UNPROCESSABLE, "file type");
}

#[test]
fn an_address_gives_its_registered_bytes() {
    let bench = bench();
    let put = |url: &str, content_type: Option<&str>| {
        bench.ask(ControlAction::PutAddress(AddressContent {
            url: url.to_owned(),
            text: Some("registered".to_owned()),
            content_type: content_type.map(str::to_owned),
            ..AddressContent::default()
        }))
    };
    put("https://files.example/a.pdf", None).expect("an https address");
    put("https://files.example/page", Some("text/html")).expect("an https address");
    put("https://files.example/paper", Some("application/pdf")).expect("an https address");
    assert_eq!(put("http://files.example/a.pdf", None).expect_err("no https").status, 422);
    let download = |id: &str| {
        let read = bench.get(&format!("/v1/repository_documents/{id}"));
        let address = read.text("/data/attributes/agreement_url");
        bench.send(&get(&address[BASE_URL.len()..])).ok().body
    };
    let id = check(&bench, by_address("https://FILES.example/a.pdf"), CREATED, "");
    assert_eq!(download(&id.expect("created")), "registered");
    let id = check(&bench, by_address("https://files.example/other.pdf"), CREATED, "");
    assert!(download(&id.expect("created")).starts_with(b"%PDF-1.4"), "a placeholder");
    check(&bench, by_address("https://files.example/page"), UNPROCESSABLE, "file type");
    check(&bench, by_address("https://files.example/paper"), CREATED, "");
}

#[test]
fn the_success_status_is_an_answer() {
    let bench = bench_answering(|answers| answers.upload_success_status = 200);
    check(&bench, vec![file("file", "a.pdf")], (200, ""), "");
}
