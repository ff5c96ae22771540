//! The token requests that scenarios may send. A service may limit them strictly. So the first row of every scenario
//! comes before the second row of any, and other scenarios run in the meantime.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::scenario::model::{ForEach, Json, Scenario, Step, StepAction};
use crate::verdict::{NotRun, NotRunKind};

use super::read_only;

/// The likely number of rows that are known only at run time: near misses, or items of a short list.
pub(super) const LOOP_ROWS_LIKELY: u64 = 6;

/// Token requests of one row of a scenario, without those that an earlier scenario may have sent for it.
pub(super) fn token_requests(scenario: &Scenario) -> u64 {
    of_steps(&scenario.steps, false)
}

/// Token requests of all rows of a scenario if no earlier scenario has sent them.
pub(super) fn token_requests_of_rows(scenario: &Scenario) -> u64 {
    let rows = scenario.for_each.as_ref().map_or(1, |for_each| rows_likely(&for_each.rows));
    rows * of_steps(&scenario.steps, true)
}

fn rows_likely(rows: &Json) -> u64 {
    if let Json::List(rows) = rows { rows.len() as u64 } else { LOOP_ROWS_LIKELY }
}

fn of_steps(steps: &[Step], counts_reused: bool) -> u64 {
    let of_step = |step: &Step| match &step.action {
        StepAction::Request(request) => {
            let is_counted = counts_reused || !request.reuse;
            let own = read_only::asks_for_token(&request.shape) && is_counted;
            u64::from(own) + of_steps(&request.finally, counts_reused)
        }
        StepAction::ForEach(ForEach { rows, .. }, inner) => {
            rows_likely(rows) * of_steps(inner, counts_reused)
        }
        _ => 0,
    };
    steps.iter().map(of_step).sum()
}

/// Token requests of the first rows of scenarios that have not started, by the name of the scenario.
#[derive(Debug, Default)]
pub(super) struct TokenBudget {
    first_rows: Mutex<BTreeMap<String, u64>>,
}

impl TokenBudget {
    /// Reserves token requests for scenarios that will run.
    pub(super) fn reserve(&self, requests: impl IntoIterator<Item = (String, u64)>) {
        self.first_rows.lock().extend(requests.into_iter().filter(|(_, own)| *own > 0));
    }

    /// The reason why this row of a scenario does not run; `None` if its token requests fit in `left`.
    pub(super) fn refuses(
        &self,
        scenario: &str,
        row: usize,
        own: u64,
        left: Option<u32>,
    ) -> Option<NotRun> {
        let mut first_rows = self.first_rows.lock();
        first_rows.remove(scenario);
        let left = u64::from(left?);
        let reserved = if row == 0 { 0 } else { first_rows.values().sum() };
        (own > 0 && own + reserved > left).then(|| NotRun {
            setting: Some("limits.token_requests_max in the target file".to_owned()),
            is_tolerated: true,
            ..NotRun::new(
                NotRunKind::TokenBudget,
                "the token endpoint is limited, and the run has used all its token requests",
            )
        })
    }
}

/// The place in the queue of the scenario that starts next. `queue` has the token requests of each scenario, and `free`
/// of them can be sent now. A scenario with token requests goes first if they fit, the largest before smaller ones, so
/// that smaller ones use the rest of a minute. Otherwise the first scenario without token requests goes.
pub(super) fn next(queue: &[u64], free: usize) -> usize {
    let ready = (0..queue.len()).filter(|at| (1..=free as u64).contains(&queue[*at]));
    let most = ready.max_by_key(|at| (queue[*at], Reverse(*at)));
    most.or_else(|| queue.iter().position(|own| *own == 0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{TokenBudget, next, token_requests};
    use crate::scenario::load;

    #[test]
    fn scenarios_with_token_requests_start_when_these_fit_and_others_meanwhile() {
        for (queue, free, expected) in [
            (&[0, 0, 2][..], 8, 2),
            (&[0, 3, 2], 2, 2),
            (&[4, 0, 2], 1, 1),
            (&[4, 2], 1, 0),
            (&[0, 0], 8, 0),
            (&[1, 0, 3, 5, 3], 4, 2),
        ] {
            assert_eq!(next(queue, free), expected, "{queue:?} {free}");
        }
    }

    #[test]
    fn the_first_row_of_every_scenario_comes_before_a_second_row() {
        let budget = TokenBudget::default();
        budget.reserve([("a".to_owned(), 1), ("b".to_owned(), 3), ("c".to_owned(), 0)]);
        assert!(budget.refuses("a", 0, 1, Some(4)).is_none());
        assert!(budget.refuses("a", 1, 1, None).is_none(), "no limit is known");
        let refused = budget.refuses("a", 1, 1, Some(3)).expect("they are reserved for `b`");
        assert!(refused.is_tolerated, "the target file may ask for more");
        assert!(budget.refuses("b", 0, 3, Some(3)).is_none());
        assert!(budget.refuses("a", 2, 1, Some(1)).is_none(), "`b` has started");
        assert!(budget.refuses("c", 0, 0, Some(0)).is_none(), "it asks for none");
    }

    #[test]
    fn token_requests_are_counted_from_the_steps() {
        let files = load::bundled().expect("the bundled suite is sound");
        let of = |id: &str| {
            let mut all = files.iter().flat_map(|file| &file.scenarios);
            token_requests(all.find(|it| it.id == id).expect("it is bundled"))
        };
        assert_eq!(of("client-id-near-miss"), 6);
        assert_eq!(of("tokens-one-after-another"), 4);
        assert_eq!(of("token-works-as-bearer"), 0, "its token may be that of an earlier scenario");
        assert_eq!(of("requests-filtered-by-status"), 0);
    }
}
