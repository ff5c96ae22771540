//! The outcome of a run and its exit code, from the verdicts.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::exchange::Trouble;
use crate::verdict::Verdict;
use crate::verdict::result::ScenarioResult;

/// The outcome of a run. The most severe is the greatest: the order of the exit codes is 70, 2, 1, 4, 5,
/// 3, 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(VariantArray)]
pub enum RunOutcome {
    /// Nothing failed, and everything that was selected ran.
    #[default]
    Conformant,
    /// Nothing was selected, or some checks were not run and are not tolerated.
    Incomplete,
    /// A snapshot or a pinned answer differs.
    Drifted,
    /// The target can't be used, or did not respond.
    Unreachable,
    /// The target violates the specification.
    NonConformant,
    /// The command line or a file of the user is wrong.
    Usage,
    /// An error of this program.
    Internal,
}

impl RunOutcome {
    /// 0, 1, 2, 3, 4, 5 or 70.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Conformant => 0,
            Self::NonConformant => 1,
            Self::Usage => 2,
            Self::Incomplete => 3,
            Self::Unreachable => 4,
            Self::Drifted => 5,
            Self::Internal => 70,
        }
    }

    /// `conformant`, `non-conformant`, `error`, `inconclusive` or `drifted`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conformant => "conformant",
            Self::NonConformant => "non-conformant",
            Self::Usage | Self::Internal => "error",
            Self::Incomplete | Self::Unreachable => "inconclusive",
            Self::Drifted => "drifted",
        }
    }

    /// The meaning of the exit code, as a clause.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Conformant => {
                "nothing failed, and everything selected ran or is tolerated by name"
            }
            Self::NonConformant => "the target violates the specification",
            Self::Usage => "the command or a file given to it is wrong; nothing was sent",
            Self::Incomplete => "not everything could be checked, and not all of that is tolerated",
            Self::Unreachable => {
                "the target could not be reached or did not respond, refused the credentials, or does not fit its file"
            }
            Self::Drifted => {
                "a snapshot or a pinned answer differs, or an expected failure did not happen"
            }
            Self::Internal => "an error of this program",
        }
    }
}

/// The outcome of a run that reached its target. A run in which no check passed is never conformant.
pub fn outcome_of(scenarios: &[ScenarioResult]) -> RunOutcome {
    let worst = scenarios.iter().map(of_scenario).max().unwrap_or(RunOutcome::Conformant);
    if scenarios.iter().any(has_passed) { worst } else { worst.max(RunOutcome::Incomplete) }
}

fn has_passed(scenario: &ScenarioResult) -> bool {
    scenario.steps.iter().any(|step| step.passed > 0)
        || scenario.checks().any(|check| {
            // A known failure was judged. It counts as a warning.
            matches!(check.verdict, Verdict::Pass | Verdict::Warn | Verdict::Observed)
                || check.verdict == Verdict::Fail && check.known.is_some()
        })
}

fn of_scenario(scenario: &ScenarioResult) -> RunOutcome {
    let is_tolerated = scenario.known.is_some()
        || scenario.not_run.as_ref().is_some_and(|not_run| not_run.is_tolerated);
    let unchecked = match (is_tolerated, has_trouble(scenario)) {
        (true, _) => RunOutcome::Conformant,
        (false, true) => RunOutcome::Unreachable,
        (false, false) => RunOutcome::Incomplete,
    };
    let own = match scenario.verdict {
        Verdict::Error => RunOutcome::Internal,
        Verdict::NotRun => unchecked,
        // The verdicts of its checks decide, below.
        _ => RunOutcome::Conformant,
    };
    let of_check = |verdict: Verdict| match verdict {
        Verdict::Error => RunOutcome::Internal,
        Verdict::Fail => RunOutcome::NonConformant,
        Verdict::Drift => RunOutcome::Drifted,
        Verdict::NotRun => unchecked,
        Verdict::Warn | Verdict::Observed | Verdict::Pass | Verdict::NotApplicable => {
            RunOutcome::Conformant
        }
    };
    scenario.checks().map(|check| of_check(check.weight())).fold(own, RunOutcome::max)
}

/// Whether the target did not respond to a request of the scenario.
fn has_trouble(scenario: &ScenarioResult) -> bool {
    scenario.exchanges().any(|exchange| match &exchange.outcome {
        Err(
            Trouble::Unreachable(_) | Trouble::Tls(_) | Trouble::Timeout(_) | Trouble::Broken(_),
        ) => true,
        // The target sent part of a response, or the request was not sent.
        Err(Trouble::CutShort(_) | Trouble::Withheld(_) | Trouble::Operator(_)) | Ok(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::RunOutcome;

    #[test]
    fn precedence_is_70_2_1_4_5_3_0() {
        let codes = RunOutcome::VARIANTS.iter().rev().map(|outcome| outcome.exit_code());
        assert_eq!(codes.collect::<Vec<_>>(), [70, 2, 1, 4, 5, 3, 0]);
    }
}
