//! `moot run --repeat`: the same again and again, and whether the verdicts are the same.

use super::failure::Failure;
use super::line::RunArguments;
use crate::result::{Ending, RunResult, Tally};
use crate::run::order::Order;

/// Scenarios side by side in runs that are shuffled, in turn; `None` is the default.
const JOBS: [Option<usize>; 4] = [None, Some(1), Some(3), Some(32)];

/// What one repetition differs in from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) order: Order,
    pub(super) jobs: Option<usize>,
}

/// The turn of this number, from 0.
pub(super) fn turn(arguments: &RunArguments, seed: u64, number: u16) -> Turn {
    let asked = arguments.jobs.map(usize::from);
    if !arguments.shuffle {
        return Turn { order: Order::Files, jobs: asked };
    }
    let drawn = JOBS[usize::from(number) % JOBS.len()];
    Turn {
        order: Order::Drawn(seed.wrapping_add(number.into())),
        // One run that is shuffled is repeated by its seed.
        jobs: asked.or(if arguments.repeat == 1 { None } else { drawn }),
    }
}

/// Runs it so many times. The gravest result stands for all; where verdicts differ between runs it
/// says so, and is graver: on a mock that is our own fault, on a deployment it is drift.
pub(super) fn repeated(
    times: u16,
    mut run: impl FnMut(u16) -> Result<RunResult, Failure>,
) -> Result<RunResult, Failure> {
    let mut gravest = run(0)?;
    if times <= 1 {
        return Ok(gravest);
    }
    let mut tally = Tally::default();
    tally.add(&gravest);
    for number in 1..times {
        // A target that can't be used, or somebody who interrupts: it is not tried again.
        if gravest.trouble.is_some() {
            return Ok(gravest);
        }
        let result = run(number)?;
        let known = ending(&gravest);
        if result.trouble.is_some() {
            return Ok(if known.graver(ending(&result)) == known { gravest } else { result });
        }
        tally.add(&result);
        if known.graver(ending(&result)) != known {
            gravest = result;
        }
    }
    let Some(difference) = tally.difference() else { return Ok(gravest) };
    let is_deployment = gravest.target.class == "deployment";
    let ending =
        ending(&gravest).graver(if is_deployment { Ending::DRIFTED } else { Ending::OURS });
    (gravest.outcome, gravest.exit_code) = (ending.outcome, ending.exit_code);
    let known = gravest.trouble.take().map(|known| format!("{known}\n")).unwrap_or_default();
    gravest.trouble = Some(format!("{known}{}", gravest.masks.mask(&difference)));
    Ok(gravest)
}

fn ending(result: &RunResult) -> Ending {
    Ending { outcome: result.outcome, exit_code: result.exit_code }
}
