//! Acts on webhooks (§4.12 to §4.15): a valid one is registered, listed, deleted and gone. Its address is
//! below `.invalid`, so that nothing is delivered. Each act deletes what it registered.

use moot_fixtures::contract::Operation;
use proptest::prelude::Strategy;
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Value, json};

use super::menu::Menu;
use crate::explore::act::Act;
use crate::explore::inputs::{PLAIN_ID, TEXT, WORD, json_value};
use crate::explore::steps::{group, literal, one, short_list, success, whole_list};

/// The members of the payload that are replaced by other values.
const MEMBERS: [&str; 5] = ["name", "url", "auth_type", "token", "events"];

pub(super) fn add(menu: &mut Menu) {
    let broken = prop_oneof![
        2 => (WORD, select(&MEMBERS), json_value()).prop_map(|(word, member, value)| {
            let mut step = create("a webhook with another value");
            step["json"] = payload(&word);
            step["json"][member] = value;
            step
        }),
        1 => TEXT.prop_map(|text| {
            let mut step = create("a webhook that is not JSON");
            step["raw"] = json!({ "content_type": "application/json", "text": literal(&text) });
            step
        }),
    ];
    let steps = prop_oneof![
        1 => WORD.prop_map(|word| valid(&word)),
        1 => broken.prop_map(|step| vec![step]),
    ];
    menu.add_creating(2, &["delete"], steps.prop_map(group));
    let delete = Act { needs: vec!["read", "write", "delete"], ..Act::reading(Vec::new()) };
    if menu.allows(&delete) {
        let unknown = move |id: String| Act { steps: vec![delete_unknown(&id)], ..delete.clone() };
        menu.add(1, PLAIN_ID.prop_map(unknown));
    }
}

/// Registers a webhook, and deletes it in the end. The body is up to the caller.
pub(super) fn create(name: &str) -> Value {
    json!({
        "name": name, "request": Operation::CreateWebhook.as_str(), "token": "write",
        "capture": { "registered": "$.data.id" },
        "finally": [{ "for_each": { "left": "<registered>" }, "steps": [{
            "name": "deleted in the end",
            "request": Operation::DeleteWebhook.as_str(), "id": "<left>", "token": "write",
        }] }],
    })
}

/// A valid payload.
pub(super) fn payload(word: &str) -> Value {
    json!({
        "name": format!("moot <run.tag> {word}"),
        "url": format!("https://hooks.invalid/<run.tag>/{word}"),
        "auth_type": "bearer", "token": "moot-<run.tag>", "events": ["execution_complete"],
    })
}

fn valid(word: &str) -> Vec<Value> {
    let list = |name: &str, row: &str, expected: Value| {
        let mut step = whole_list(Operation::ListWebhooks, name);
        step["expect"] = one(row, expected);
        step
    };
    let delete = |name: &str, row: &str, expected: Value| {
        json!({
            "name": name, "request": Operation::DeleteWebhook.as_str(), "id": "<webhook>",
            "token": "write", "expect": one(row, expected),
        })
    };
    let mut register = create("a valid webhook");
    register["json"] = payload(word);
    register["capture"]["webhook"] = "/data/id".into();
    register["expect"] = one("create-webhook.exists", success());
    let names = "$.items[?@.id == '<webhook>'].attributes.name";
    let mut steps = vec![register];
    steps.extend(short_list(Operation::ListWebhooks));
    steps.extend([
        list(
            "the list with the webhook",
            "create-webhook.then-listed",
            one(names, json!({ "equals": [format!("moot <run.tag> {word}")] })),
        ),
        delete("the webhook deleted", "delete-webhook.succeeds", success()),
        list(
            "the list without the webhook",
            "delete-webhook.gone-from-list",
            json!({ "$.items[*].id": { "none": { "equals": "<webhook>" } } }),
        ),
        delete("the webhook deleted twice", "delete-webhook.twice-404", json!({ "status": 404 })),
    ]);
    steps
}

/// Deleting an unknown webhook removes nothing.
fn delete_unknown(id: &str) -> Value {
    json!({
        "name": "an unknown webhook deleted",
        "request": Operation::DeleteWebhook.as_str(), "id": id, "token": "write",
        "unchanged": ["GET /v1/webhooks"],
        "expect": { "delete-webhook.unknown-404": { "status": 404 } },
    })
}
