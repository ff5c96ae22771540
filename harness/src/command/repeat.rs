//! `moot run --repeat`: runs several times with the same options, and compares the verdicts.

use clap::Args;

use super::error::CommandError;
use super::number::number;
use crate::exchange::TargetClass;
use crate::verdict::result::{RunOutcome, RunResult, Tally};

/// The numbers of concurrent scenarios that shuffled runs use in turn; `None` is the default.
const JOBS: [Option<usize>; 4] = [None, Some(1), Some(3), Some(32)];

/// The options for the repetitions of a run, and for their order.
#[derive(Debug, Args)]
pub(super) struct RepeatArguments {
    /// Concurrent scenarios, on a mock or on a deployment on loopback without a rate limit (--rate 0).
    /// On a deployment, a scenario that sends anything but GET runs alone
    #[arg(long, value_name = "N", value_parser = number::<u16>(1..=256))]
    pub(super) jobs: Option<u16>,
    /// Run this many times. Reports the most severe result, and every verdict that differs between the runs
    /// (exit 70 on a mock; exit 5 on a deployment, which must be without consent)
    #[arg(
        long, value_name = "TIMES", default_value_t = 1, conflicts_with = "record",
        value_parser = number::<u16>(1..=1_000)
    )]
    pub(super) repeat: u16,
    /// Run the scenarios in an order drawn from the seed. With --repeat, each run has another order and,
    /// without --jobs, another number of concurrent scenarios
    #[arg(long)]
    pub(super) shuffle: bool,
}

impl RepeatArguments {
    /// The seed of the order and the number of concurrent scenarios of a repetition; `number` starts at 0.
    pub(super) fn repetition(&self, seed: u64, number: u16) -> (Option<u64>, Option<usize>) {
        let jobs = self.jobs.map(usize::from);
        if !self.shuffle {
            return (None, jobs);
        }
        let in_turn = JOBS[usize::from(number) % JOBS.len()];
        // A single shuffled run must be reproducible by its seed alone.
        let jobs = jobs.or(if self.repeat == 1 { None } else { in_turn });
        (Some(seed.wrapping_add(number.into())), jobs)
    }
}

/// Calls `run` this many times, and returns the most severe result. If verdicts differ between the runs, that is an
/// internal error on a mock, and drift on a deployment.
pub(super) fn repeated(
    times: u16,
    mut run: impl FnMut(u16) -> Result<RunResult, CommandError>,
) -> Result<RunResult, CommandError> {
    let mut worst = run(0)?;
    if times <= 1 {
        return Ok(worst);
    }
    let mut tally = Tally::default();
    tally.add(&worst);
    for number in 1..times {
        // No further run after an interruption, or if the target can't be used.
        if worst.trouble.is_some() {
            return Ok(worst);
        }
        let result = run(number)?;
        let is_worse = result.outcome > worst.outcome;
        if result.trouble.is_some() {
            return Ok(if is_worse { result } else { worst });
        }
        tally.add(&result);
        if is_worse {
            worst = result;
        }
    }
    let Some(difference) = tally.difference() else { return Ok(worst) };
    let is_deployment = worst.target.class == TargetClass::Deployment;
    let differs = if is_deployment { RunOutcome::Drifted } else { RunOutcome::Internal };
    worst.outcome = worst.outcome.max(differs);
    let trouble = worst.trouble.take().map(|trouble| format!("{trouble}\n")).unwrap_or_default();
    worst.trouble = Some(format!("{trouble}{}", worst.masks.mask(&difference)));
    Ok(worst)
}
