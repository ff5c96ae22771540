//! From verdicts to an outcome and an exit code (DESIGN §8).

use crate::exchange::Trouble;
use crate::result::{Outcome, ScenarioResult};
use crate::verdict::Verdict;

/// What a run as a whole came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// In a word.
    pub outcome: Outcome,
    /// 0, 1, 2, 3, 4, 5 or 70.
    pub exit_code: u8,
}

impl Ending {
    /// Nothing failed and all that was selected ran.
    pub const CONFORMANT: Self = Self { outcome: Outcome::Conformant, exit_code: 0 };
    /// A violation.
    pub const NON_CONFORMANT: Self = Self { outcome: Outcome::NonConformant, exit_code: 1 };
    /// Usage, or a file of the user's.
    pub const USAGE: Self = Self { outcome: Outcome::Error, exit_code: 2 };
    /// Nothing selected, or not-run checks that are not tolerated.
    pub const INCOMPLETE: Self = Self { outcome: Outcome::Inconclusive, exit_code: 3 };
    /// The target can't be used, or its network gave no answer.
    pub const UNREACHABLE: Self = Self { outcome: Outcome::Inconclusive, exit_code: 4 };
    /// A snapshot or a pinned answer differs.
    pub const DRIFTED: Self = Self { outcome: Outcome::Drifted, exit_code: 5 };
    /// Our own fault.
    pub const OURS: Self = Self { outcome: Outcome::Error, exit_code: 70 };

    /// The graver of two: 70 > 2 > 1 > 4 > 5 > 3 > 0.
    pub fn graver(self, other: Self) -> Self {
        const GRAVEST_FIRST: [u8; 7] = [70, 2, 1, 4, 5, 3, 0];
        let rank = |code: u8| GRAVEST_FIRST.iter().position(|c| *c == code).unwrap_or(0);
        if rank(other.exit_code) < rank(self.exit_code) { other } else { self }
    }
}

/// The ending of a run that reached its target. Zero passed checks is never a pass.
pub fn ending(scenarios: &[ScenarioResult]) -> Ending {
    let mut ending = Ending::CONFORMANT;
    let mut has_passed = false;
    for scenario in scenarios {
        ending = ending.graver(of_scenario(scenario));
        has_passed |= scenario.steps.iter().any(|step| step.passed > 0);
        has_passed |= scenario.steps.iter().flat_map(|step| &step.checks).any(|check| {
            // A known failure was judged, and weighs no more than a warning.
            matches!(check.verdict, Verdict::Pass | Verdict::Warn | Verdict::Observed)
                || check.verdict == Verdict::Fail && check.known.is_some()
        });
    }
    if has_passed { ending } else { ending.graver(Ending::INCOMPLETE) }
}

fn of_scenario(scenario: &ScenarioResult) -> Ending {
    let is_tolerated = scenario.known.is_some()
        || scenario.not_run.as_ref().is_some_and(|not_run| not_run.is_tolerated);
    let unchecked = if has_trouble(scenario) { Ending::UNREACHABLE } else { Ending::INCOMPLETE };
    let mut ending = match scenario.verdict {
        Verdict::Error => Ending::OURS,
        Verdict::NotRun if !is_tolerated => unchecked,
        Verdict::NotRun
        | Verdict::Fail
        | Verdict::Drift
        | Verdict::Warn
        | Verdict::Observed
        | Verdict::Pass
        | Verdict::NotApplicable => Ending::CONFORMANT,
    };
    for check in scenario.steps.iter().flat_map(|step| &step.checks) {
        ending = ending.graver(match check.weight() {
            Verdict::Error => Ending::OURS,
            Verdict::Fail => Ending::NON_CONFORMANT,
            Verdict::Drift => Ending::DRIFTED,
            Verdict::NotRun if !is_tolerated => unchecked,
            Verdict::NotRun
            | Verdict::Warn
            | Verdict::Observed
            | Verdict::Pass
            | Verdict::NotApplicable => Ending::CONFORMANT,
        });
    }
    ending
}

/// Whether a request of it got no answer: what is not run then is the network's doing.
fn has_trouble(scenario: &ScenarioResult) -> bool {
    scenario.steps.iter().flat_map(|step| &step.exchanges).any(|exchange| match &exchange.outcome {
        Err(
            Trouble::Unreachable(_) | Trouble::Tls(_) | Trouble::Deadline(_) | Trouble::Broken(_),
        ) => true,
        Err(Trouble::Withheld(_)) | Ok(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::Ending;

    #[test]
    fn precedence_is_70_2_1_4_5_3_0() {
        let order = [
            Ending::OURS,
            Ending::USAGE,
            Ending::NON_CONFORMANT,
            Ending::UNREACHABLE,
            Ending::DRIFTED,
            Ending::INCOMPLETE,
            Ending::CONFORMANT,
        ];
        for (index, graver) in order.iter().enumerate() {
            for lesser in &order[index..] {
                assert_eq!(graver.graver(*lesser), *graver);
                assert_eq!(lesser.graver(*graver), *graver);
            }
        }
    }
}
