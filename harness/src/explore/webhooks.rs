//! Acts on webhooks: a sound one is registered, listed, deleted and gone. Its address is below
//! `.invalid`, so that nothing leaves the company, and whatever is registered is deleted at the end.

use moot_fixtures::contract::Operation;
use serde_json::{Map, Value, json};

use super::act::WebhookFlaw;
use super::steps::{PAGES_MAX, get, literal, one};

/// Registers one, and deletes it.
pub(super) fn register(name: &str, flaw: Option<&WebhookFlaw>, number: usize) -> Vec<Value> {
    let name = format!("moot <run.tag> {name}");
    let mut payload = json!({
        "name": name,
        "url": format!("https://hooks.invalid/<run.tag>/{number}"),
        "auth_type": "bearer", "token": "moot-<run.tag>", "events": ["execution_complete"],
    });
    let finally = json!([
        { "for_each": { "left": "<registered>" }, "steps": [{
            "name": "deleted in the end",
            "request": Operation::DeleteWebhook.as_str(), "id": "<left>", "token": "write",
        }] },
    ]);
    let mut step = Map::from_iter([
        ("request".to_owned(), Value::from(Operation::CreateWebhook.as_str())),
        ("token".to_owned(), "write".into()),
        ("capture".to_owned(), json!({ "registered": "$.data.id", "webhook": "/data/id" })),
        ("finally".to_owned(), finally),
    ]);
    let words = match flaw {
        None => "a sound webhook",
        Some(WebhookFlaw::Member(member, value)) => {
            payload[*member] = value.clone();
            "a webhook with another member"
        }
        Some(WebhookFlaw::Body(_)) => "a webhook that is no JSON",
    };
    step.insert("name".to_owned(), words.into());
    match flaw {
        Some(WebhookFlaw::Body(text)) => {
            let raw = json!({ "content_type": "application/json", "text": literal(text) });
            step.insert("raw".to_owned(), raw);
        }
        None | Some(WebhookFlaw::Member(..)) => {
            step.insert("json".to_owned(), payload);
        }
    }
    let mut steps = Vec::new();
    if flaw.is_none() {
        let accepted = json!({ "status": { "min": 200, "max": 299 } });
        step.insert("expect".to_owned(), one("create-webhook.exists", accepted));
        steps.extend(then_listed_and_deleted(&name));
    }
    steps.insert(0, Value::Object(step));
    vec![json!({ "for_each": { "once": [1] }, "steps": steps })]
}

fn then_listed_and_deleted(name: &str) -> Vec<Value> {
    let list = get(Operation::ListWebhooks);
    let delete = Operation::DeleteWebhook.as_str();
    vec![
        json!({
            "name": "how many webhooks there are",
            "request": list, "token": "read",
            "require": { "status": 200 }, "capture": { "total_pages": "/pagination/total_pages" },
        }),
        json!({
            "assume": { "<total_pages>": { "max": PAGES_MAX } },
            "because": "the list of webhooks is too long to be walked to its end",
        }),
        json!({
            "name": "the list with the webhook",
            "request": list, "token": "read", "each_page": { "at_most": PAGES_MAX },
            "expect": { "create-webhook.then-listed": {
                "$.items[?@.id == '<webhook>'].attributes.name": { "equals": [name] },
            } },
        }),
        json!({
            "name": "the webhook deleted",
            "request": delete, "id": "<webhook>", "token": "write",
            "expect": { "delete-webhook.succeeds": { "status": { "min": 200, "max": 299 } } },
        }),
        json!({
            "name": "the list without the webhook",
            "request": list, "token": "read", "each_page": { "at_most": PAGES_MAX },
            "expect": { "delete-webhook.gone-from-list": {
                "$.items[*].id": { "none": { "equals": "<webhook>" } },
            } },
        }),
        json!({
            "name": "the webhook deleted twice",
            "request": delete, "id": "<webhook>", "token": "write",
            "expect": { "delete-webhook.twice-404": { "status": 404 } },
        }),
    ]
}

/// Deleting what nobody has removes nothing.
pub(super) fn delete_unknown(id: &str) -> Value {
    json!({
        "name": "an unknown webhook deleted",
        "request": Operation::DeleteWebhook.as_str(), "id": literal(id), "token": "write",
        "unchanged": ["GET /v1/webhooks"],
        "expect": { "delete-webhook.unknown-404": { "status": 404 } },
    })
}
