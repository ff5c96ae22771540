//! Token requests of scenarios that are about tokens. A service may limit them far more strictly than others, so
//! each scenario gets its first row before any gets a second one, and other scenarios run meanwhile.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use moot_fixtures::contract::Scopes;
use parking_lot::Mutex;

use crate::run::environment::application_of;
use crate::scenario::declared;
use crate::scenario::model::{ForEach, Json, Scenario, Step, StepAction, TextPiece, TokenChoice};
use crate::verdict::{NotRun, NotRunKind};

use super::turn;

/// Rows of a loop over a value of run time, for an estimate: the near misses of an id.
const LOOP_ROWS: u64 = 6;

/// Token requests of one row of a scenario, without those that an earlier scenario may have made.
pub(super) fn token_requests(scenario: &Scenario) -> u64 {
    of_steps(&scenario.steps, false)
}

/// Token requests of all rows of a scenario, also if no earlier scenario made any of them.
pub(super) fn token_requests_of_rows(scenario: &Scenario) -> u64 {
    let rows = scenario.for_each.as_ref().map_or(1, |for_each| rows_likely(&for_each.rows));
    rows * of_steps(&scenario.steps, true)
}

/// The tokens that a scenario shares with others: application and scopes.
pub(super) fn shared_tokens(scenario: &Scenario) -> HashSet<(String, Scopes)> {
    let mut tokens = HashSet::new();
    for need in &scenario.needs {
        match application_of(need) {
            Some("writer") => tokens.insert(("writer".to_owned(), Scopes::WRITE)),
            Some(role) => tokens.insert((role.to_owned(), Scopes::READ)),
            None => false,
        };
    }
    declared::collect(&scenario.steps, &mut |step| {
        let StepAction::Request(request) = &step.action else { return };
        if !request.unchanged.is_empty() {
            tokens.insert(("main".to_owned(), Scopes::READ));
        }
        if let Some(TokenChoice::Shared(scopes)) = &request.shape.token {
            let written = request.shape.application.as_ref().map(|text| text.pieces.as_slice());
            let role = match written {
                Some([TextPiece::Literal(role)]) => role.as_str(),
                _ => "main",
            };
            tokens.insert((role.to_owned(), *scopes));
        }
    });
    tokens
}

fn rows_likely(rows: &Json) -> u64 {
    if let Json::List(rows) = rows { rows.len() as u64 } else { LOOP_ROWS }
}

fn of_steps(steps: &[Step], counts_reused: bool) -> u64 {
    let of_step = |step: &Step| match &step.action {
        StepAction::Request(request) => {
            let is_counted = counts_reused || !request.reuse;
            let own = turn::asks_for_token(&request.shape) && is_counted;
            u64::from(own) + of_steps(&request.finally, counts_reused)
        }
        StepAction::ForEach(ForEach { rows, .. }, inner) => {
            rows_likely(rows) * of_steps(inner, counts_reused)
        }
        _ => 0,
    };
    steps.iter().map(of_step).sum()
}

/// What the first rows of scenarios that did not begin yet will ask for, by the name of the scenario.
#[derive(Debug, Default)]
pub(super) struct TokenBudget {
    first_rows: Mutex<BTreeMap<String, u64>>,
}

impl TokenBudget {
    /// These scenarios will begin.
    pub(super) fn reserve(&self, requests: impl IntoIterator<Item = (String, u64)>) {
        self.first_rows.lock().extend(requests.into_iter().filter(|(_, own)| *own > 0));
    }

    /// Why this row of a scenario does not begin; `None` if its token requests fit in `left`.
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
                "the token endpoint is limited, and the run has asked it as often as it may",
            )
        })
    }
}

/// The place in the queue of the scenario that begins next: one that needs tokens as soon as they can be had, else
/// the first that needs none. `queue` has the token requests of each. The one that needs most begins first:
/// small ones fill the rest of a minute, so that no request of it is lost.
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
    fn what_needs_tokens_begins_when_they_can_be_had_and_the_rest_meanwhile() {
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
    fn every_scenario_has_its_first_row_before_any_has_a_second() {
        let budget = TokenBudget::default();
        budget.reserve([("a".to_owned(), 1), ("b".to_owned(), 3), ("c".to_owned(), 0)]);
        assert!(budget.refuses("a", 0, 1, Some(4)).is_none());
        assert!(budget.refuses("a", 1, 1, None).is_none(), "no limit is known");
        let refused = budget.refuses("a", 1, 1, Some(3)).expect("they are for `b`");
        assert!(refused.is_tolerated, "the target file may ask for more");
        assert!(budget.refuses("b", 0, 3, Some(3)).is_none());
        assert!(budget.refuses("a", 2, 1, Some(1)).is_none(), "`b` has begun");
        assert!(budget.refuses("c", 0, 0, Some(0)).is_none(), "it asks for none");
    }

    #[test]
    fn what_a_scenario_asks_for_is_told_from_its_steps() {
        let files = load::bundled().expect("the bundled suite is sound");
        let of = |id: &str| {
            let mut all = files.iter().flat_map(|file| &file.scenarios);
            token_requests(all.find(|it| it.id == id).expect("it is bundled"))
        };
        assert_eq!(of("client-id-near-miss"), 6);
        assert_eq!(of("tokens-one-after-another"), 4);
        assert_eq!(of("token-works-as-bearer"), 0, "its token may be that of an earlier scenario");
        assert_eq!(of("requests-filtered-by-status"), 0);
        let mut all = files.iter().flat_map(|file| &file.scenarios);
        let scenario = all.find(|it| it.id == "requests-filtered-by-status");
        let tokens = super::shared_tokens(scenario.expect("it is bundled"));
        assert!(tokens.iter().any(|(role, scopes)| role == "main" && scopes.read), "{tokens:?}");
    }
}
