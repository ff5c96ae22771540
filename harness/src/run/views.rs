//! What the views of `unchanged` showed on a target that all scenarios share. A whole list is read once. Later looks read
//! its first page, its last one and one between them, in turn: if these and the total show what is remembered, except
//! for what the run changed itself, nothing else changed. Otherwise the whole list is read again.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::changes::{ChangesSince, OwnChanges};

/// What one view shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct View {
    /// Members by id. On a target that others write to, only those that carry the tag of this run.
    pub(super) own: BTreeMap<String, String>,
    /// Ids of all other members.
    pub(super) others: BTreeSet<String>,
    /// Members of the list, as it counts them.
    pub(super) total: Option<u64>,
}

impl View {
    /// Ids that `earlier` did not show, of members that may belong to others. A list may show late what
    /// another call of the run created.
    pub(super) fn newcomers<'a>(&'a self, earlier: &'a Self, own: &OwnChanges) -> Vec<&'a str> {
        let new = self.others.difference(&earlier.others).map(String::as_str);
        new.filter(|id| !own.is_created(id)).collect()
    }

    /// Adds the members of another page.
    pub(super) fn add(&mut self, page: Self) {
        self.own.extend(page.own);
        self.others.extend(page.others);
        self.total = page.total;
    }

    fn has(&self, id: &str) -> bool {
        self.own.contains_key(id) || self.others.contains(id)
    }
}

/// A view as it was when the whole list was read last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RememberedView {
    pub(super) view: View,
    /// What the run changed between the look and `mark`.
    pub(super) changes: ChangesSince,
    /// The number of changes of the run that are accounted for.
    #[serde(skip)]
    pub(super) mark: usize,
    /// Looks at some pages of it since.
    pub(super) looks: u64,
    /// Whether nothing was sent since the latest look of which nobody knows what it changed.
    pub(super) is_clean: bool,
}

impl RememberedView {
    /// A whole list that was read just now.
    pub(super) fn new(view: View, mark: usize) -> Self {
        Self { view, mark, is_clean: true, ..Self::default() }
    }

    /// The pages beside the first that a look reads: one between, which is another each time, and the last.
    pub(super) fn pages(&self, last: u64) -> Vec<u64> {
        let between = last.saturating_sub(2);
        let one = self.looks.checked_rem(between).map(|turn| 2 + turn);
        one.into_iter().chain((last > 1).then_some(last)).collect()
    }

    /// Whether these pages show nothing but what is remembered and what the run changed itself.
    pub(super) fn explains(&self, seen: &View) -> bool {
        let Self { view, changes: ChangesSince { created, deleted }, .. } = self;
        let (Some(before), Some(now)) = (view.total, seen.total) else { return false };
        let new = created.iter().filter(|id| !view.has(id)).count() as u64;
        let gone = deleted.iter().filter(|id| view.has(id) || created.contains(*id)).count() as u64;
        let is_known = |id: &String| created.contains(id) && !deleted.contains(id);
        let is_as_before = |(id, item): (&String, &String)| match view.own.get(id) {
            Some(known) => known == item && !deleted.contains(id),
            None => is_known(id),
        };
        now + gone == before + new
            && seen.own.iter().all(is_as_before)
            && seen.others.iter().all(|id| view.others.contains(id) || is_known(id))
    }
}

/// What each view of a target that all scenarios share showed last.
#[derive(Debug, Default)]
pub(super) struct RememberedViews(Mutex<BTreeMap<String, RememberedView>>);

impl RememberedViews {
    /// Remembers it by its name.
    pub(super) fn remember(&self, name: &str, view: RememberedView) {
        self.0.lock().insert(name.to_owned(), view);
    }

    /// What is remembered of this view.
    pub(super) fn last(&self, name: &str) -> Option<RememberedView> {
        self.0.lock().get(name).cloned()
    }

    /// Something was sent of which nobody knows what it changed.
    pub(super) fn doubt(&self) {
        self.0.lock().values_mut().for_each(|view| view.is_clean = false);
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
    fn a_view_is_clean_until_something_unseen_may_have_changed() {
        let views = RememberedViews::default();
        assert_eq!(views.last("GET /v1/requests"), None);
        views.remember("GET /v1/requests", RememberedView::new(view(&[], &["a"], 1), 0));
        assert!(views.last("GET /v1/requests").is_some_and(|view| view.is_clean));
        views.doubt();
        assert!(views.last("GET /v1/requests").is_some_and(|view| !view.is_clean));
    }

    #[test]
    fn every_page_is_read_in_its_turn() {
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
    fn only_what_the_run_changed_explains_a_difference() {
        let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        let remembered = RememberedView {
            changes: ChangesSince { created: set(&["new"]), deleted: set(&["old"]) },
            ..RememberedView::new(view(&[("a", "1"), ("old", "1")], &["b"], 100), 0)
        };
        let explains = |seen: View| remembered.explains(&seen);
        assert!(explains(view(&[("a", "1")], &["b"], 100)), "one was created and one deleted");
        assert!(explains(view(&[("new", "9")], &[], 100)));
        assert!(!explains(view(&[("a", "1")], &["b"], 101)), "the total counts another one");
        assert!(!explains(view(&[("a", "2")], &["b"], 100)), "it is another");
        assert!(!explains(view(&[("old", "1")], &[], 100)), "it was deleted");
        assert!(!explains(view(&[("c", "1")], &[], 100)), "it is new");
        assert!(!explains(view(&[], &["c"], 100)), "it is new");
        let uncounted = View { total: None, ..view(&[], &["b"], 0) };
        assert!(!explains(uncounted), "the list counts nothing");
    }

    #[test]
    fn what_others_made_is_new() {
        let (earlier, later) = (view(&[], &["b"], 1), view(&[], &["b", "c"], 2));
        assert_eq!(later.newcomers(&earlier, &OwnChanges::default()), ["c"]);
    }
}
