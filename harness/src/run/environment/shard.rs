//! One shard of a run, and its share of the limits of a target file.

use std::fmt;
use std::str::FromStr;

use crate::client::target_file::FileLimits;

/// The largest number of shards.
const SHARDS_MAX: u16 = 256;

/// The shard with the scenarios that must run on the same machine.
pub const SAME_MACHINE_SHARD: u16 = 1;

/// One shard of a run: `2/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 1.
    pub number: u16,
    /// The number of shards.
    pub count: u16,
}

impl Shard {
    /// The only shard of a run.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// Whether the item with this index belongs to this shard, if shards take items in turn.
    pub fn has(self, index: usize) -> bool {
        index % usize::from(self.count) + 1 == usize::from(self.number)
    }

    /// The share of this shard of the rates of a target file. Budgets of a whole run are not changed.
    pub(crate) fn limits(self, limits: FileLimits) -> FileLimits {
        let tokens = limits.token_requests_per_minute;
        FileLimits {
            requests_per_minute: self.share_of(limits.requests_per_minute),
            token_requests_per_minute: tokens.map(|rate| self.share_of_held(rate)),
            ..limits
        }
    }

    /// The share of this shard of a budget, at least 1. A budget of 0 means no limit.
    pub fn share_of(self, budget: u32) -> u32 {
        match budget {
            0 => 0,
            budget => (budget / u32::from(self.count)).max(1),
        }
    }

    /// The share of a budget that mostly shard 1 needs. It gets all that the small shares of the others leave. A budget
    /// of 0 means no limit.
    pub fn share_of_held(self, budget: u32) -> u32 {
        let other = self.share_of(budget);
        match self.number {
            SAME_MACHINE_SHARD if budget > 0 => {
                budget.saturating_sub(other * (u32::from(self.count) - 1)).max(1)
            }
            _ => other,
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, count)| {
            Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        let shard = numbers
            .ok_or_else(|| format!("`{text}` is not K/N, such as `2/5`: the second of five"))?;
        if shard.count > SHARDS_MAX {
            return Err(format!("there are at most {SHARDS_MAX} shards"));
        }
        match shard.number {
            1.. if shard.number <= shard.count => Ok(shard),
            _ => Err(format!("the shards of `{text}` are 1/{0} to {0}/{0}", shard.count.max(1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn a_shard_is_number_and_count() {
        for (text, expected) in [
            ("1/1", Some((1, 1))),
            ("2/5", Some((2, 5))),
            ("5/5", Some((5, 5))),
            ("0/5", None),
            ("6/5", None),
            ("1/0", None),
            ("1", None),
            ("a/b", None),
            ("1/257", None),
            ("-1/5", None),
        ] {
            let parsed = text.parse::<Shard>().ok().map(|it| (it.number, it.count));
            assert_eq!(parsed, expected, "{text}");
        }
    }

    #[test]
    fn the_shares_of_a_budget_are_never_more_than_the_budget_or_one_each() {
        for budget in [0, 1, 3, 8, 540, 600] {
            for count in 1..=8 {
                let shards = || (1..=count).map(move |number| Shard { number, count });
                let sum: u32 = shards().map(|it| it.share_of(budget)).sum();
                let held: u32 = shards().map(|it| it.share_of_held(budget)).sum();
                let most = if budget == 0 { 0 } else { budget.max(count.into()) };
                assert!(sum <= most && held <= most, "{budget} for {count}: {sum}, {held}");
                assert!(budget == 0 || shards().all(|it| it.share_of(budget) > 0));
            }
        }
    }
}
