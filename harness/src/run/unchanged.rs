//! Proof that a refused call changed nothing: views read before and after it.

use std::collections::BTreeMap;

use moot_fixtures::contract::Scopes;
use serde_json::Value;

use crate::result::CheckResult;
use crate::scenario::model::{RequestLine, RequestShape, RequestStep, TokenChoice};
use crate::verdict::Verdict;

use super::changes::OwnChanges;
use super::scenario_walk::ScenarioWalk;
use super::send::StepRecord;
use super::stop::Stop;
use super::{pages, prepare};

/// Members by id, of each view.
pub(super) type Views = Vec<BTreeMap<String, String>>;

/// Reads every view of the step.
pub(super) async fn look(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
    label: &str,
    gathered: &mut StepRecord,
) -> Result<Views, Stop> {
    let mut views = Vec::with_capacity(step.unchanged.len());
    for line in &step.unchanged {
        let shape = RequestShape {
            line: Some(line.clone()),
            token: Some(TokenChoice::Shared(Scopes::READ)),
            ..RequestShape::default()
        };
        let items = pages::members(walk, &shape, label, gathered).await?;
        views.push(by_id(walk, items));
    }
    Ok(views)
}

/// On a target that others write to, only what carries this run's tag, and of that only what does
/// not move by itself.
fn by_id(walk: &ScenarioWalk<'_>, items: Vec<Value>) -> BTreeMap<String, String> {
    let is_shared = !walk.shared.target.is_mock();
    let tag = walk.shared.run_tag.as_str();
    items
        .into_iter()
        .filter(|item| !is_shared || item.to_string().contains(tag))
        .map(|item| {
            let id = item["id"].as_str().unwrap_or_default().to_owned();
            (id, if is_shared { lasting(&item).to_string() } else { item.to_string() })
        })
        .collect()
}

/// The attributes of a resource (§2) that only a call can change: a status moves on (§3), an address
/// may be signed anew for each reader, and nobody knows how members beyond §2 behave.
const LASTING: [&str; 6] = ["name", "url", "auth_type", "events", "custom_fields", "created_at"];

fn lasting(item: &Value) -> Value {
    LASTING.iter().map(|name| item["attributes"][name].clone()).collect()
}

/// Compares: a change fails the first check of the step that held.
pub(super) async fn judge(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
    before: Views,
    label: &str,
    gathered: &mut StepRecord,
    checks: &mut [CheckResult],
) -> Result<(), Stop> {
    let after = look(walk, step, label, gathered).await?;
    for ((line, before), after) in step.unchanged.iter().zip(&before).zip(&after) {
        let Some(change) = difference(before, after, &walk.shared.changes) else { continue };
        let view = match prepare::resolve_line(walk.session, &walk.names, line) {
            Ok((method, path, _)) => format!("{method} {path}"),
            Err(_) => describe(line),
        };
        let held = checks.iter_mut().find(|check| {
            check.place.is_some() && matches!(check.verdict, Verdict::Pass | Verdict::NotApplicable)
        });
        if let Some(check) = held {
            check.verdict = Verdict::Fail;
            check.message =
                format!("A call that was refused changed what `{view}` shows: {change}");
            "the same members before and after".clone_into(&mut check.expected);
            check.actual = change;
        }
    }
    Ok(())
}

fn describe(line: &RequestLine) -> String {
    match line {
        RequestLine::Path { .. } => "a view".to_owned(),
        RequestLine::Operation { known, .. } => {
            known.map_or("a view", moot_fixtures::contract::Operation::as_str).to_owned()
        }
    }
}

fn difference(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    own: &OwnChanges,
) -> Option<String> {
    // A list may show late what another call created or deleted.
    let added = after.iter().filter(|(id, _)| !before.contains_key(*id) && !own.is_created(id));
    let removed = before.iter().filter(|(id, _)| !after.contains_key(*id) && !own.is_deleted(id));
    let changed = after.iter().filter(|(id, item)| before.get(*id).is_some_and(|b| b != *item));
    let mut words = Vec::new();
    words.extend(added.map(|(id, _)| format!("{id} is new")));
    words.extend(removed.map(|(id, _)| format!("{id} is gone")));
    words.extend(changed.map(|(id, _)| format!("{id} is another")));
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lasting;

    #[test]
    fn what_moves_by_itself_is_no_change_by_a_call() {
        let item = |status: &str, address: &str, name: &str| {
            let attributes = json!({ "status": status, "agreement_url": address, "name": name });
            lasting(&json!({ "id": "a", "attributes": attributes }))
        };
        assert_eq!(item("draft", "https://x.example/1", "a"), item("signed", "y", "a"));
        assert_ne!(item("draft", "y", "a"), item("draft", "y", "b"));
    }
}
