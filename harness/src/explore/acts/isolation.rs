//! Acts of another company (§5.6): it sees and touches nothing of ours.

use moot_fixtures::contract::Operation;
use proptest::prelude::Strategy;
use serde_json::{Value, json};

use super::menu::Menu;
use super::reading::{find, for_found, single};
use super::webhooks;
use crate::explore::act::Act;
use crate::explore::inputs::WORD;
use crate::explore::steps::{get, one, success, whole_list};

pub(super) fn add(menu: &mut Menu) {
    let other_company = Act { needs: vec!["read", "second_company"], ..Act::reading(Vec::new()) };
    if menu.allows(&other_company) {
        menu.add(
            2,
            single()
                .prop_map(move |(of, row)| Act { steps: spy(of, row), ..other_company.clone() }),
        );
    }
    menu.add_creating(1, &["second_company"], WORD.prop_map(|word| hidden_document(&word)));
    menu.add_creating(
        1,
        &["delete", "second_company"],
        WORD.prop_map(|word| hidden_webhook(&word)),
    );
}

/// Another company reads an object of ours, and the list it is in.
fn spy((operation, list): (Operation, Operation), row: usize) -> Vec<Value> {
    let requirement = |of: Operation| format!("isolation.{}", of.as_str().replace('_', "-"));
    let read = json!({
        "name": format!("{} as another company", operation.as_str()),
        "request": operation.as_str(), "id": "<item>", "as": "other_company", "token": "read",
        "expect": one(&requirement(operation), json!({ "status": [403, 404] })),
    });
    let listed = json!({
        "name": format!("{} as another company", list.as_str()),
        "request": get(list), "as": "other_company", "token": "read",
        "expect": one(
            &requirement(list), json!({ "$.data[*].id": { "none": { "one_of": "<ours>" } } }),
        ),
    });
    vec![find((operation, list), row), for_found(read), listed]
}

/// The whole list as another company, without the hidden object.
fn not_listed(list: Operation, row: &str) -> Value {
    let mut step = whole_list(list, &format!("all of {} as another company", list.as_str()));
    step["as"] = "other_company".into();
    step["expect"] = one(row, json!({ "$.items[*].id": { "none": { "equals": "<hidden>" } } }));
    step
}

fn hidden_document(word: &str) -> Vec<Value> {
    let row = "isolation.create-repository-document";
    vec![
        json!({
            "name": "a document to hide",
            "request": "POST /v1/repository_documents", "token": "write",
            "multipart": { "parts": [{
                "name": "file", "file": "agreement.pdf", "filename": format!("moot-<run.tag>-{word}.pdf"),
            }] },
            "require": success(), "capture": { "hidden": "/data/id" },
        }),
        json!({
            "name": "the document as another company",
            "request": Operation::GetRepositoryDocument.as_str(), "id": "<hidden>",
            "as": "other_company", "token": "read",
            "expect": one(row, json!({ "status": [403, 404] })),
        }),
        not_listed(Operation::ListRepositoryDocuments, row),
    ]
}

/// Its own company deletes the webhook in the end.
fn hidden_webhook(word: &str) -> Vec<Value> {
    let mut create = webhooks::create("a webhook to hide");
    create["json"] = webhooks::payload(word);
    create["require"] = success();
    create["capture"]["hidden"] = "/data/id".into();
    let delete = |name: &str, token: &str, row: &str, expected: Value| {
        json!({
            "name": name, "request": Operation::DeleteWebhook.as_str(), "id": "<hidden>",
            "token": token, "expect": one(row, expected),
        })
    };
    let mut by_other = delete(
        "the webhook deleted by another company",
        "write",
        "isolation.delete-webhook",
        json!({ "status": [403, 404] }),
    );
    by_other["as"] = "other_company".into();
    vec![
        create,
        not_listed(Operation::ListWebhooks, "isolation.create-webhook"),
        by_other,
        delete(
            "the webhook deleted with a token that may only read",
            "read",
            "delete-webhook.requires-write",
            json!({ "status": 403, "problem": "insufficient_scope" }),
        ),
        delete(
            "the webhook deleted by its own company",
            "write",
            "isolation.delete-webhook",
            success(),
        ),
    ]
}
