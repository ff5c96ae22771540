//! The search: draws cases, runs them in batches on the target and on the mock, and shrinks those that
//! break a requirement.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::contract::Operation;
use proptest::strategy::ValueTree;

use super::case::{self, Case};
use super::differences;
use super::draw;
use super::expected_failures;
use super::exploration::Exploration;
use super::shrink;
use super::violation::{Violation, breaks, collect};
use crate::run::{Interruption, RunOptions, Runner};
use crate::scenario::model::NEEDS;
use crate::verdict::Verdict;
use crate::verdict::result::{Event, RunOutcome, ScenarioResult, Subject};

/// The number of cases of one batch. Their complete exchanges stay in memory until they are compared.
const BATCH: usize = 32;

/// The highest number of violations that are shrunk. Further violations are reported unchanged.
const SHRUNK_MAX: usize = 30;

/// The share of `created_objects_max` for drawn cases. The rest is for shrinking.
const CREATIONS_DRAWN_PERCENT: u32 = 60;

/// The options of exploring.
pub struct ExploreOptions {
    /// The target, as for a run. Files and selectors are ignored.
    pub target: RunOptions,
    /// The mock that runs the same cases.
    pub model: RunOptions,
    /// The number of cases to draw.
    pub cases: u64,
    /// The first half of the names of the cases. It is the stem of the file that may be saved.
    pub stem: String,
}

/// Explores a target. An error of the target is in the result, as for a run.
///
/// # Errors
/// A case is not a scenario, which is a bug of ours.
pub async fn explore(
    options: ExploreOptions,
    interruption: Arc<Interruption>,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> Result<Exploration, String> {
    let runner = match Runner::open(options.target.clone(), interruption, on_event).await {
        Ok(runner) => runner,
        Err(result) => return Ok(Exploration { result: *result, ..Exploration::default() }),
    };
    let opened = Runner::open(options.model.clone(), Arc::default(), |_| {});
    let model = opened.await.map_err(|result| {
        format!("the model cannot start: {}", result.trouble.unwrap_or_default())
    })?;
    let (cases, results, found) = (Vec::new(), Vec::new(), Exploration::default());
    let mut search = Search { options: &options, runner, model, cases, results, found };
    search.run_cases().await?;
    let violations = search.violations().await?;
    Ok(search.end(violations).await)
}

struct Search<'a> {
    options: &'a ExploreOptions,
    runner: Runner,
    model: Runner,
    /// The cases so far.
    cases: Vec<Case>,
    /// The results of the cases, with shortened exchanges.
    results: Vec<Arc<ScenarioResult>>,
    found: Exploration,
}

impl Search<'_> {
    async fn run_cases(&mut self) -> Result<(), String> {
        let drawn = self.draw();
        self.runner.announce(drawn.len());
        for batch in drawn.chunks(BATCH) {
            if self.runner.is_over() {
                break;
            }
            let files = case::files(&self.options.stem, batch)?;
            let places: Vec<(usize, usize)> = (0..batch.len()).map(|at| (0, at)).collect();
            let results = self.runner.run(&files, &places).await;
            let model = self.model.run(&files, &places).await;
            for ((case, result), model) in batch.iter().zip(results).zip(&model) {
                self.add(case, result, model);
            }
        }
        Ok(())
    }

    fn add(&mut self, case: &Case, result: Arc<ScenarioResult>, model: &ScenarioResult) {
        self.found.cases += 1;
        match &result.not_run {
            Some(why) => *self.found.not_walked.entry(why.reason.clone()).or_default() += 1,
            None => self.found.walked += 1,
        }
        differences::add(&mut self.found.differences, &result, model);
        self.cases.push(case.clone());
        self.results.push(result);
    }

    fn add_warnings(&mut self, result: &ScenarioResult) {
        for check in result.checks() {
            if let Subject::Requirement(id) = &check.subject
                && check.verdict == Verdict::Warn
                && check.known.is_none()
            {
                let first = || (check.message.clone(), 0);
                self.found.warnings.entry(id.to_string()).or_insert_with(first).1 += 1;
            }
        }
    }

    fn draw(&self) -> Vec<Case> {
        let target = self.runner.target();
        let met_needs: BTreeSet<&'static str> =
            NEEDS.into_iter().filter(|need| target.missing(need).is_none()).collect();
        if !met_needs.contains("read") {
            return Vec::new();
        }
        // Without those that write, if the limit of created objects is reached.
        let reading = &met_needs - &BTreeSet::from(["write", "delete"]);
        let mut left = target.created_objects_max().map(|max| max * CREATIONS_DRAWN_PERCENT / 100);
        let mut drawn = Vec::new();
        for number in 1..=self.options.cases {
            let mut case = self.case(number, &met_needs);
            if let Some(left) = &mut left {
                let creations: u32 = case.acts.iter().map(|act| act.creations).sum();
                match left.checked_sub(creations) {
                    Some(rest) => *left = rest,
                    None => case = self.case(number, &reading),
                }
            }
            drawn.push(case);
        }
        drawn
    }

    fn case(&self, number: u64, met_needs: &BTreeSet<&'static str>) -> Case {
        let tree = draw::case(self.options.target.target.seed, number, met_needs);
        let acts = tree.map(|tree| tree.current()).unwrap_or_default();
        Case { number, met_needs: met_needs.clone(), acts }
    }

    /// One violation for each broken requirement, without expected failures.
    async fn violations(&mut self) -> Result<Vec<Violation>, String> {
        let results = self.results.iter();
        let mut marked: Vec<ScenarioResult> = results.map(|it| it.as_ref().clone()).collect();
        self.runner.mark(&mut marked);
        let mut broken = BTreeMap::new();
        for (index, result) in marked.iter().enumerate() {
            collect(&mut broken, index, result);
            self.add_warnings(result);
        }
        let mut violations: Vec<Violation> = Vec::new();
        for (requirement, shown_by) in broken {
            violations.extend(self.violation(requirement, shown_by, &violations).await?);
        }
        Ok(violations)
    }

    async fn violation(
        &self,
        requirement: String,
        (indices, operations): (Vec<usize>, BTreeSet<Operation>),
        earlier: &[Violation],
    ) -> Result<Option<Violation>, String> {
        let cases = u32::try_from(indices.len()).unwrap_or(u32::MAX);
        // A case that was shrunk already may break this requirement too.
        if let Some(known) = earlier.iter().find(|known| breaks(&known.result, &requirement)) {
            return Ok(Some(Violation { requirement, operations, cases, ..known.clone() }));
        }
        // The number of a case is its name, so cases that are already shown come last.
        let is_shown = |number: u64| earlier.iter().any(|it| it.case.number == number);
        let smallest = indices
            .iter()
            .filter_map(|index| Some((self.cases.get(*index)?, self.results.get(*index)?)))
            .min_by_key(|(case, _)| (is_shown(case.number), case.acts.len(), case.number));
        let Some((case, result)) = smallest else { return Ok(None) };
        let acts_before = case.acts.len();
        let (case, result) = (case.clone(), Arc::clone(result));
        let (case, result) = if earlier.len() < SHRUNK_MAX && !is_shown(case.number) {
            let names = (self.options.target.target.seed, self.options.stem.as_str());
            shrink::shrink(&self.runner, names, case, &requirement, result).await?
        } else {
            (case, result)
        };
        Ok(Some(Violation { requirement, operations, cases, acts_before, case, result }))
    }

    async fn end(self, violations: Vec<Violation>) -> Exploration {
        let mut results = self.results;
        for violation in &violations {
            let shrunk = &violation.result;
            if let Some(result) = results.iter_mut().find(|result| result.name == shrunk.name) {
                *result = Arc::clone(shrunk);
            }
        }
        let broken_off = self.runner.early_end().0;
        let entries = self.runner.expected().entries.clone();
        let mut result = self.runner.end(results).await;
        result.expected = expected_failures::for_drawn_cases(result.expected, &entries);
        result.outcome = ending(&result.scenarios, broken_off);
        self.model.end(Vec::new()).await;
        Exploration { result, violations, ..self.found }
    }
}

/// Exit 0 if nothing was found, 1 for a violation. Exit 3 if nothing was judged or exploring was interrupted, 4 if the
/// target stopped answering, 70 for an error of ours.
fn ending(results: &[ScenarioResult], broken_off: RunOutcome) -> RunOutcome {
    let mut ending = broken_off;
    let mut is_judged = false;
    for check in results.iter().flat_map(ScenarioResult::checks) {
        match check.weight() {
            Verdict::Error => ending = ending.max(RunOutcome::Internal),
            Verdict::Fail => ending = ending.max(RunOutcome::NonConformant),
            Verdict::Drift | Verdict::Warn | Verdict::Observed | Verdict::Pass => is_judged = true,
            Verdict::NotRun | Verdict::NotApplicable => {}
        }
    }
    if results.iter().any(|result| result.verdict == Verdict::Error) {
        ending = ending.max(RunOutcome::Internal);
    }
    if is_judged { ending } else { ending.max(RunOutcome::Incomplete) }
}
