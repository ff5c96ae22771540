//! The files and the body of §4.5: types, sizes, merging, and bodies that can't be read.

use moot_mock::call::{Body, BodyFault};

use crate::create_legal_request::{CREATED, INVALID, MISSING, check, sent, third_party, with};
use crate::support::{Sent, as_cut, bench, bench_answering, file, file_of};

#[test]
fn the_third_party_document_has_an_accepted_type() {
    let bench = bench();
    for (name, expected) in [
        ("terms.pdf", CREATED),
        ("terms.PDF", CREATED),
        ("a.b.docx", CREATED),
        ("terms.exe", INVALID),
        ("terms", INVALID),
        ("terms.", INVALID),
        (".pdf", INVALID),
    ] {
        let mut parts = third_party();
        parts.retain(|part| part.name != "file");
        parts.push(file("file", name));
        check(&bench, parts, expected, "file type");
    }
    let mut empty = third_party();
    empty.retain(|part| part.name != "file");
    empty.push(file_of("file", "terms.pdf", 0));
    check(&bench, empty, MISSING, "file");
}

#[test]
fn support_documents_are_of_any_format_and_of_100_mb_at_most() {
    let bench = bench();
    let support = |length| {
        let mut parts = with(&[]);
        parts.push(file("support_documents[]", "Größe “final”.xyz"));
        parts.push(file_of("support_documents[]", "archive.bin", length));
        parts
    };
    check(&bench, support(100_000_000), CREATED, "");
    check(&bench, support(104_857_600), CREATED, "");
    check(&bench, support(104_857_601), INVALID, "104857600");
    check(&bench, as_cut(support(104_857_600)), INVALID, "104857600");
    let strict = bench_answering(|answers| {
        answers.support_document_size.bytes_max = 100_000_000;
        answers.support_document_size.status = 413;
    });
    check(&strict, support(100_000_000), CREATED, "");
    check(&strict, support(100_000_001), (413, "content_too_large"), "100000000");
}

#[test]
fn only_true_merges_and_only_pdf_and_docx_are_merged() {
    let bench = bench();
    for (value, merged) in [("true", true), ("True", false), ("1", false), ("", false)] {
        let mut parts = with(&[("merge_documents_into_pdf", &[value])]);
        for name in ["a.pdf", "b.docx", "c.png"] {
            parts.push(file("support_documents[]", name));
        }
        let response = bench.send(&sent(&bench, parts)).ok();
        let known = bench.known(&response.text("/data/id"));
        assert_eq!(known["merge"], merged, "{value}");
        let files = known["files"].as_array().expect("a list").iter();
        let dispositions: Vec<&str> =
            files.filter_map(|file| file["disposition"].as_str()).collect();
        let merged = if merged { "merged" } else { "attached" };
        assert_eq!(dispositions, [merged, merged, "attached"]);
    }
}

#[test]
fn bodies_that_can_not_be_read_are_refused() {
    let bench = bench();
    let call = sent(&bench, Vec::new());
    let with_type = |content_type: Option<&str>, body: Body| {
        let mut sent = call.clone();
        sent.headers.remove("content-type");
        match content_type {
            Some(value) => Sent { body, ..sent.header("content-type", value) },
            None => Sent { body, ..sent },
        }
    };
    const MULTIPART: Option<&str> = Some("multipart/form-data; boundary=moot");
    let unsupported = (415, "unsupported_media_type");
    for (content_type, body, expected) in [
        (Some("multipart/form-data"), Body::Broken(BodyFault::NoBoundary), MISSING),
        (Some("application/json"), Body::Broken(BodyFault::WrongMediaType), unsupported),
        (None, Body::Broken(BodyFault::NoBoundary), MISSING),
        (None, Body::Empty, MISSING),
        (MULTIPART, Body::Broken(BodyFault::Truncated), MISSING),
        (MULTIPART, Body::Broken(BodyFault::Malformed("no closing delimiter")), MISSING),
        (MULTIPART, Body::Broken(BodyFault::TooLarge), (413, "content_too_large")),
        (MULTIPART, Body::Multipart(Vec::new()), MISSING),
    ] {
        let response = bench.send(&with_type(content_type, body.clone()));
        let (status, problem) = response.outcome();
        assert_eq!((status, problem.as_str()), expected, "{content_type:?} {body:?}");
    }
}
