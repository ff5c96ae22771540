//! Acts that make something and look for it as another company (§5.6): it is neither seen nor touched.

use moot_fixtures::contract::Operation;
use serde_json::{Value, json};

use super::steps::{PAGES_MAX, get};

/// Uploads a document.
pub(super) fn document(number: usize) -> Vec<Value> {
    let read = Operation::GetRepositoryDocument.as_str();
    let row = "isolation.create-repository-document";
    vec![
        json!({
            "name": "a document to hide",
            "request": "POST /v1/repository_documents", "token": "write",
            "multipart": { "parts": [{
                "name": "file", "file": "agreement.pdf", "filename": format!("moot-<run.tag>-{number}.pdf"),
            }] },
            "require": { "status": { "min": 200, "max": 299 } },
            "capture": { "hidden": "/data/id" },
        }),
        json!({
            "name": "the document as another company",
            "request": read, "id": "<hidden>", "as": "other_company", "token": "read",
            "expect": { row: { "status": [403, 404] } },
        }),
        json!({
            "name": "the documents of another company",
            "request": get(Operation::ListRepositoryDocuments), "as": "other_company", "token": "read",
            "each_page": { "at_most": PAGES_MAX },
            "expect": { row: { "$.items[*].id": { "none": { "equals": "<hidden>" } } } },
        }),
    ]
}

/// Registers a webhook, which its own company deletes.
pub(super) fn webhook(number: usize) -> Vec<Value> {
    let delete = Operation::DeleteWebhook.as_str();
    vec![
        json!({
            "name": "a webhook to hide",
            "request": Operation::CreateWebhook.as_str(), "token": "write",
            "json": {
                "name": "moot <run.tag>",
                "url": format!("https://hooks.invalid/<run.tag>/hidden/{number}"),
                "auth_type": "bearer", "token": "moot-<run.tag>", "events": ["execution_complete"],
            },
            "require": { "status": { "min": 200, "max": 299 } },
            "capture": { "registered": "$.data.id", "hidden": "/data/id" },
            "finally": [{ "for_each": { "left": "<registered>" }, "steps": [{
                "name": "deleted in the end", "request": delete, "id": "<left>", "token": "write",
            }] }],
        }),
        json!({
            "name": "the webhooks of another company",
            "request": get(Operation::ListWebhooks), "as": "other_company", "token": "read",
            "each_page": { "at_most": PAGES_MAX },
            "expect": { "isolation.create-webhook": {
                "$.items[*].id": { "none": { "equals": "<hidden>" } },
            } },
        }),
        json!({
            "name": "the webhook deleted by another company",
            "request": delete, "id": "<hidden>", "as": "other_company", "token": "write",
            "expect": { "isolation.delete-webhook": { "status": [403, 404] } },
        }),
        json!({
            "name": "the webhook deleted with a token that may only read",
            "request": delete, "id": "<hidden>", "token": "read",
            "expect": { "delete-webhook.requires-write": {
                "status": 403, "problem": "insufficient_scope",
            } },
        }),
        json!({
            "name": "the webhook deleted by its own company",
            "request": delete, "id": "<hidden>", "token": "write",
            "expect": { "isolation.delete-webhook": { "status": { "min": 200, "max": 299 } } },
        }),
    ]
}
