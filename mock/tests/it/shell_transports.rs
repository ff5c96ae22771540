//! The same calls give the same responses on every transport.

use bytes::Bytes;
use http::Request;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, HeaderMap};
use http_body_util::{BodyExt, Full};
use moot_mock::embed;
use moot_mock::shell::ServeLimits;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer};

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, TestResponse, form, own_path, request, send, served, site, token,
};

/// A conversation. It does not contain the value of `<token>`, because equal worlds issue equal tokens.
fn calls(token: &str) -> Vec<Request<Full<Bytes>>> {
    let upload = form(&["file@notes.txt=Some text", "metadata={\"a\":1}"]);
    let large = "x".repeat(200_000);
    let large = form(&[&format!("file@large.txt={large}")]);
    let form_type = "application/x-www-form-urlencoded";
    let secret = "grant_type=client_credentials&client_id=demo-reader&\
                  client_secret=demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T";
    vec![
        request("POST /api/oauth/token", "", Some((form_type, secret.into()))),
        request("POST /api/oauth/token", "", Some((form_type, "grant_type=x".into()))),
        request("GET /api/v1/workflows?page=1&status=published", token, None),
        request("GET /api/v1/workflows?page=0", token, None),
        request("GET /api/v1/workflows/wfMutualNda1/schema", token, None),
        request("POST /api/v1/requests", token, Some(form(LEGAL_REQUEST))),
        request("POST /api/v1/requests", token, Some(form(&["workflow_id=nope"]))),
        request("POST /api/v1/requests", token, Some(("multipart/form-data", Vec::new()))),
        request("GET /api/v1/requests?page=2", token, None),
        request("POST /api/v1/repository_documents", token, Some(upload)),
        request("POST /api/v1/repository_documents", token, Some(large)),
        request("GET /api/v1/repository_documents", token, None),
        request("GET /api/v1/webhooks", token, None),
        request("DELETE /api/v1/webhooks/nope", token, None),
        request("DELETE /api/v1/workflows", token, None),
        request("GET /api/v1/requests/a%20b%2F%3F?x=%26", token, None),
        request("GET /api/v1/requests", "", None),
        request("GET /api/v1/requests", "wrong", None),
        request("GET /api/nowhere?q=1", token, None),
        request("GET /nowhere", token, None),
        request("GET /api", token, None),
        request("GET /api/__admin/world", "", None),
        request("GET /api/__admin/nowhere", "", None),
        request("POST /api/__admin/clock", "", Some(("application/json", b"{".to_vec()))),
    ]
}

async fn over_http(authority: &str, request: Request<Full<Bytes>>) -> TestResponse {
    let (head, body) = request.into_parts();
    let body = body.collect().await.expect("it is in memory").to_bytes();
    let url = format!("http://{authority}{}", head.uri);
    let client = crate::shell_support::client().build().expect("a client");
    let mut call = client.request(head.method, url).headers(head.headers);
    if !body.is_empty() {
        call = call.body(body);
    }
    let response = call.send().await.expect("a response");
    let (status, headers) = (response.status(), response.headers().clone());
    TestResponse { status, headers, body: response.bytes().await.expect("a body") }
}

/// Removes headers that depend on the connection. In the control plane `date` is one of them.
fn comparable(line: &str, response: TestResponse) -> TestResponse {
    let mut headers: HeaderMap = response.headers;
    headers.remove(CONTENT_LENGTH);
    headers.remove(CONNECTION);
    if line.contains("/__admin") {
        headers.remove(DATE);
    }
    TestResponse { headers, ..response }
}

#[tokio::test]
async fn site_http_and_wiremock_answer_alike() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (in_process, behind_http, behind_wiremock) = (site(), site(), site());
    let served = served(&behind_http, ServeLimits::default()).await;
    let http = served.address.to_string();
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(embed::responder(&behind_wiremock)).mount(&server).await;
    let wiremock = server.address().to_string();

    let main = token(&in_process, BASE, MAIN).await;
    assert_eq!(main, token(&behind_http, BASE, MAIN).await);
    assert_eq!(main, token(&behind_wiremock, BASE, MAIN).await);
    for call in calls(&main) {
        let line = format!("{} {}", call.method(), call.uri());
        let expected = comparable(&line, send(&in_process, call.clone()).await);
        assert_eq!(
            comparable(&line, over_http(&http, call.clone()).await),
            expected,
            "HTTP: {line}"
        );
        assert_eq!(
            comparable(&line, over_http(&wiremock, call).await),
            expected,
            "wiremock: {line}"
        );
    }

    // The newest document is the large upload. It is streamed from a file.
    let list = send(&in_process, request("GET /api/v1/repository_documents", &main, None)).await;
    let url = list.text("/data/0/attributes/agreement_url");
    let line = format!("GET {}", own_path(&url));
    let expected = comparable(&line, send(&in_process, request(&line, "", None)).await);
    assert_eq!(expected.body, "x".repeat(200_000));
    for authority in [&http, &wiremock] {
        let response = over_http(authority, request(&line, "", None)).await;
        assert_eq!(comparable(&line, response), expected, "{authority}");
    }
}

#[tokio::test]
async fn outside_its_base_path_is_the_problem_of_an_unknown_path() {
    let site = site();
    let unknown = send(&site, request("GET /api/nowhere", "", None)).await;
    for target in ["/", "/nowhere", "/apis/v1/requests", "/v1/requests"] {
        let response = send(&site, request(&format!("GET {target}?q=1"), "", None)).await;
        assert_eq!((response.status, &response.headers), (unknown.status, &unknown.headers));
        assert_eq!(response.text("/instance"), target);
        assert_eq!(response.text("/detail"), unknown.text("/detail"));
        assert_ne!(response.text("/request_id"), unknown.text("/request_id"));
    }
}
