//! The statuses that may follow a status of a legal request (§3), and the shortest way between two
//! statuses.

use std::collections::{BTreeMap, VecDeque};

use moot_fixtures::contract::{Answers, LegalRequestStatus};

/// The statuses that may follow `from`.
pub(crate) fn next(answers: &Answers, from: LegalRequestStatus) -> &[LegalRequestStatus] {
    answers.transitions.get(&from).map_or(&[], Vec::as_slice)
}

/// The shortest legal way from one status to another, without the first status; `None` if there is none. Of
/// several shortest ways, it takes the one whose statuses come first in §3.
pub(crate) fn way(
    answers: &Answers,
    from: LegalRequestStatus,
    to: LegalRequestStatus,
) -> Option<Vec<LegalRequestStatus>> {
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut waiting = VecDeque::from([from]);
    while let Some(status) = waiting.pop_front() {
        if status == to {
            let mut way = Vec::new();
            let mut at = to;
            while at != from {
                way.push(at);
                at = came_from[&at];
            }
            way.reverse();
            return Some(way);
        }
        let mut choices = next(answers, status).to_vec();
        choices.sort();
        for following in choices {
            if let std::collections::btree_map::Entry::Vacant(entry) = came_from.entry(following) {
                entry.insert(status);
                waiting.push_back(following);
            }
        }
    }
    None
}

/// The whole way from a status to a goal. A draft passes `initial_review` if the transitions allow it.
pub(crate) fn towards_goal(
    answers: &Answers,
    status: LegalRequestStatus,
    goal: LegalRequestStatus,
) -> Option<Vec<LegalRequestStatus>> {
    const REVIEW: LegalRequestStatus = LegalRequestStatus::InitialReview;
    if status == LegalRequestStatus::Draft && goal != LegalRequestStatus::Draft {
        let to_review = way(answers, status, REVIEW);
        if let Some((mut steps, rest)) = to_review.zip(way(answers, REVIEW, goal)) {
            steps.extend(rest);
            return Some(steps);
        }
    }
    way(answers, status, goal)
}
