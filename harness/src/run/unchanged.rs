//! Proof that a refused call changed nothing: views read before and after it.

use std::collections::BTreeMap;

use moot_fixtures::contract::Scopes;
use serde_json::Value;

use crate::scenario::model::{RequestLine, RequestShape, RequestStep, TokenChoice};
use crate::verdict::Verdict;
use crate::verdict::result::CheckResult;

use super::changes::OwnChanges;
use super::pages::ListMembers;
use super::scenario_walk::ScenarioWalk;
use super::stop::Stop;
use super::views::{RememberedView, View};
use super::{pages, prepare, send};

/// Further refused calls that must all leave something, before what carries no tag of the run counts as
/// left by them.
const REPEATS: usize = 4;

/// Looks without a call in between that must show nothing new after each of these calls.
const QUIET_LOOKS: usize = 2;

/// What every view of the step shows before its call.
pub(super) async fn before(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
) -> Result<Vec<View>, Stop> {
    step.unchanged.iter().for_each(|line| begin(walk, line));
    look(walk, step, Looking::OnlyInDoubt).await
}

/// Whether a view is read though nothing can have changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looking {
    /// It is.
    Always,
    /// What is remembered stands for it.
    OnlyInDoubt,
}

/// In a recording, a scenario begins with what was remembered then.
fn begin(walk: &mut ScenarioWalk<'_>, line: &RequestLine) {
    let name = name_of(walk, line);
    if walk.shared.target.is_mock() || !walk.views_begun.insert(name.clone()) {
        return;
    }
    let mark = walk.shared.changes.mark();
    let key = format!("view {name}");
    match walk.session.recorded(&key) {
        Some(told) => {
            // Without a memory, and in a recording of an older version, there is a look.
            let told =
                told.ok().and_then(|told| serde_json::from_value::<RememberedView>(told).ok());
            if let Some(told) = told {
                walk.views().remember(&name, RememberedView { mark, ..told });
            }
        }
        None => {
            let last = up_to_date(walk, line, &name);
            walk.session.keep(key, serde_json::to_value(last).unwrap_or_default());
        }
    }
}

/// What is remembered of a view, with all that the run changed since.
fn up_to_date(walk: &ScenarioWalk<'_>, line: &RequestLine, name: &str) -> Option<RememberedView> {
    let mut last = walk.views().last(name)?;
    let (_, _, operation) = prepare::resolve_line(walk.session, &walk.names, line).ok()?;
    last.mark = walk.shared.changes.add_since(last.mark, operation?, &mut last.changes);
    Some(last)
}

/// What every view of the step shows.
async fn look(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
    looking: Looking,
) -> Result<Vec<View>, Stop> {
    let mut views = Vec::with_capacity(step.unchanged.len());
    for line in &step.unchanged {
        let last = walk.views().last(&name_of(walk, line));
        let remembered = last.filter(|last| last.is_clean && looking == Looking::OnlyInDoubt);
        views.push(match remembered {
            Some(last) => last.view,
            None => look_at(walk, line).await?,
        });
    }
    Ok(views)
}

/// Reads a view: some pages where they show what is remembered, else the whole list.
async fn look_at(walk: &mut ScenarioWalk<'_>, line: &RequestLine) -> Result<View, Stop> {
    let shape = RequestShape {
        line: Some(line.clone()),
        token: Some(TokenChoice::Shared(Scopes::READ)),
        ..RequestShape::default()
    };
    let name = name_of(walk, line);
    if let Some(mut last) = up_to_date(walk, line, &name) {
        let (first, pages) = pages::page(walk, &shape, 1).await?;
        let mut seen = by_id(walk, first);
        for number in last.pages(pages) {
            let (page, _) = pages::page(walk, &shape, number).await?;
            seen.add(by_id(walk, page));
        }
        if last.explains(&seen) {
            (last.looks, last.is_clean) = (last.looks + 1, true);
            walk.views().remember(&name, last.clone());
            return Ok(last.view);
        }
    }
    let mark = walk.shared.changes.mark();
    let list = pages::members(walk, &shape).await?;
    let view = by_id(walk, list);
    if !walk.shared.target.is_mock() {
        walk.views().remember(&name, RememberedView::new(view.clone(), mark));
    }
    Ok(view)
}

/// On a target that others write to, members that carry this run's tag are compared by what does not
/// move by itself.
fn by_id(walk: &ScenarioWalk<'_>, list: ListMembers) -> View {
    let is_shared = !walk.shared.target.is_mock();
    let tag = walk.shared.options.target.run_tag.as_str();
    let mut view = View { total: list.total, ..View::default() };
    for item in list.items {
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        if !is_shared {
            view.own.insert(id, item.to_string());
        } else if item.to_string().contains(tag) {
            view.own.insert(id, lasting(&item).to_string());
        } else {
            view.others.insert(id);
        }
    }
    view
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
    before: Vec<View>,
    checks: &mut [CheckResult],
) -> Result<(), Stop> {
    let after = look(walk, step, Looking::Always).await?;
    for (index, line) in step.unchanged.iter().enumerate() {
        let (before, after) = (&before[index], &after[index]);
        let change = match difference(&before.own, &after.own, &walk.shared.changes) {
            None if !after.newcomers(before, &walk.shared.changes).is_empty() => {
                left_again(walk, step, index).await?
            }
            change => change,
        };
        let Some(change) = change else { continue };
        let view = name_of(walk, line);
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

/// What each of some further refused calls left behind; `None` if one left nothing, or if the view changes
/// without a call too: then others write to the target.
async fn left_again(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
    index: usize,
) -> Result<Option<String>, Stop> {
    let mut left = Vec::new();
    for _ in 0..REPEATS {
        let before = look(walk, step, Looking::Always).await?;
        let (document, _) = send::sent(walk, &step.shape).await?;
        let after = look(walk, step, Looking::Always).await?;
        let mut quiet = Vec::new();
        for _ in 0..QUIET_LOOKS {
            quiet = look(walk, step, Looking::Always).await?;
        }
        let own = &walk.shared.changes;
        let newcomers = after[index].newcomers(&before[index], own);
        let is_refused = document.status.is_some_and(|status| (400..500).contains(&status));
        let is_quiet = quiet[index].newcomers(&after[index], own).is_empty();
        if !is_refused || !is_quiet || newcomers.is_empty() {
            return Ok(None);
        }
        left.extend(newcomers.into_iter().map(|id| format!("{id} is new")));
    }
    Ok(Some(left.join(", ")))
}

fn name_of(walk: &ScenarioWalk<'_>, line: &RequestLine) -> String {
    match prepare::resolve_line(walk.session, &walk.names, line) {
        Ok((method, path, _)) => format!("{method} {path}"),
        Err(_) => describe(line),
    }
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
