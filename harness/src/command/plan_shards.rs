//! The shards of a plan: their scenarios, their likely duration, and the scenarios that must run on shard 1.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::report::terminal::{Table, paint};
use crate::run::environment::Shard;
use crate::run::shard::{FirstShardReason, ShardPlan};
use crate::verdict::pluralize;

/// The shards of a plan.
pub(super) struct PlannedShards {
    pub(super) shard: Shard,
    pub(super) plan: ShardPlan,
    /// Whether the costs are known. If not, all scenarios cost the same.
    pub(super) has_costs: bool,
    /// The factor by which everything takes longer because the shards share the rate; 1 if they do not.
    pub(super) slowdown: u16,
}

impl PlannedShards {
    /// Whether this shard runs the scenario.
    pub(super) fn has(&self, name: &str) -> bool {
        self.plan.of_shard(self.shard.number).any(|it| it.name == name)
    }

    /// The likely seconds of a shard; `None` if no costs are known.
    fn seconds(&self, number: u16) -> Option<f64> {
        let milliseconds: u64 = self.plan.of_shard(number).map(|it| it.cost).sum();
        self.has_costs.then(|| milliseconds as f64 * f64::from(self.slowdown) / 1_000.0)
    }

    /// The number of scenarios that must run on shard 1, by reason.
    fn first_shard_reasons(&self) -> BTreeMap<FirstShardReason, usize> {
        let mut held = BTreeMap::new();
        for reason in self.plan.scenarios.iter().filter_map(|it| it.reason) {
            *held.entry(reason).or_default() += 1;
        }
        held
    }

    /// `[{shard, scenarios, seconds, held}]`; `held` is by reason.
    pub(super) fn json(&self) -> Value {
        let shard = |number: u16| {
            let held = if number == 1 { self.first_shard_reasons() } else { BTreeMap::new() };
            json!({
                "shard": number,
                "scenarios": self.plan.of_shard(number).count(),
                "seconds": self.seconds(number).map(f64::ceil),
                "held": held,
            })
        };
        (1..=self.plan.count).map(shard).collect()
    }

    /// A line for each shard, and the reasons why scenarios stay on shard 1.
    pub(super) fn text(&self) -> String {
        let mut table = Table::with_numbers(2, 1..2);
        for number in 1..=self.plan.count {
            let name = Shard { number, count: self.plan.count };
            let own = if number == self.shard.number { "this plan" } else { "" };
            let time = match self.seconds(number) {
                Some(seconds) => format!("about {:.1} min", seconds / 60.0),
                None => String::new(),
            };
            let scenarios = pluralize(self.plan.of_shard(number).count(), "scenario");
            let note = [time.as_str(), own].into_iter().filter(|it| !it.is_empty());
            let note = note.collect::<Vec<_>>().join(", ");
            table.row([format!("shard {name}"), scenarios, paint::dim(note)]);
        }
        let mut out = format!("\n{}", table.render());
        for (reason, count) in self.first_shard_reasons() {
            let (scenarios, stay) =
                (pluralize(count, "scenario"), if count == 1 { "stays" } else { "stay" });
            let line = format!("{scenarios} {stay} on shard 1: {}", reason.sentence());
            out.push_str(&format!("  {}\n", paint::dim(&line)));
        }
        if self.slowdown > 1 {
            let line = format!(
                "each shard sends at 1/{} of the rate; if they have addresses of their own, give --rate",
                self.slowdown
            );
            out.push_str(&format!("  {}\n", paint::dim(&line)));
        }
        out
    }
}
