//! The views of `unchanged` that a run remembers on a shared target. The whole list is read once. Later looks read the
//! first page, the last page and one page between them, which is another one each time. If these pages and the total
//! differ only by changes of the run itself, the list is unchanged. Otherwise the whole list is read again.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::changes::{ChangesSince, OwnChanges};

/// The content of one view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct View {
    /// Members by id. On a target that others write to, only members with the tag of this run.
    pub(super) own: BTreeMap<String, String>,
    /// Ids of all other members.
    pub(super) others: BTreeSet<String>,
    /// `total_count` of the list.
    pub(super) total: Option<u64>,
}

impl View {
    /// Ids of new members that may belong to others. Objects that the run created are not among them: a list may show
    /// them late.
    pub(super) fn newcomers<'a>(&'a self, earlier: &'a Self, own: &OwnChanges) -> Vec<&'a str> {
        let new = self.others.difference(&earlier.others).map(String::as_str);
        new.filter(|id| !own.is_created(id)).collect()
    }

    /// Whether two members are equal. The order of the members of a JSON object has no meaning.
    pub(super) fn is_equal(one: &str, other: &str) -> bool {
        let json = |text: &str| serde_json::from_str::<Value>(text).ok();
        one == other || json(one).is_some_and(|one| Some(one) == json(other))
    }

    fn has(&self, id: &str) -> bool {
        self.own.contains_key(id) || self.others.contains(id)
    }
}

/// A view as it was when its whole list was read last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RememberedView {
    pub(super) view: View,
    /// Changes of the run between that time and `mark`.
    pub(super) changes: ChangesSince,
    /// The number of changes of the run that are taken into account.
    #[serde(skip)]
    pub(super) mark: usize,
    /// The number of looks at some of its pages since then.
    pub(super) looks: u64,
    /// Whether every call since the latest look has a known effect, so that no new look is necessary.
    #[serde(rename = "is_clean")]
    pub(super) is_current: bool,
}

impl RememberedView {
    /// A view whose whole list was just read.
    pub(super) fn new(view: View, mark: usize) -> Self {
        Self { view, mark, is_current: true, ..Self::default() }
    }

    /// The pages after the first that a look reads: one in the middle, another one each time, and the last.
    pub(super) fn pages(&self, last: u64) -> Vec<u64> {
        let between = last.saturating_sub(2);
        let one = self.looks.checked_rem(between).map(|turn| 2 + turn);
        one.into_iter().chain((last > 1).then_some(last)).collect()
    }

    /// Whether these pages agree with the remembered view and the changes of the run.
    pub(super) fn agrees_with(&self, seen: &View) -> bool {
        let Self { view, changes: ChangesSince { created, deleted }, .. } = self;
        let (Some(before), Some(now)) = (view.total, seen.total) else { return false };
        let new = created.iter().filter(|id| !view.has(id)).count() as u64;
        let gone = deleted.iter().filter(|id| view.has(id) || created.contains(*id)).count() as u64;
        let is_known = |id: &String| created.contains(id) && !deleted.contains(id);
        let is_as_before = |(id, item): (&String, &String)| match view.own.get(id) {
            Some(known) => View::is_equal(known, item) && !deleted.contains(id),
            None => is_known(id),
        };
        now + gone == before + new
            && seen.own.iter().all(is_as_before)
            && seen.others.iter().all(|id| view.others.contains(id) || is_known(id))
    }
}

/// The remembered views of a run by name.
#[derive(Debug, Default)]
pub(super) struct RememberedViews(Mutex<BTreeMap<String, RememberedView>>);

impl RememberedViews {
    pub(super) fn remember(&self, name: &str, view: RememberedView) {
        self.0.lock().insert(name.to_owned(), view);
    }

    pub(super) fn get(&self, name: &str) -> Option<RememberedView> {
        self.0.lock().get(name).cloned()
    }

    /// Marks all views as out of date, after a call with an unknown effect.
    pub(super) fn mark_outdated(&self) {
        self.0.lock().values_mut().for_each(|view| view.is_current = false);
    }
}

#[cfg(test)]
mod tests {
    use super::{RememberedView, RememberedViews, View};
    use crate::run::changes::{ChangesSince, OwnChanges};

    fn view(own: &[(&str, &str)], others: &[&str], total: u64) -> View {
        View {
            own: own.iter().map(|(id, item)| ((*id).to_owned(), (*item).to_owned())).collect(),
            others: others.iter().map(|id| (*id).to_owned()).collect(),
            total: Some(total),
        }
    }

    #[test]
    fn a_view_is_current_until_a_call_has_an_unknown_effect() {
        let views = RememberedViews::default();
        assert_eq!(views.get("GET /v1/requests"), None);
        views.remember("GET /v1/requests", RememberedView::new(view(&[], &["a"], 1), 0));
        assert!(views.get("GET /v1/requests").is_some_and(|view| view.is_current));
        views.mark_outdated();
        assert!(views.get("GET /v1/requests").is_some_and(|view| !view.is_current));
    }

    #[test]
    fn the_order_of_the_members_of_an_object_has_no_meaning() {
        assert!(View::is_equal(
            r#"["a",{"b":1,"c":{"d":2,"e":3}}]"#,
            r#"["a",{"c":{"e":3,"d":2},"b":1}]"#
        ));
        assert!(!View::is_equal(r#"["a",{"b":1}]"#, r#"["a",{"b":2}]"#));
        assert!(!View::is_equal(r"[1,2]", r"[2,1]"));
    }

    #[test]
    fn every_page_is_read_in_turn() {
        let mut remembered = RememberedView::default();
        let mut pages = |last| {
            remembered.looks += 1;
            remembered.pages(last)
        };
        assert_eq!([pages(1), pages(2), pages(3)], [vec![], vec![2], vec![2, 3]]);
        let read: std::collections::BTreeSet<u64> = (0..5).flat_map(|_| pages(7)).collect();
        assert_eq!(read.into_iter().collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn only_changes_of_the_run_explain_a_difference() {
        let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        let remembered = RememberedView {
            changes: ChangesSince { created: set(&["new"]), deleted: set(&["old"]) },
            ..RememberedView::new(view(&[("a", "1"), ("old", "1")], &["b"], 100), 0)
        };
        let agrees = |seen: View| remembered.agrees_with(&seen);
        assert!(agrees(view(&[("a", "1")], &["b"], 100)), "one was created and one deleted");
        assert!(agrees(view(&[("new", "9")], &[], 100)));
        assert!(!agrees(view(&[("a", "1")], &["b"], 101)), "the total counts another one");
        assert!(!agrees(view(&[("a", "2")], &["b"], 100)), "it differs");
        assert!(!agrees(view(&[("old", "1")], &[], 100)), "it was deleted");
        assert!(!agrees(view(&[("c", "1")], &[], 100)), "it is new");
        assert!(!agrees(view(&[], &["c"], 100)), "it is new");
        let uncounted = View { total: None, ..view(&[], &["b"], 0) };
        assert!(!agrees(uncounted), "the list counts nothing");
    }

    #[test]
    fn objects_of_others_are_new() {
        let (earlier, later) = (view(&[], &["b"], 1), view(&[], &["b", "c"], 2));
        assert_eq!(later.newcomers(&earlier, &OwnChanges::default()), ["c"]);
    }
}
