//! Assigns the scenarios of a run to shards. Every shard computes the same assignment from the same inputs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::run::environment::{SAME_MACHINE_SHARD, text_hash};
use crate::scenario::declared;
use crate::scenario::model::{OperatorAction, Scenario, StepAction};
use crate::scenario::plan::PlanEntry;

use super::read_only;

/// The reason why a scenario stays on shard 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstShardReason {
    /// It sends so many requests that it meets the rate limit of the address.
    Load,
    /// It asks for tokens or uses them up. All shards share the limit of the token endpoint.
    Tokens,
    /// It restarts the service or moves its clock, which affects every scenario.
    SharedState,
}

/// A scenario of the plan with its shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardedScenario {
    /// `stem/id`.
    pub name: String,
    /// The shard that runs it, from 1.
    pub shard: u16,
    /// The reason why it stays on shard 1.
    pub reason: Option<FirstShardReason>,
    /// The expected milliseconds; 1 if no cost is known.
    pub cost: u64,
}

/// The plan of a run with shards: every scenario once, in the order of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardPlan {
    /// The number of shards.
    pub count: u16,
    /// In the order of the files.
    pub scenarios: Vec<ShardedScenario>,
}

impl FirstShardReason {
    /// The kind of scenarios, in a few words.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Load => "load, which needs the rate limit of the address",
            Self::Tokens => "requests for tokens, expired and revoked tokens",
            Self::SharedState => "restarts, and moves of the clock",
        }
    }

    /// The reason why this scenario stays on shard 1; `None` if any shard may run it.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let acts = |action: OperatorAction| scenario.needs(&action.need());
        if acts(OperatorAction::Restart) || acts(OperatorAction::AdvanceClock) {
            return Some(Self::SharedState);
        }
        let (mut is_load, mut asks_for_tokens) = (scenario.needs("load"), false);
        declared::collect(&scenario.steps, &mut |step| match &step.action {
            StepAction::Burst(burst) => is_load |= !burst.plan.is_few(),
            StepAction::Request(request) => {
                let control = request.control.as_ref();
                asks_for_tokens |= read_only::asks_for_token(&request.shape)
                    || control.is_some_and(|it| read_only::asks_for_token(&it.shape));
            }
            _ => {}
        });
        let uses_up_tokens = scenario.needs("expired_token")
            || scenario.needs("revoked_token")
            || acts(OperatorAction::RevokeToken);
        match (is_load, asks_for_tokens || uses_up_tokens) {
            (true, _) => Some(Self::Load),
            (false, true) => Some(Self::Tokens),
            (false, false) => None,
        }
    }
}

impl ShardPlan {
    /// Assigns each scenario to a shard. The longest scenario goes first, to the shard with the least work. `costs` are
    /// milliseconds by scenario; a missing cost is the median. Without costs the order is that of a hash of the names.
    pub fn new(planned: &[PlanEntry<'_>], costs: &BTreeMap<String, u64>, count: u16) -> Self {
        let mut known: Vec<u64> = costs.values().copied().collect();
        known.sort_unstable();
        let median = known.get(known.len() / 2).copied().unwrap_or(1);
        let cost = |name: &str| costs.get(name).copied().unwrap_or(median).max(1);
        let mut scenarios: Vec<ShardedScenario> = planned
            .iter()
            .map(|planned| {
                let name = planned.name().to_string();
                let reason = FirstShardReason::of(planned.scenario);
                ShardedScenario { cost: cost(&name), name, shard: SAME_MACHINE_SHARD, reason }
            })
            .collect();
        let drawn = |name: &str| if costs.is_empty() { text_hash(0, name) } else { 0 };
        assign(&mut scenarios, count, drawn);
        Self { count, scenarios }
    }

    /// The scenarios of one shard.
    pub fn of_shard(&self, number: u16) -> impl Iterator<Item = &ShardedScenario> {
        self.scenarios.iter().filter(move |it| it.shard == number)
    }

    /// The names of the scenarios of one shard.
    pub fn names(&self, number: u16) -> BTreeSet<String> {
        self.of_shard(number).map(|it| it.name.clone()).collect()
    }
}

/// Assigns items with their costs to shards, the most expensive first. The items keep their order.
pub fn assigned(items: Vec<(String, u64)>, count: u16) -> Vec<(String, u16)> {
    let row =
        |(name, cost)| ShardedScenario { name, cost, shard: SAME_MACHINE_SHARD, reason: None };
    let mut rows: Vec<ShardedScenario> = items.into_iter().map(row).collect();
    assign(&mut rows, count, |_| 0);
    rows.into_iter().map(|row| (row.name, row.shard)).collect()
}

/// Assigns the rows that any shard may run: the most expensive first, to the shard with the least work. Of rows with
/// equal costs the one with the smallest number in `drawn` is first.
fn assign(rows: &mut [ShardedScenario], count: u16, drawn: impl Fn(&str) -> u64) {
    let mut loads = vec![0; usize::from(count.max(1))];
    loads[0] = rows.iter().filter(|row| row.reason.is_some()).map(|row| row.cost).sum();
    let mut free: Vec<_> = rows.iter_mut().filter(|row| row.reason.is_none()).collect();
    free.sort_by_cached_key(|row| (Reverse(row.cost), drawn(&row.name), row.name.clone()));
    for row in free {
        let least = (0..loads.len()).min_by_key(|at| loads[*at]).unwrap_or_default();
        loads[least] = row.cost.saturating_add(loads[least]);
        row.shard = u16::try_from(least + 1).unwrap_or(u16::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{FirstShardReason, ShardPlan};
    use crate::scenario::{load, plan};

    #[test]
    fn every_scenario_has_one_shard_and_held_ones_are_on_shard_1() {
        let files = load::bundled().expect("the bundled suite is sound");
        let planned = plan::select(&files, &[]).expect("all");
        let costs: BTreeMap<String, u64> = planned
            .iter()
            .zip(1..)
            .map(|(one, cost)| (one.name().to_string(), cost * 7 % 101))
            .collect();
        for (costs, count) in
            [(&BTreeMap::new(), 1), (&BTreeMap::new(), 5), (&costs, 3), (&costs, 8)]
        {
            let plan = ShardPlan::new(&planned, costs, count);
            assert_eq!(plan, ShardPlan::new(&planned, costs, count));
            let names: Vec<&str> = plan.scenarios.iter().map(|it| it.name.as_str()).collect();
            let in_files: Vec<String> = planned.iter().map(|one| one.name().to_string()).collect();
            assert_eq!(names, in_files);
            assert!(plan.scenarios.iter().all(|it| (1..=count).contains(&it.shard)));
            assert!(plan.scenarios.iter().all(|it| it.reason.is_none() || it.shard == 1));
            let used: BTreeSet<u16> = plan.scenarios.iter().map(|it| it.shard).collect();
            assert_eq!(used.len(), usize::from(count), "every shard has a scenario");
        }
    }

    #[test]
    fn the_longest_go_first_to_the_shard_with_the_least_work() {
        let files = load::bundled().expect("the bundled suite is sound");
        let planned: Vec<_> = plan::select(&files, &["02_07_pagination".to_owned()])
            .expect("a file")
            .into_iter()
            .take(5)
            .collect();
        let costs =
            planned.iter().zip([9, 5, 4, 4, 1]).map(|(one, cost)| (one.name().to_string(), cost));
        let plan = ShardPlan::new(&planned, &costs.collect(), 2);
        let held_back = plan.scenarios.iter().filter(|it| it.reason.is_some()).count();
        assert_eq!(held_back, 0);
        let sums = [1, 2].map(|number| plan.of_shard(number).map(|it| it.cost).sum::<u64>());
        // 9 | 5, then 9 | 5 + 4. Of two equal shards the first gets 4, and the other one gets 1.
        assert_eq!(sums, [9 + 4, 5 + 4 + 1]);
    }

    #[test]
    fn the_reasons_to_stay_on_shard_1() {
        let files = load::bundled().expect("the bundled suite is sound");
        let reason = |id: &str| {
            let mut all = files.iter().flat_map(|file| &file.scenarios);
            FirstShardReason::of(all.find(|it| it.id == id).expect("it is bundled"))
        };
        assert_eq!(reason("fifteen-hundred"), Some(FirstShardReason::Load));
        assert_eq!(reason("exactly-six-hundred"), Some(FirstShardReason::Load));
        assert_eq!(reason("token-lives-two-hours"), Some(FirstShardReason::SharedState));
        assert_eq!(reason("token-expired-for-reading"), Some(FirstShardReason::Tokens));
        assert_eq!(reason("pagination-partition"), None);
    }
}
