//! The result of a comparison. Its JSON is the JSON report.

use moot_fixtures::contract::Level;
use serde::Serialize;
use strum::{AsRefStr, VariantArray};

use crate::client::answers::Difference;
use crate::verdict::Verdict;
use crate::verdict::result::RunOutcome;

/// The published JSON Schema, `moot schema compare`.
pub const SCHEMA: &str = include_str!("../../schemas/compare.json");

/// Version of the JSON shape. It increases when a member changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 1;

/// The most pairs of further readings of one difference.
pub(super) const FURTHER_READINGS_MAX: usize = 20;

/// The class of a difference, in the order of reports. The text is the name in reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[derive(AsRefStr, VariantArray)]
pub enum DifferenceClass {
    /// A violation of the first side only.
    #[strum(serialize = "A violates")]
    AViolates,
    /// A violation of the second side only.
    #[strum(serialize = "B violates")]
    BViolates,
    /// A violation of both sides at the same place. It is not a difference, but it is reported.
    #[strum(serialize = "both violate")]
    BothViolate,
    /// An open question that the sides answer differently.
    #[strum(serialize = "both allowed")]
    BothAllowed,
    /// No requirement and no open question names it, or only one side was asked.
    #[default]
    #[strum(serialize = "undecidable")]
    Undecidable,
}

/// A whole comparison.
#[derive(Debug, Clone, Serialize)]
pub struct TargetComparison {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of this program.
    pub moot_version: &'static str,
    /// Version of the interface description that the verdicts are based on.
    pub interface_version: &'static str,
    /// The outcome, as of a run.
    #[serde(skip)]
    pub outcome: RunOutcome,
    /// 0, 1, 2, 3, 4, 5 or 70.
    pub exit_code: u8,
    /// The exit code in words.
    pub meaning: &'static str,
    /// The first side.
    pub a: ComparedSide,
    /// The second.
    pub b: ComparedSide,
    /// The seed of both runs.
    pub seed: u64,
    /// The selectors; empty means all scenarios.
    pub selectors: Vec<String>,
    /// The command that repeats the comparison.
    pub reproduce: String,
    /// The extent of the comparison.
    pub compared: ComparedCounts,
    /// In the order of their classes.
    pub differences: Vec<SideDifference>,
    /// Open questions that only one side answered. They are not differences.
    pub answered_by_one: Vec<Difference>,
    /// Scenarios and checks that ran on neither side, or only on one side if the other side's target
    /// file tolerates it, by reason.
    pub not_compared: Vec<SkippedComparison>,
}

/// One side.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedSide {
    /// Its name on the command line.
    pub word: String,
    /// Base address.
    pub base_url: String,
    /// `mock in process`, `moot mock`, `deployment`.
    pub class: String,
    /// Start of its run, ISO 8601 UTC. For a recording, when it was judged.
    pub started_at: String,
    /// Outcome of its run.
    #[serde(skip)]
    pub outcome: RunOutcome,
    /// Exit code of its run.
    pub exit_code: u8,
    /// Why the target could not be used.
    pub trouble: Option<String>,
    /// Requests sent. 0 for a recording.
    pub requests_sent: u64,
    /// Expected failures of its target file that did not happen, by id.
    pub stale: Vec<String>,
}

/// The extent of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ComparedCounts {
    /// Scenarios; each row of a scenario counts.
    pub scenarios: usize,
    /// Checks that judged both sides.
    pub checks: usize,
    /// Responses. The deliveries that a step received count as one.
    pub exchanges: usize,
    /// Checks that only ran on one side because of another difference.
    pub follow_ups: usize,
}

/// One difference, with all places.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SideDifference {
    /// Its class.
    pub class: DifferenceClass,
    /// Id of the requirement or the question. If there is none, the place: `header cache-control`.
    pub subject: String,
    /// The clause; null if there is none.
    pub section: Option<String>,
    /// `stated`, `inherited`, `example`, `open`; null if there is no requirement and no question.
    pub level: Option<Level>,
    /// `fail` or `warn` of a violation.
    pub verdict: Option<Verdict>,
    /// The statement, or the question.
    pub sentence: Option<String>,
    /// Describes the violation, or explains the difference.
    pub message: String,
    /// The reading of the first side.
    pub a: String,
    /// The reading of the second side.
    pub b: String,
    /// Other readings at further places, if no check and no answer has them: at most [`FURTHER_READINGS_MAX`].
    pub further_readings: Vec<ReadingPair>,
    /// All scenarios and steps with this difference.
    pub places: Vec<String>,
    /// Ids of further requirements that the same responses break.
    pub also: Vec<String>,
    /// A curl line for the side with the violation. Secrets are shell variables.
    pub curl: Option<String>,
    /// The reason, if it is an expected failure at all its places.
    pub known: Option<String>,
}

/// The readings of both sides at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadingPair {
    /// The reading of the first side.
    pub a: String,
    /// The reading of the second side.
    pub b: String,
}

/// Scenarios or checks that were not compared for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedComparison {
    /// A clause.
    pub reason: String,
    /// Whether a target file tolerates it.
    pub is_tolerated: bool,
    /// Scenarios, or checks of one.
    pub names: Vec<String>,
}

impl SideDifference {
    /// The effect on the exit code. A warning of both sides and an expected failure have no effect.
    fn ending(&self) -> RunOutcome {
        match self.class {
            DifferenceClass::AViolates
            | DifferenceClass::BViolates
            | DifferenceClass::BothViolate
                if self.known.is_some() =>
            {
                RunOutcome::Conformant
            }
            DifferenceClass::BothViolate if self.verdict == Some(Verdict::Warn) => {
                RunOutcome::Conformant
            }
            DifferenceClass::AViolates
            | DifferenceClass::BViolates
            | DifferenceClass::BothViolate => RunOutcome::NonConformant,
            DifferenceClass::BothAllowed => RunOutcome::Drifted,
            DifferenceClass::Undecidable => RunOutcome::Incomplete,
        }
    }
}

impl TargetComparison {
    /// Passes every text of a side or of the command line through `shown`, which masks or escapes it.
    pub fn with_texts(mut self, shown: impl Fn(&str) -> String) -> Self {
        let each = |text: &mut String| *text = shown(text);
        for side in [&mut self.a, &mut self.b] {
            each(&mut side.word);
            each(&mut side.base_url);
            side.trouble.iter_mut().chain(&mut side.stale).for_each(each);
        }
        self.selectors.iter_mut().for_each(each);
        each(&mut self.reproduce);
        for one in &mut self.differences {
            [&mut one.subject, &mut one.message, &mut one.a, &mut one.b].into_iter().for_each(each);
            one.further_readings.iter_mut().flat_map(|it| [&mut it.a, &mut it.b]).for_each(each);
            one.places.iter_mut().chain(&mut one.curl).chain(&mut one.known).for_each(each);
        }
        for one in &mut self.not_compared {
            each(&mut one.reason);
            one.names.iter_mut().for_each(each);
        }
        self
    }

    /// The differences of this class.
    pub fn of(&self, class: DifferenceClass) -> impl Iterator<Item = &SideDifference> {
        self.differences.iter().filter(move |one| one.class == class)
    }
}

/// The most severe outcome of the sides and of the differences. Violations of a run count as differences. The outcome
/// of a run counts only if it could not be compared.
pub(super) fn outcome(
    sides: [&ComparedSide; 2],
    differences: &[SideDifference],
    not_compared: &[SkippedComparison],
    compared: ComparedCounts,
) -> RunOutcome {
    let of_side = |side: &ComparedSide| match side.outcome {
        outcome @ (RunOutcome::Internal | RunOutcome::Usage | RunOutcome::Unreachable) => outcome,
        _ if !side.stale.is_empty() => RunOutcome::Drifted,
        _ => RunOutcome::Conformant,
    };
    let of_differences = differences.iter().map(SideDifference::ending);
    let all = of_differences.chain(sides.map(of_side));
    let ending = all.max().unwrap_or(RunOutcome::Conformant);
    if compared.checks == 0 || not_compared.iter().any(|one| !one.is_tolerated) {
        return ending.max(RunOutcome::Incomplete);
    }
    ending
}

/// The outcome in words.
pub(super) fn meaning(
    outcome: RunOutcome,
    sides: [&ComparedSide; 2],
    differences: &[SideDifference],
) -> &'static str {
    let is_stale = sides.iter().any(|side| !side.stale.is_empty());
    let is_answered = differences.iter().any(|one| one.class == DifferenceClass::BothAllowed);
    match outcome {
        RunOutcome::Conformant if differences.iter().any(|one| one.known.is_some()) => {
            "they differ only in expected failures"
        }
        RunOutcome::Conformant => {
            "the sides gave the same responses to everything that was compared"
        }
        RunOutcome::NonConformant => "a side violates the specification",
        RunOutcome::Usage => outcome.meaning(),
        RunOutcome::Incomplete if differences.is_empty() => {
            "nothing differs, but not everything was compared"
        }
        RunOutcome::Incomplete => {
            "no requirement and no open question decides a difference, or something did not run"
        }
        RunOutcome::Unreachable => "a side could not be reached, or refused the credentials",
        RunOutcome::Drifted if is_stale && !is_answered => "an expected failure did not happen",
        RunOutcome::Drifted if is_stale => {
            "they answer open questions differently, and an expected failure did not happen"
        }
        RunOutcome::Drifted => {
            "they answer open questions differently, and both answers are allowed"
        }
        RunOutcome::Internal => "a fault of this program",
    }
}
