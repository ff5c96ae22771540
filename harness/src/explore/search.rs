//! The search: cases are drawn and walked in batches, on the target and on the model; what fails is
//! made smaller.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use parking_lot::Mutex;
use proptest::strategy::{Strategy, ValueTree};

use super::act::Act;
use super::case::{self, Case};
use super::differ::Differences;
use super::explored::{Explored, Warned};
use super::means::Means;
use super::shrink::{self, Smaller};
use super::violation::{self, Cause, Causes, Shown, Violation};
use super::{draw, known};
use crate::result::{CheckResult, RunOutcome, RunResult, ScenarioResult, Subject};
use crate::run::{Event, Interruption, RunOptions, Runner};
use crate::verdict::Verdict;

/// Cases of one batch: their whole exchanges are held until they were compared.
const BATCH: usize = 32;

/// Causes that are made smaller; further ones are told as they were found.
const SHRUNK_MAX: usize = 30;

/// Of what a deployment lets a run create, the part that drawing may use: the rest is for making what
/// fails smaller.
const CREATIONS_DRAWN_PERCENT: u32 = 60;

/// What to explore, and how.
pub struct ExploreOptions {
    /// The target, as a run takes it; its files and selectors are not looked at.
    pub target: RunOptions,
    /// The mock that walks beside it.
    pub model: RunOptions,
    /// Cases to draw.
    pub cases: u64,
    /// The first half of the names of the cases: the stem of the file that may be saved.
    pub stem: String,
}

/// The scenarios that ended, whole.
type Ended = Arc<Mutex<Vec<Arc<ScenarioResult>>>>;

/// Explores. What went wrong with the target is in the result, as of a run.
///
/// # Errors
/// A case that is no scenario: a bug of ours.
pub async fn explore(
    options: ExploreOptions,
    interruption: Arc<Interruption>,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> Result<Explored, String> {
    let ended = Ended::default();
    let told = Arc::clone(&ended);
    let opened = Runner::open(&options.target, interruption, move |event| {
        if let Event::Ended(result) = &event {
            told.lock().push(Arc::clone(result));
        }
        on_event(event);
    });
    let runner = match opened.await {
        Ok(runner) => runner,
        Err(result) => return Ok(nothing(*result)),
    };
    let beside = Ended::default();
    let told = Arc::clone(&beside);
    let opened = Runner::open(&options.model, Arc::default(), move |event| {
        if let Event::Ended(result) = event {
            told.lock().push(result);
        }
    });
    let model = opened.await.map_err(|result| {
        format!("the model can't start: {}", result.trouble.unwrap_or_default())
    })?;
    let mut search =
        Search { options: &options, runner, model, ended, beside, found: Found::default() };
    search.walk_all().await?;
    search.judge();
    let violations = search.violations().await?;
    Ok(search.end(violations).await)
}

/// Of a target that can't be used.
fn nothing(result: RunResult) -> Explored {
    Explored {
        result,
        cases: 0,
        walked: 0,
        not_walked: BTreeMap::new(),
        violations: Vec::new(),
        warnings: BTreeMap::new(),
        differences: Differences::default(),
    }
}

/// What was found so far.
#[derive(Default)]
struct Found {
    cases: Vec<(Case, Means)>,
    /// Of every case, shortened.
    results: Vec<Arc<ScenarioResult>>,
    /// Of the cases that fail, whole.
    whole: BTreeMap<usize, Arc<ScenarioResult>>,
    not_walked: BTreeMap<String, u64>,
    /// What they show that is not expected; known when all were walked.
    causes: Causes,
    warnings: BTreeMap<String, Warned>,
    differences: Differences,
}

struct Search<'a> {
    options: &'a ExploreOptions,
    runner: Runner,
    model: Runner,
    ended: Ended,
    beside: Ended,
    found: Found,
}

impl Search<'_> {
    async fn walk_all(&mut self) -> Result<(), String> {
        let drawn = self.draw();
        self.runner.announce(drawn.len());
        for batch in drawn.chunks(BATCH) {
            if self.runner.is_over() {
                break;
            }
            self.walk_batch(batch).await?;
        }
        Ok(())
    }

    fn draw(&self) -> Vec<(Case, Means)> {
        let target = self.runner.target();
        let has = |need: &str| target.missing(need).is_none();
        if !has("read") {
            return Vec::new();
        }
        let means = Means {
            write: has("write"),
            delete: has("delete"),
            fetch: has("fetch"),
            admin: has("admin"),
            second_company: has("second_company"),
            expired_token: has("expired_token"),
            revoked_token: has("revoked_token"),
        };
        let seed = self.options.target.target.seed;
        let mut left = target.created_objects_max().map(|max| max * CREATIONS_DRAWN_PERCENT / 100);
        let case = |number: u64| {
            let mut means = means;
            let mut acts = drawn(seed, number, means);
            let creations = acts.iter().map(Act::creations).sum();
            match left.map(|left| left.checked_sub(creations)) {
                None => {}
                Some(Some(rest)) => left = Some(rest),
                Some(None) => {
                    means = Means { write: false, delete: false, ..means };
                    acts = drawn(seed, number, means);
                }
            }
            (Case { number, acts }, means)
        };
        (1..=self.options.cases).map(case).collect()
    }

    async fn walk_batch(&mut self, batch: &[(Case, Means)]) -> Result<(), String> {
        let cases: Vec<Case> = batch.iter().map(|(case, _)| case.clone()).collect();
        let files = case::files(&self.options.stem, &cases)?;
        let places: Vec<(usize, usize)> = (0..cases.len()).map(|at| (0, at)).collect();
        let short = self.runner.walk(&files, &places).await;
        self.model.walk(&files, &places).await;
        let (own, beside) = (by_name(&self.ended), by_name(&self.beside));
        for (drawn, result) in batch.iter().zip(&short) {
            let place = self.found.results.len();
            let whole = own.get(&result.name).unwrap_or(result);
            self.found.note(place, whole, beside.get(&result.name));
            self.found.results.push(Arc::clone(result));
            self.found.cases.push(drawn.clone());
        }
        Ok(())
    }

    /// What the walks show, without what is expected of the target.
    fn judge(&mut self) {
        let results = self.found.results.iter();
        let mut marked: Vec<ScenarioResult> = results.map(|it| it.as_ref().clone()).collect();
        self.runner.mark(&mut marked);
        for (place, result) in marked.iter().enumerate() {
            self.found.causes.note(place, result);
            self.found.note_warnings(result);
        }
    }

    /// Each cause once, by the smallest case that shows it.
    async fn violations(&mut self) -> Result<Vec<Violation>, String> {
        let mut violations: Vec<Violation> = Vec::new();
        for (cause, Shown { places, operations }) in mem::take(&mut self.found.causes.0) {
            let cases = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let known = violations.iter().find(|known| cause.is_in(&known.result)).cloned();
            if let Some(known) = known {
                violations.push(Violation { cause, operations, cases, ..known });
                continue;
            }
            // The one with the fewest acts is nearest to its cause; of another number than those shown
            // already, for the number is its name.
            let is_taken = |number: u64| violations.iter().any(|it| it.case.number == number);
            let (case, means, place) = places
                .iter()
                .filter_map(|at| self.found.cases.get(*at).map(|(case, means)| (case, *means, *at)))
                .min_by_key(|(case, ..)| (is_taken(case.number), case.acts.len(), case.number))
                .ok_or("a violation without a case")?;
            let Some(walked) = self.found.whole.get(&place).cloned() else { continue };
            let smaller = if violations.len() < SHRUNK_MAX && !is_taken(case.number) {
                self.smaller(case, means, &cause, walked).await?
            } else {
                Smaller { case: case.clone(), result: walked }
            };
            let acts_before = case.acts.len();
            let Smaller { case, result } = smaller;
            violations.push(Violation { cause, operations, cases, acts_before, case, result });
        }
        Ok(violations)
    }

    async fn smaller(
        &self,
        case: &Case,
        means: Means,
        cause: &Cause,
        walked: Arc<ScenarioResult>,
    ) -> Result<Smaller, String> {
        let names = (self.options.target.target.seed, self.options.stem.as_str());
        let smaller = shrink::shrink(&self.runner, names, case, means, cause, walked).await?;
        // What a walk returns is shortened; what it told on the way is whole.
        let whole = by_name(&self.ended);
        let is_last = |result: &&Arc<ScenarioResult>| cause.is_in(result);
        let result = whole.get(&smaller.result.name).filter(is_last).cloned();
        Ok(Smaller { result: result.unwrap_or_else(|| Arc::clone(&smaller.result)), ..smaller })
    }

    async fn end(self, violations: Vec<Violation>) -> Explored {
        let Found { results, not_walked, warnings, differences, cases, .. } = self.found;
        let walked = results.iter().filter(|it| it.not_run.is_none()).count() as u64;
        let mut all = results;
        for violation in &violations {
            let smaller = &violation.result;
            if let Some(result) = all.iter_mut().find(|result| result.name == smaller.name) {
                *result = Arc::clone(smaller);
            }
        }
        let broken_off = self.runner.broken_off().0;
        let entries = self.runner.expected().entries.clone();
        let mut result = self.runner.end(all).await;
        result.expected = known::told(result.expected, &entries);
        result.outcome = ending(&result.scenarios, broken_off);
        self.model.end(Vec::new()).await;
        let cases = cases.len() as u64;
        Explored { result, cases, walked, not_walked, violations, warnings, differences }
    }
}

impl Found {
    fn note(
        &mut self,
        place: usize,
        whole: &Arc<ScenarioResult>,
        model: Option<&Arc<ScenarioResult>>,
    ) {
        if violation::is_any(whole) {
            self.whole.insert(place, Arc::clone(whole));
        }
        if let Some(not_run) = &whole.not_run {
            *self.not_walked.entry(not_run.reason.clone()).or_default() += 1;
        }
        if let Some(model) = model {
            self.differences.add(whole, model);
        }
    }

    fn note_warnings(&mut self, result: &ScenarioResult) {
        let warned = |check: &&CheckResult| check.verdict == Verdict::Warn && check.known.is_none();
        for check in checks(result).filter(warned) {
            let Subject::Requirement(id) = &check.subject else { continue };
            let blank = || Warned { message: check.message.clone(), times: 0 };
            self.warnings.entry(id.to_string()).or_insert_with(blank).times += 1;
        }
    }
}

fn drawn(seed: u64, number: u64, means: Means) -> Vec<Act> {
    let tree = draw::case(means).new_tree(&mut draw::runner(seed, number));
    // Only a filter that refuses everything could fail, and there is none.
    tree.map(|tree| tree.current()).unwrap_or_default()
}

/// What ended since it was asked last; the last of each name.
fn by_name(ended: &Ended) -> BTreeMap<String, Arc<ScenarioResult>> {
    let ended = mem::take(&mut *ended.lock());
    ended.into_iter().map(|result| (result.name.clone(), result)).collect()
}

fn checks(result: &ScenarioResult) -> impl Iterator<Item = &CheckResult> {
    result.steps.iter().flat_map(|step| &step.checks)
}

/// 0 nothing found, 1 a violation, 3 nothing was judged or it was interrupted, 4 the target stopped
/// answering, 70 our fault.
fn ending(results: &[ScenarioResult], broken_off: RunOutcome) -> RunOutcome {
    let mut ending = broken_off;
    let mut is_judged = false;
    for check in results.iter().flat_map(checks) {
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
