//! Acts that upload by address (§4.9): a public one that the target is bound to, what is none, what lies
//! inside a network; and, on a moot mock, one whose bytes it was told of before.
//!
//! What is refused is never an address that could answer: nothing is asked of a stranger's server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use moot_fixtures::contract::Operation;
use serde_json::{Value, json};

use super::act::Address;
use super::creating::{then_listed, then_readable};
use super::steps::{literal, one};

/// The public address of the target file, or the one that every mock takes.
const BOUND: &str = "<bindings.document_url>";

/// The steps of an upload by this address.
pub(super) fn upload(address: &Address, number: usize) -> Vec<Value> {
    match address {
        Address::Bound => sound(),
        Address::Registered(text) => registered(text, number),
        Address::NotHttps(text) => refused(
            "an upload by an address that is not https",
            json!([part(literal(text))]),
            "create-repository-document.https-only",
        ),
        Address::Inside { host, path } => refused(
            "an upload by an address inside a network",
            json!([part(format!("https://{host}/{path}").into())]),
            "create-repository-document.private-addresses-blocked",
        ),
        Address::BesideFile => refused(
            "an upload of a file and an address",
            json!([{ "name": "file", "file": "agreement.pdf" }, part(BOUND.into())]),
            "create-repository-document.not-both",
        ),
    }
}

fn part(address: Value) -> Value {
    json!({ "name": "url", "text": address })
}

fn call(name: &str, parts: Value) -> Value {
    json!({
        "name": name, "request": "POST /v1/repository_documents", "token": "write",
        "multipart": { "parts": parts },
    })
}

fn refused(name: &str, parts: Value, row: &str) -> Vec<Value> {
    let mut step = call(name, parts);
    step["unchanged"] = json!(["GET /v1/repository_documents"]);
    step["expect"] = one(row, json!({ "status": { "min": 400, "max": 499 } }));
    vec![step]
}

fn sound() -> Vec<Value> {
    let mut step = call("an upload by address", json!([part(BOUND.into())]));
    step["expect"] = json!({
        "create-repository-document.url-accepted": { "status": { "min": 200, "max": 299 } },
    });
    step["capture"] = json!({ "created": "/data/id", "created_name": "/data/name" });
    let mut steps = vec![step, then_readable()];
    let row = "create-repository-document.then-listed";
    steps.extend(then_listed(Operation::ListRepositoryDocuments, row));
    vec![json!({ "for_each": { "once": [1] }, "steps": steps })]
}

/// What the mock is told that an address holds comes back from the document that was uploaded by it.
fn registered(text: &str, number: usize) -> Vec<Value> {
    let address = format!("https://documents.example.com/moot-<run.tag>-{number}.pdf");
    let bytes = STANDARD.encode(format!("%PDF-1.4\n% {text}\n%%EOF\n"));
    let mut step = call(
        "an upload by an address that holds something",
        json!([part(address.as_str().into())]),
    );
    step["expect"] = json!({
        "create-repository-document.url-accepted": { "status": { "min": 200, "max": 299 } },
    });
    step["capture"] = json!({ "created": "/data/id", "created_name": "/data/name" });
    let mut read = then_readable();
    read["capture"] = json!({ "agreement": "/data/attributes/agreement_url" });
    vec![
        json!({
            "name": "what an address holds",
            "admin": "PUT /addresses",
            "json": { "url": address, "base64": bytes, "content_type": "application/pdf" },
        }),
        step,
        read,
        json!({
            "name": "what the document holds",
            "request": "GET <agreement>", "token": "read",
            "expect": { "get-repository-document.agreement-url-returns-the-fetched": {
                "status": 200, "body": { "contains": literal(text) },
            } },
        }),
    ]
}
