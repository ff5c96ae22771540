//! `moot clean`: deletes the objects that earlier runs left on a target, and lists those that only its owner
//! can delete.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::error::{CommandError, INCONCLUSIVE};
use super::runtime::runtime;
use super::screen::Screen;
use super::target_arguments::{open_error, target_file};
use crate::client::{LedgerContent, LeftObject};
use crate::exchange::escape;
use crate::exchange::masks::{Masks, Secrets};
use crate::report::terminal::{Detail, paint};
use crate::run::environment::{Leftovers, OpenError, StayReason, delete_leftovers, ledger_content};
use crate::verdict::pluralize;

/// The most objects of a group that are named without `-v`.
const NAMED_MAX: usize = 5;

/// Exit 0 if everything that the API can delete is deleted; 3 if the target refused to delete something.
pub(super) fn clean(target: &Path, screen: &Screen) -> Result<u8, CommandError> {
    let masks = Arc::new(Masks::default());
    let refused = |error: OpenError| open_error(&error, &masks);
    let file = target_file(&target.to_string_lossy())?;
    let content = ledger_content(&file).map_err(refused)?;
    let objects = content.left.clone();
    let found = runtime()?
        .block_on(delete_leftovers(&file, objects, Arc::clone(&masks)))
        .map_err(refused)?;
    let ledger = file.ledger.display().to_string();
    let secrets = Secrets::of(&masks);
    if screen.is_json() {
        let shown = format!("{:#}\n", to_json(&found, &content, &ledger));
        screen.print(&escape::json(&secrets.mask(&shown)))?;
    } else {
        screen.print(&secrets.mask(&text(&found, &content, &ledger, screen)))?;
    }
    let is_refused =
        |(_, reason): &(LeftObject, StayReason)| matches!(reason, StayReason::Refused(_));
    Ok(if found.left.iter().any(is_refused) { INCONCLUSIVE } else { 0 })
}

fn to_json(found: &Leftovers, content: &LedgerContent, ledger: &str) -> Value {
    let left = |(object, reason): &(LeftObject, StayReason)| {
        let mut row = json!(object.residue);
        row["why"] = why(reason).into();
        row["advice"] = advice(&object.residue.kind, reason).into();
        row
    };
    json!({
        "ledger": ledger,
        "deleted": found.deleted.iter().map(|object| json!(object.residue)).collect::<Vec<_>>(),
        "left": found.left.iter().map(left).collect::<Vec<_>>(),
        "other_targets": content.other_targets,
        "unreadable_lines": content.unreadable,
    })
}

fn text(found: &Leftovers, content: &LedgerContent, ledger: &str, screen: &Screen) -> String {
    let mut out = String::new();
    if found.deleted.is_empty() && found.left.is_empty() {
        out.push_str(&format!("nothing is left by {ledger}\n"));
    }
    if !found.deleted.is_empty() {
        let head = format!("deleted {}", pluralize(found.deleted.len(), "webhook"));
        out.push_str(&format!("{}\n", paint::bold(&head)));
        objects(&mut out, found.deleted.iter(), screen);
    }
    let mut groups: BTreeMap<(&str, &StayReason), Vec<&LeftObject>> = BTreeMap::new();
    for (object, reason) in &found.left {
        groups.entry((&object.residue.kind, reason)).or_default().push(object);
    }
    for ((kind, reason), group) in groups {
        let kinds = pluralize(group.len(), &kind.replace('_', " "));
        let head = escape::line(&format!("{kinds}: {}", why(reason)));
        out.push_str(&format!("{}\n  {}\n", paint::bold(&head), advice(kind, reason)));
        objects(&mut out, group.into_iter(), screen);
    }
    if !content.other_targets.is_empty() {
        let others: Vec<&str> = content.other_targets.iter().map(String::as_str).collect();
        let others = escape::line(&others.join(", "));
        out.push_str(&format!("the ledger has rows of other targets too: {others}\n"));
    }
    for line in &content.unreadable {
        out.push_str(&format!("{ledger}:{line} is not a row: a run was killed while it wrote\n"));
    }
    out
}

/// A line for each object, at most [`NAMED_MAX`] without `-v`.
fn objects<'a>(out: &mut String, all: impl Iterator<Item = &'a LeftObject>, screen: &Screen) {
    let all: Vec<&LeftObject> = all.collect();
    let max = if screen.detail() == Detail::Verbose { usize::MAX } else { NAMED_MAX };
    for object in all.iter().take(max) {
        let id = object.residue.id.as_deref().unwrap_or("(id unknown)");
        let by = format!("{}, by {}", object.residue.tag, object.residue.scenario);
        let (id, by) = (escape::line(id), escape::line(&by));
        out.push_str(&format!("  {id}  {}\n", paint::dim(&by)));
    }
    if let Some(more) = all.len().checked_sub(max).filter(|more| *more > 0) {
        out.push_str(&format!("  and {more} more; `-v` lists all\n"));
    }
}

fn why(reason: &StayReason) -> String {
    match reason {
        StayReason::NoSuchCall => "the API has no call to delete such objects".to_owned(),
        StayReason::IdUnknown => {
            "it may exist, but the response to its creation was lost".to_owned()
        }
        StayReason::Refused(said) => format!("it was not deleted: {said}"),
    }
}

/// Advice for the owner of the target.
fn advice(kind: &str, reason: &StayReason) -> &'static str {
    match (reason, kind) {
        (StayReason::NoSuchCall, "legal_request") => {
            "a user of the company can cancel it in the service; its names have the tag of the run"
        }
        (StayReason::NoSuchCall, _) => {
            "a user of the company can delete it in the service; its name has the tag of the run"
        }
        (StayReason::IdUnknown, _) => {
            "a user of the company can look for the tag of the run among the names, and delete it"
        }
        (StayReason::Refused(_), _) => "run `moot clean` again later, or delete it in the service",
    }
}
