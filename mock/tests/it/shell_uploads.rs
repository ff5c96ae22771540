//! Uploads over a socket: broken ones are refused and leave no data, and large ones are streamed.

use moot_mock::shell::{ServeLimits, Site};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::shell_support::{
    BASE, LEGAL_REQUEST, Served, call, form, own_path, served, site_with_token,
};

/// Sends a `POST` whose `content-length` may be wrong, closes the sending side, and returns the response.
async fn post(
    served: &Served,
    path: &str,
    token: &str,
    content_type: &str,
    declared: usize,
    body: &[u8],
) -> String {
    let mut stream = TcpStream::connect(served.address).await.expect("the server listens");
    let head = format!(
        "POST {BASE}{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {declared}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("the server reads");
    stream.write_all(body).await.expect("the server reads");
    stream.shutdown().await.expect("the sending side closes");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("text, and no reset");
    response
}

async fn counts(site: &Site, token: &str) -> [String; 2] {
    let mut counts = [String::new(), String::new()];
    for (slot, list) in counts.iter_mut().zip(["requests", "repository_documents"]) {
        let response = call(site, &format!("GET {BASE}/v1/{list}"), token).await.ok();
        *slot = response.json()["pagination"]["total_count"].to_string();
    }
    counts
}

const DOCUMENT: &[&str] = &["file@notes.txt=Some text"];

/// Checks that both creating operations refuse a body with a problem, and create nothing.
#[track_caller]
fn check(broken: impl Fn(&str, Vec<u8>) -> (String, usize, Vec<u8>), statuses: &[&str]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let (site, token) = site_with_token().await;
        let served = served(&site, ServeLimits::default()).await;
        let before = counts(&site, &token).await;
        for (path, parts) in
            [("/v1/requests", LEGAL_REQUEST), ("/v1/repository_documents", DOCUMENT)]
        {
            let (sound_type, sound) = form(parts);
            let (content_type, declared, body) = broken(sound_type, sound);
            let response = post(&served, path, &token, &content_type, declared, &body).await;
            let status = response.get(9..12).unwrap_or_default();
            assert!(statuses.contains(&status), "{path}: {response}");
            assert!(response.contains("application/problem+json"), "{path}: {response}");
        }
        assert_eq!(counts(&site, &token).await, before);
    });
}

#[test]
fn a_truncated_body_is_refused() {
    check(|kind, body| (kind.to_owned(), body.len() + 1, body), &["400"]);
    check(|kind, body| (kind.to_owned(), body.len(), body[..body.len() / 2].to_vec()), &["400"]);
    check(|kind, body| (kind.to_owned(), 100_000_000, body[..40].to_vec()), &["400"]);
}

#[test]
fn a_body_without_its_last_boundary_is_refused() {
    let cut = |end: usize| {
        move |kind: &str, body: Vec<u8>| {
            let body = body[..body.len() - end].to_vec();
            (kind.to_owned(), body.len(), body)
        }
    };
    check(cut(4), &["400"]);
    check(cut(8), &["400"]);
    check(cut(20), &["400"]);
}

#[test]
fn a_body_that_is_no_form_is_refused() {
    let typed =
        |kind: &'static str| move |_: &str, body: Vec<u8>| (kind.to_owned(), body.len(), body);
    check(typed("multipart/form-data"), &["400"]);
    check(typed("multipart/form-data; boundary=other"), &["400"]);
    check(typed("multipart/form-data; boundary=b0; boundary=b1"), &["400"]);
    check(typed("application/json"), &["415"]);
    check(typed("multipart/mixed; boundary=b0"), &["415"]);
    check(|kind, _| (kind.to_owned(), 0, Vec::new()), &["400"]);
}

#[test]
fn a_part_without_a_name_is_refused() {
    check(
        |kind, body| {
            let body = String::from_utf8_lossy(&body).replacen("; name=", "; nom=", 1);
            (kind.to_owned(), body.len(), body.into_bytes())
        },
        &["400"],
    );
}

#[test]
fn parts_beyond_all_bounds_are_refused() {
    check(
        |kind, body| {
            let part = "--b0\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n";
            let body = [part.repeat(100_000).into_bytes(), body].concat();
            (kind.to_owned(), body.len(), body)
        },
        &["400", "413", "422"],
    );
}

/// 100,000,000 bytes come back unchanged. The body reader's own test checks that they are streamed.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_megabytes_go_up_and_come_back() {
    const LENGTH: usize = 100_000_000;
    let (site, token) = site_with_token().await;
    let served = served(&site, ServeLimits::default()).await;
    let head =
        "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"big.pdf\"\r\n\r\n";
    let mut body = Vec::with_capacity(LENGTH + 200);
    body.extend_from_slice(head.as_bytes());
    body.resize(head.len() + LENGTH, b'%');
    body.extend_from_slice(b"\r\n--b0--\r\n");
    let kind = "multipart/form-data; boundary=b0";
    let response = post(&served, "/v1/repository_documents", &token, kind, body.len(), &body).await;
    assert!(response.starts_with("HTTP/1.1 201"), "{response}");
    drop(body);
    let list = call(&site, &format!("GET {BASE}/v1/repository_documents"), &token).await.ok();
    let url = list.text("/data/0/attributes/agreement_url");
    let path = own_path(&url);
    let mut stream = TcpStream::connect(served.address).await.expect("the server listens");
    let call = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(call.as_bytes()).await.expect("the server reads");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.expect("the whole response");
    assert!(response.ends_with(&vec![b'%'; LENGTH]));
    assert!(response.len() < LENGTH + 2_000, "{} bytes", response.len());
}

/// RFC 7578, section 4.2, forbids `filename*`.
#[tokio::test]
async fn an_extended_file_name_is_ignored_wherever_it_stands() {
    let (site, token) = site_with_token().await;
    let served = served(&site, ServeLimits::default()).await;
    for names in [
        "filename*=UTF-8''other.exe; filename=\"notes.txt\"",
        "filename=\"notes.txt\"; filename*=UTF-8''other.exe",
    ] {
        let body = format!(
            "--b0\r\nContent-Disposition: form-data; name=\"file\"; {names}\r\n\r\n1\r\n--b0--\r\n"
        );
        let kind = "multipart/form-data; boundary=b0";
        let bytes = body.as_bytes();
        let response =
            post(&served, "/v1/repository_documents", &token, kind, bytes.len(), bytes).await;
        assert!(response.contains("\"name\":\"notes.txt\""), "{names}: {response}");
    }
}
