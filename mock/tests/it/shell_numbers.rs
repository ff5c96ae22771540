//! Numbers that a client sent come back with the same digits, through a real socket.

use moot_mock::shell::ServeLimits;
use serde_json::Value;

use crate::shell_support::{BASE, LEGAL_REQUEST, MAIN, admin, client, form, served, site, token};

const NUMBERS: &str =
    r#"{"big":18446744073709551616,"long":0.1234567890123456789,"form":[1e2,1.10,-0,1E+400]}"#;

/// Makes a call through the socket and returns its response. `body` is posted, if there is one.
async fn text_of(url: &str, bearer: &str, body: Option<(&'static str, Vec<u8>)>) -> String {
    let client = client().build().expect("a client");
    let request = match body {
        Some((kind, body)) => client.post(url).header("content-type", kind).body(body),
        None => client.get(url),
    };
    let response = request.bearer_auth(bearer).send().await.expect("a response");
    assert!(response.status().is_success(), "{url}: {}", response.status());
    response.text().await.expect("a body")
}

fn id(response: &str) -> String {
    let response: Value = serde_json::from_str(response).expect("JSON");
    response["data"]["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn numbers_of_metadata_come_back_as_they_were_sent() {
    let site = site();
    let bearer = token(&site, BASE, MAIN).await;
    let served = served(&site, ServeLimits::default()).await;
    let base = format!("http://{}/api", served.address);
    let documents = format!("{base}/v1/repository_documents");
    let body = form(&["file@notes.txt=Some text", &format!("metadata={NUMBERS}")]);
    let made = id(&text_of(&documents, &bearer, Some(body)).await);
    let exact = format!("\"custom_fields\":{NUMBERS}");
    let urls = [
        format!("{documents}/{made}"),
        documents,
        format!("{base}/__admin/repository_documents/{made}"),
    ];
    for url in urls {
        let body = text_of(&url, &bearer, None).await;
        assert!(body.contains(&exact), "{url}: {body}");
    }
}

#[tokio::test]
async fn numbers_of_variables_are_kept_as_they_were_sent() {
    let site = site();
    let bearer = token(&site, BASE, MAIN).await;
    let served = served(&site, ServeLimits::default()).await;
    let base = format!("http://{}/api", served.address);
    for number in ["18446744073709551616", "1e2", "1.10", "-0", "1E+400"] {
        let variables = format!(
            "variables={{\"purpose\":\"Test\",\"duration\":{number},\"duration_unit\":\"years\"}}"
        );
        let (_, parts) = LEGAL_REQUEST.split_last().expect("variables are the last part");
        let parts: Vec<&str> = parts.iter().copied().chain([variables.as_str()]).collect();
        let made = id(&text_of(&format!("{base}/v1/requests"), &bearer, Some(form(&parts))).await);
        let exact = format!("\"duration\":{number},");
        let shown = text_of(&format!("{base}/__admin/legal_requests/{made}"), &bearer, None).await;
        assert!(shown.contains(&exact), "{shown}");
        let status = serde_json::json!({ "status": "archived", "force": true });
        let moved =
            admin(&site, BASE, &format!("POST /legal_requests/{made}/status"), status).await;
        let moved = String::from_utf8_lossy(&moved.ok().body).into_owned();
        assert!(moved.contains(&exact), "{moved}");
        let documents: Value = serde_json::from_str(
            &text_of(&format!("{base}/v1/repository_documents"), &bearer, None).await,
        )
        .expect("JSON");
        let of_it = |one: &&Value| one["relationships"]["legal_request"]["data"]["id"] == *made;
        let document = documents["data"].as_array().expect("a list").iter().find(of_it);
        let url = document.expect("its document")["attributes"]["agreement_url"].as_str();
        let path = url.expect("an address").split_once("/api/").expect("below the base").1;
        let pdf = text_of(&format!("{base}/{path}"), &bearer, None).await;
        assert!(pdf.contains(&format!("duration: {number}")), "{number}: {pdf}");
    }
}
