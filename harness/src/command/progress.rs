//! Progress of a run on stderr: a bar on a terminal, lines elsewhere. [`ProgressState`] is the pure part.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use crate::client::PaceWait;
use crate::exchange::escape;
use crate::verdict::result::Event;
use crate::verdict::{Verdict, counted};

/// Characters of a scenario's name on the line.
const NAME_CHARACTERS_MAX: usize = 60;

/// Without a terminal, nothing is said for this long at most.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// How often it is looked whether something is to be said.
const TICK: Duration = Duration::from_secs(1);

/// Shorter waits for the pace are not told.
const WAIT_TOLD_MIN: Duration = Duration::from_secs(2);

/// The time left is told once this much of the work is done.
const SHARE_DONE_MIN: f64 = 0.03;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgressStyleChoice {
    /// A bar.
    Bar,
    /// A line now and then, and one for each finding.
    Lines,
    /// Not at all.
    Hidden,
}

/// The work of one scenario, as far as its steps tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ScenarioWork {
    /// Requests that it sends.
    pub(super) requests: f64,
    /// Seconds that it waits.
    pub(super) waits_seconds: f64,
    /// Seconds of both at the pace of the target; less is not possible.
    pub(super) paced_seconds: f64,
}

/// What is known of a run while it goes on.
#[derive(Debug, Default)]
pub(super) struct ProgressState {
    started: Option<Instant>,
    planned: usize,
    done: BTreeSet<String>,
    calls: usize,
    current: String,
    last_said: Option<Instant>,
    work: BTreeMap<String, ScenarioWork>,
}

impl ProgressState {
    pub(super) fn new(work: BTreeMap<String, ScenarioWork>) -> Self {
        Self { work, ..Self::default() }
    }

    /// Takes an event. Lines about it: findings, as they are made.
    pub(super) fn take(&mut self, now: Instant, event: &Event) -> Vec<String> {
        self.started.get_or_insert(now);
        self.last_said.get_or_insert(now);
        match event {
            Event::Planned { scenarios } => {
                self.planned = *scenarios;
                Vec::new()
            }
            Event::Started { name } => {
                self.current = escape::cut(&escape::line(name), NAME_CHARACTERS_MAX);
                Vec::new()
            }
            Event::OperatorSaid { action, said } => {
                vec![format!("operator {action}: {}", escape::line(said))]
            }
            Event::Ended(scenario) => {
                // The rows of a scenario are results of their own.
                self.done.insert(scenario.without_row().to_owned());
                self.calls += scenario.steps.iter().map(|step| step.exchanges.len()).sum::<usize>();
                let bad = scenario.checks().find(|check| {
                    matches!(check.verdict, Verdict::Fail | Verdict::Drift | Verdict::Error)
                });
                let line = bad.map(|check| {
                    let verdict = check.verdict.as_str();
                    let message = escape::line(&check.message);
                    format!("{verdict} {}: {message}", escape::line(&scenario.name))
                });
                line.into_iter().collect()
            }
        }
    }

    /// Scenarios done, and planned. Never more done than planned.
    pub(super) fn position(&self) -> (usize, usize) {
        (self.done.len().min(self.planned), self.planned)
    }

    /// The time left, from the pace so far and what the other scenarios send and wait.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let elapsed = now.saturating_duration_since(self.started?).as_secs_f64();
        let of = |is_done: bool| {
            let wanted = self.work.iter().filter(|(name, _)| self.done.contains(*name) == is_done);
            wanted.fold(ScenarioWork::default(), |sum, (_, work)| ScenarioWork {
                requests: sum.requests + work.requests,
                waits_seconds: sum.waits_seconds + work.waits_seconds,
                paced_seconds: sum.paced_seconds + work.paced_seconds,
            })
        };
        let (done, left) = (of(true), of(false));
        if done.requests <= SHARE_DONE_MIN * (done.requests + left.requests) {
            return None;
        }
        let per_request = (elapsed - done.waits_seconds).max(0.0) / done.requests.max(1.0);
        let as_before = left.requests * per_request + left.waits_seconds;
        Some(Duration::from_secs_f64(as_before.max(left.paced_seconds).max(0.0)))
    }

    /// ` 12 of 217 scenarios, 340 calls, about 3 min left, waiting 12 s for the rate limit`.
    pub(super) fn line(&self, now: Instant, wait: Option<Duration>) -> String {
        let (done, planned) = self.position();
        let (scenarios, calls) = (counted(planned, "scenario"), counted(self.calls, "call"));
        let mut line = format!("{done} of {scenarios}, {calls}");
        if let Some(left) = self.left(now) {
            line.push_str(&format!(", about {} left", spoken(left)));
        }
        match wait.filter(|wait| *wait >= WAIT_TOLD_MIN) {
            Some(wait) => {
                line.push_str(&format!(", waiting {} for the rate limit", spoken(wait)));
            }
            None if !self.current.is_empty() => line.push_str(&format!(", at {}", self.current)),
            None => {}
        }
        line
    }

    /// The line that is due after half a minute of silence.
    pub(super) fn tick(&mut self, now: Instant, wait: Option<Duration>) -> Option<String> {
        let last = self.last_said?;
        if now.saturating_duration_since(last) < LINE_EVERY {
            return None;
        }
        self.last_said = Some(now);
        Some(self.line(now, wait))
    }
}

/// `12 s` or `3 min`.
fn spoken(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// A handle on what is shown.
#[derive(Clone)]
pub(super) struct Progress {
    style: ProgressStyleChoice,
    bar: ProgressBar,
    shared: Arc<ProgressShared>,
    wait: Arc<PaceWait>,
}

#[derive(Default)]
struct ProgressShared {
    state: Mutex<ProgressState>,
    /// The thread that says that a run goes on, and what ends it.
    ticker: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Progress {
    /// A bar that may be hidden.
    pub(super) fn new(is_shown: bool) -> Self {
        let style = if is_shown { ProgressStyleChoice::Bar } else { ProgressStyleChoice::Hidden };
        Self::of_run(style, BTreeMap::new(), Arc::default())
    }

    /// Of a run with this work. `wait` says for how long its requests are held back.
    pub(super) fn of_run(
        style: ProgressStyleChoice,
        work: BTreeMap<String, ScenarioWork>,
        wait: Arc<PaceWait>,
    ) -> Self {
        let is_bar = style == ProgressStyleChoice::Bar;
        let bar = if is_bar { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let template =
            ProgressStyle::with_template("{bar:24.cyan/black} {pos}/{len} {elapsed} {wide_msg}")
                .expect("the template is ours and a test draws it");
        bar.set_style(template);
        let shared =
            ProgressShared { state: Mutex::new(ProgressState::new(work)), ..Default::default() };
        Self { style, bar, shared: Arc::new(shared), wait }
    }

    /// Says the head of a run at once, and from now on that it goes on.
    pub(super) fn begin(&self, head: &str) {
        if self.style == ProgressStyleChoice::Hidden {
            return;
        }
        if self.style == ProgressStyleChoice::Lines {
            say(head);
        }
        let own = self.clone();
        let (end, ended) = mpsc::channel();
        let ticker = std::thread::spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                own.tick();
            }
        });
        *self.shared.ticker.lock() = Some((end, ticker));
    }

    fn tick(&self) {
        let now = Instant::now();
        let wait = self.wait.left(now);
        let mut state = self.shared.state.lock();
        if self.style == ProgressStyleChoice::Lines {
            state.tick(now, wait).iter().for_each(|line| say(line));
            return;
        }
        let left = state.left(now).map(|left| format!("about {} left  ", spoken(left)));
        let what = match wait.filter(|wait| *wait >= WAIT_TOLD_MIN) {
            Some(wait) => format!("waiting {} for the rate limit", spoken(wait)),
            None => state.current.clone(),
        };
        if state.planned > 0 {
            self.bar.set_message(format!("{}{what}", left.unwrap_or_default()));
        }
    }

    /// Sets the number of pieces of work.
    pub(super) fn expect(&self, pieces: usize) {
        self.bar.set_length(pieces as u64);
    }

    /// One of them ended.
    pub(super) fn done(&self, name: &str) {
        self.bar.set_message(escape::cut(&escape::line(name), NAME_CHARACTERS_MAX));
        self.bar.inc(1);
    }

    /// Shows an event.
    pub(super) fn show(&self, event: &Event) {
        if self.style == ProgressStyleChoice::Hidden {
            // What an operator says is for its owner, whatever else is shown.
            if let Event::OperatorSaid { action, said } = event {
                say(&format!("operator {action}: {}", escape::line(said)));
            }
            return;
        }
        let mut state = self.shared.state.lock();
        for line in state.take(Instant::now(), event) {
            match self.style {
                ProgressStyleChoice::Bar => self.bar.println(line),
                ProgressStyleChoice::Lines => say(&line),
                ProgressStyleChoice::Hidden => {}
            }
        }
        let (done, planned) = state.position();
        self.bar.set_length(planned as u64);
        self.bar.set_position(done as u64);
        if let Event::Started { .. } = event {
            self.bar.set_message(state.current.clone());
        }
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        if let Some((end, ticker)) = self.shared.ticker.lock().take() {
            drop(end);
            // It holds nothing that a panic could break.
            let _ = ticker.join();
        }
        self.bar.finish_and_clear();
    }
}

fn say(line: &str) {
    // If stderr is closed, the run goes on without it.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{Progress, ProgressState, ScenarioWork};
    use crate::scenario::model::Location;
    use crate::verdict::Verdict;
    use crate::verdict::result::{Event, ScenarioResult};

    fn ended(name: &str) -> Event {
        Event::Ended(Arc::new(ScenarioResult {
            name: name.to_owned(),
            title: String::new(),
            section: "1".to_owned(),
            verdict: Verdict::Pass,
            not_run: None,
            known: None,
            duration: Duration::ZERO,
            at: Location { file: "".into(), line: 1, column: 1 },
            steps: Vec::new(),
            answers: Vec::new(),
        }))
    }

    #[test]
    fn it_can_be_drawn() {
        let progress = Progress::new(true);
        progress.show(&Event::Planned { scenarios: 2 });
        progress.show(&Event::Started { name: "a/b".to_owned() });
        progress.end();
        assert_eq!(progress.bar.length(), Some(2));
    }

    #[test]
    fn rows_of_a_scenario_count_once_and_the_bar_does_not_overrun() {
        let (mut state, now) = (ProgressState::default(), Instant::now());
        state.take(now, &Event::Planned { scenarios: 2 });
        for name in ["a/x[1]", "a/x[2]", "a/x[3]", "a/y"] {
            state.take(now, &ended(name));
        }
        assert_eq!(state.position(), (2, 2));
    }

    #[test]
    fn a_line_is_due_every_half_minute_and_says_what_is_waited_for() {
        let (mut state, start) = (ProgressState::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(state.tick(at(99), None), None, "before the plan");
        state.take(start, &Event::Planned { scenarios: 2 });
        state.take(start, &ended("a/x"));
        assert_eq!(state.tick(at(29), None), None);
        let wait = Some(Duration::from_secs(12));
        let line = "1 of 2 scenarios, 0 calls, waiting 12 s for the rate limit";
        assert_eq!(state.tick(at(30), wait).as_deref(), Some(line));
        assert_eq!(state.tick(at(59), wait), None);
        assert!(state.tick(at(60), None).is_some());
    }

    #[test]
    fn the_time_left_counts_waits_apart_from_requests() {
        let work =
            |requests, waits_seconds| ScenarioWork { requests, waits_seconds, paced_seconds: 0.0 };
        let plan =
            [("a/x", work(100.0, 0.0)), ("a/y", work(200.0, 0.0)), ("a/z", work(0.0, 120.0))];
        let plan: BTreeMap<String, ScenarioWork> =
            plan.into_iter().map(|(name, work)| (name.to_owned(), work)).collect();
        let (mut state, start) = (ProgressState::new(plan), Instant::now());
        state.take(start, &Event::Planned { scenarios: 3 });
        let later = start + Duration::from_secs(10);
        assert_eq!(state.left(later), None, "nothing is done yet");
        state.take(start, &ended("a/x"));
        assert_eq!(state.left(later), Some(Duration::from_secs(140)));
    }

    #[test]
    fn the_time_left_is_no_less_than_the_pace_allows() {
        let work = ScenarioWork { requests: 90.0, waits_seconds: 0.0, paced_seconds: 10.0 };
        let plan = ["a/x", "a/y", "a/z"].map(|name| (name.to_owned(), work));
        let (mut state, start) = (ProgressState::new(plan.into()), Instant::now());
        state.take(start, &ended("a/x"));
        // Fewer requests were sent than foreseen: the first scenario took two seconds.
        let later = start + Duration::from_secs(2);
        assert_eq!(state.left(later), Some(Duration::from_secs(20)));
    }
}
