//! Proves that a refused call changed nothing: reads the views of `unchanged` before and after the call.

use std::collections::BTreeMap;

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::exchange::escape;
use crate::scenario::model::{RequestLine, RequestStep, Text};
use crate::verdict::Verdict;
use crate::verdict::check::as_count;
use crate::verdict::result::CheckResult;

use super::changes::OwnChanges;
use super::list_page::{ListPage, line_at};
use super::pages::{self, ListDoubt};
use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::views::{RememberedView, View};
use super::{prepare, send};

/// On a shared target, a new object without the tag of the run may belong to others. It counts only if this number of
/// further refused calls also leave something behind.
const REPEATS: usize = 4;

/// Characters of a value in a message.
const VALUE_CHARACTERS_MAX: usize = 200;

/// The number of looks without a call after a call that seems to have changed a view. They must show nothing new.
const QUIET_LOOKS: usize = 2;

/// The views before the call. A remembered view that nothing can have changed is not read again.
pub(super) async fn before(
    run: &mut ScenarioRun<'_>,
    lines: &[RequestLine],
) -> Result<Vec<View>, Stop> {
    lines.iter().for_each(|line| recall(run, line));
    let mut views = Vec::with_capacity(lines.len());
    for line in lines {
        let remembered = run.views().get(&name_of(run, line)).filter(|view| view.is_current);
        views.push(match remembered {
            Some(remembered) => remembered.view,
            None => read(run, line).await?,
        });
    }
    Ok(views)
}

/// At the first use of a view in a scenario, records the remembered view, or in a replay takes it from the recording.
fn recall(run: &mut ScenarioRun<'_>, line: &RequestLine) {
    let name = name_of(run, line);
    if run.shared.target.is_mock() || !run.used_views.insert(name.clone()) {
        return;
    }
    let key = format!("view {name}");
    match run.session.recording.outcome(&key) {
        // The view is read if the recording has none, or if it is from an older version.
        Some(recorded) => {
            let view = recorded.ok().and_then(|view| serde_json::from_value(view).ok());
            if let Some(view) = view {
                let mark = run.shared.changes.mark();
                run.views().remember(&name, RememberedView { mark, ..view });
            }
        }
        None => {
            let view = up_to_date(run, line, &name);
            run.session.recording.keep(key, &Ok(serde_json::to_value(view).unwrap_or_default()));
        }
    }
}

/// The remembered view, with all later changes of the run.
fn up_to_date(run: &ScenarioRun<'_>, line: &RequestLine, name: &str) -> Option<RememberedView> {
    let mut view = run.views().get(name)?;
    let (_, _, operation) =
        prepare::resolve_line(run.session.endpoints(), &run.names, line).ok()?;
    view.mark = run.shared.changes.add_since(view.mark, operation?, &mut view.changes);
    Some(view)
}

async fn read_all(run: &mut ScenarioRun<'_>, lines: &[RequestLine]) -> Result<Vec<View>, Stop> {
    let mut views = Vec::with_capacity(lines.len());
    for line in lines {
        views.push(read(run, line).await?);
    }
    Ok(views)
}

/// Reads some pages of a view, and the whole list if they do not agree with the remembered view.
async fn read(run: &mut ScenarioRun<'_>, line: &RequestLine) -> Result<View, Stop> {
    let shape = pages::reading(line.clone());
    let name = name_of(run, line);
    if let Some(mut remembered) = up_to_date(run, line, &name) {
        let first = pages::page(run, &shape, 1).await?;
        let last = first.pages_total();
        let mut pages = vec![first];
        for number in remembered.pages(last) {
            pages.push(pages::page(run, &shape, number).await?);
        }
        if remembered.agrees_with(&view_of(run, &pages)) {
            (remembered.looks, remembered.is_current) = (remembered.looks + 1, true);
            run.views().remember(&name, remembered.clone());
            return Ok(remembered.view);
        }
    }
    let mark = run.shared.changes.mark();
    let pages = pages::pages(run, &shape).await?;
    let view = view_of(run, &pages);
    if !run.shared.target.is_mock() {
        run.views().remember(&name, RememberedView::new(view.clone(), mark));
    }
    Ok(view)
}

/// The members of these pages. On a shared target, members with the tag of the run are compared by their lasting
/// attributes. Other members and results of requests are compared only by their ids.
fn view_of(run: &ScenarioRun<'_>, pages: &[ListPage]) -> View {
    let is_shared = !run.shared.target.is_mock();
    let tag = run.shared.options.target.run_tag.as_str();
    let total = pages.last().and_then(|page| as_count(page.total()));
    let mut view = View { total, ..View::default() };
    for item in pages.iter().flat_map(ListPage::items) {
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        if !is_shared {
            view.own.insert(id, item.to_string());
        } else if item.to_string().contains(tag) && !is_result(item) {
            view.own.insert(id, lasting(item).to_string());
        } else {
            view.others.insert(id);
        }
    }
    view
}

/// Whether it is the document of a request. A service that executes requests by itself adds it at any time (§3).
fn is_result(item: &Value) -> bool {
    !item["relationships"]["legal_request"]["data"].is_null()
}

/// Attributes of a resource (§2) that only a call can change. A status changes by itself (§3), an address may be signed
/// anew for each reader, and the behaviour of members beyond §2 is unknown.
const LASTING: [&str; 6] = ["name", "url", "auth_type", "events", "custom_fields", "created_at"];

fn lasting(item: &Value) -> Value {
    LASTING.iter().map(|name| item["attributes"][name].clone()).collect()
}

/// Compares the views. A change fails the first check of the step that held.
pub(super) async fn judge(
    run: &mut ScenarioRun<'_>,
    step: &RequestStep,
    before: Vec<View>,
    checks: &mut [CheckResult],
) -> Result<(), Stop> {
    let after = read_all(run, &step.unchanged).await?;
    for (index, line) in step.unchanged.iter().enumerate() {
        let (before, after) = (&before[index], &after[index]);
        let change = match difference(&before.own, &after.own, &run.shared.changes) {
            None if !after.newcomers(before, &run.shared.changes).is_empty() => {
                left_again(run, step, index).await?
            }
            change => change,
        };
        let Some(change) = change else { continue };
        let is_moving = !is_at_rest(run, line, after).await?
            || is_still_there(run, line, before, after).await?;
        let view = name_of(run, line);
        let held = checks.iter_mut().find(|check| {
            !check.is_implicit() && matches!(check.verdict, Verdict::Pass | Verdict::NotApplicable)
        });
        if let Some(check) = held {
            check.verdict = Verdict::Fail;
            check.message =
                format!("A call that was refused changed what `{view}` shows: {change}");
            "the same members before and after".clone_into(&mut check.expected);
            check.actual = change;
            if is_moving {
                pages::apply_doubt(check, ListDoubt::Moving);
            }
        }
    }
    Ok(())
}

/// Whether a view stays the same without a call. The pages of a list with an unstable order show other members each time,
/// and the call is not the cause.
async fn is_at_rest(
    run: &mut ScenarioRun<'_>,
    line: &RequestLine,
    seen: &View,
) -> Result<bool, Stop> {
    for _ in 0..QUIET_LOOKS {
        let again = read(run, line).await?;
        if difference(&seen.own, &again.own, &run.shared.changes).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a member that the view lost can still be read by its id. Then the order of the list is unstable, and the call
/// is not the cause.
async fn is_still_there(
    run: &mut ScenarioRun<'_>,
    line: &RequestLine,
    before: &View,
    after: &View,
) -> Result<bool, Stop> {
    let gone = before.own.keys().find(|id| !after.own.contains_key(*id));
    let resolved = prepare::resolve_line(run.session.endpoints(), &run.names, line);
    let (Some(id), Ok((_, _, Some(list)))) = (gone, resolved) else { return Ok(false) };
    let read = match list {
        Operation::ListWorkflows => Operation::GetWorkflow,
        Operation::ListLegalRequests => Operation::GetLegalRequest,
        Operation::ListRepositoryDocuments => Operation::GetRepositoryDocument,
        _ => return Ok(false),
    };
    let path = run.session.endpoints().path_of(read, id);
    let mut shape = pages::reading(line.clone());
    let Some(at) = line_at(&shape) else { return Ok(false) };
    let method = Text::literal("GET", at.clone());
    shape.line = Some(RequestLine::Path { method, path: Text::literal(path, at) });
    Ok(send::send(run, &shape).await?.status == Some(200))
}

/// Objects that further refused calls left behind. `None` if one call left nothing, or if the view changes without a
/// call too: then others write to the target.
async fn left_again(
    run: &mut ScenarioRun<'_>,
    step: &RequestStep,
    index: usize,
) -> Result<Option<String>, Stop> {
    let mut left = Vec::new();
    for _ in 0..REPEATS {
        let before = read_all(run, &step.unchanged).await?;
        let document = send::send(run, &step.shape).await?;
        let after = read_all(run, &step.unchanged).await?;
        let mut quiet = Vec::new();
        for _ in 0..QUIET_LOOKS {
            quiet = read_all(run, &step.unchanged).await?;
        }
        let own = &run.shared.changes;
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

fn name_of(run: &ScenarioRun<'_>, line: &RequestLine) -> String {
    match (prepare::resolve_line(run.session.endpoints(), &run.names, line), line) {
        (Ok((method, path, _)), _) => format!("{method} {path}"),
        (Err(_), RequestLine::Operation { known: Some(operation), .. }) => {
            Operation::as_str(*operation).to_owned()
        }
        (Err(_), _) => "a view".to_owned(),
    }
}

/// The attributes of a member that changed, with their values.
fn change_of(id: &str, before: &str, after: &str) -> String {
    let values = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
    let all = LASTING.iter().zip(values(before).into_iter().zip(values(after)));
    let changed = all.filter(|(_, (before, after))| before != after);
    let changed: Vec<String> = changed
        .map(|(name, (before, after))| {
            let [before, after] =
                [before, after].map(|it| escape::cut(&it.to_string(), VALUE_CHARACTERS_MAX));
            format!("`{name}` of {id} was {before}, is {after}")
        })
        .collect();
    if changed.is_empty() { format!("{id} differs") } else { changed.join(", ") }
}

fn difference(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    own: &OwnChanges,
) -> Option<String> {
    // A list may show late that another call created or deleted an object.
    let added = after.iter().filter(|(id, _)| !before.contains_key(*id) && !own.is_created(id));
    let removed = before.iter().filter(|(id, _)| !after.contains_key(*id) && !own.is_deleted(id));
    let changed = after.iter().filter_map(|(id, item)| Some((id, before.get(id)?, item)));
    let changed = changed.filter(|(_, earlier, item)| !View::is_equal(earlier, item));
    let mut words = Vec::new();
    words.extend(added.map(|(id, _)| format!("{id} is new")));
    words.extend(removed.map(|(id, _)| format!("{id} is gone")));
    words.extend(changed.map(|(id, earlier, item)| change_of(id, earlier, item)));
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{change_of, lasting};

    #[test]
    fn a_change_names_the_attribute_and_its_values() {
        let item = |fields: serde_json::Value| {
            lasting(&json!({ "attributes": { "name": "n", "custom_fields": fields } })).to_string()
        };
        let change = change_of("k3b9", &item(json!({ "a": 1, "b": 2 })), &item(json!({ "a": 3 })));
        assert_eq!(change, r#"`custom_fields` of k3b9 was {"a":1,"b":2}, is {"a":3}"#);
        assert_eq!(change_of("k3b9", "x", "y"), "k3b9 differs");
    }

    #[test]
    fn attributes_that_change_by_themselves_do_not_count() {
        let item = |status: &str, address: &str, name: &str| {
            let attributes = json!({ "status": status, "agreement_url": address, "name": name });
            lasting(&json!({ "id": "a", "attributes": attributes }))
        };
        assert_eq!(item("draft", "https://x.example/1", "a"), item("signed", "y", "a"));
        assert_ne!(item("draft", "y", "a"), item("draft", "y", "b"));
    }
}
