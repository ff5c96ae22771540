//! Progress of a run on stderr: a bar on a terminal, lines elsewhere. [`ProgressState`] is the part without IO.

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
use crate::verdict::{Verdict, pluralize};

/// The most characters of a scenario's name on the line.
const NAME_CHARACTERS_MAX: usize = 60;

/// Without a terminal, a line is printed at least this often.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

/// How often the bar is redrawn, and how often it is checked whether a line is due.
const TICK: Duration = Duration::from_secs(1);

/// Shorter waits for the pace are not shown.
const WAIT_SHOWN_MIN: Duration = Duration::from_secs(2);

/// The time left is shown after this share of the requests, because an earlier estimate is too inexact.
const DONE_SHARE_MIN: f64 = 0.03;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgressDisplay {
    Bar,
    /// A line every half minute, and one for each finding.
    Lines,
    Hidden,
}

/// The estimated work of one scenario.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ScenarioWork {
    /// Requests that it sends.
    pub(super) requests: f64,
    /// Seconds that it waits.
    pub(super) waits_seconds: f64,
    /// Seconds that both take at the pace of the target. It can't be faster.
    pub(super) paced_seconds: f64,
}

/// The state of a run that goes on.
#[derive(Debug, Default)]
struct ProgressState {
    started: Option<Instant>,
    planned: usize,
    done: BTreeSet<String>,
    calls: usize,
    current: String,
    last_line: Option<Instant>,
    work: BTreeMap<String, ScenarioWork>,
}

impl ProgressState {
    /// Adds an event. Returns the line to print about it: a finding, or a message of an operator.
    fn add(&mut self, now: Instant, event: &Event) -> Option<String> {
        self.started.get_or_insert(now);
        self.last_line.get_or_insert(now);
        match event {
            Event::Planned { scenarios } => {
                self.planned = *scenarios;
                None
            }
            Event::Started { name } => {
                self.current = escape::cut(&escape::line(&name.to_string()), NAME_CHARACTERS_MAX);
                None
            }
            Event::OperatorSaid { action, said } => Some(operator_line(action, said)),
            Event::Ended(scenario) => {
                // Each row of a scenario has a result of its own.
                self.done.insert(scenario.name.without_row().to_string());
                self.calls += scenario.steps.iter().map(|step| step.exchanges.len()).sum::<usize>();
                let bad = scenario.checks().find(|check| {
                    matches!(check.verdict, Verdict::Fail | Verdict::Drift | Verdict::Error)
                })?;
                let (name, message) =
                    (escape::line(&scenario.name.to_string()), escape::line(&bad.message));
                Some(format!("{} {name}: {message}", bad.verdict.as_str()))
            }
        }
    }

    /// The number of scenarios that are done, and of those that are planned.
    fn position(&self) -> (usize, usize) {
        (self.done.len().min(self.planned), self.planned)
    }

    /// The time left: the requests left at the speed so far, and the waits left.
    fn left(&self, now: Instant) -> Option<Duration> {
        let elapsed = now.saturating_duration_since(self.started?).as_secs_f64();
        let sum = |is_done: bool| {
            let of = self.work.iter().filter(|(name, _)| self.done.contains(*name) == is_done);
            of.fold(ScenarioWork::default(), |sum, (_, work)| ScenarioWork {
                requests: sum.requests + work.requests,
                waits_seconds: sum.waits_seconds + work.waits_seconds,
                paced_seconds: sum.paced_seconds + work.paced_seconds,
            })
        };
        let (done, left) = (sum(true), sum(false));
        if done.requests <= DONE_SHARE_MIN * (done.requests + left.requests) {
            return None;
        }
        let per_request = (elapsed - done.waits_seconds).max(0.0) / done.requests.max(1.0);
        let as_before = left.requests * per_request + left.waits_seconds;
        Some(Duration::from_secs_f64(as_before.max(left.paced_seconds).max(0.0)))
    }

    /// `12 of 217 scenarios, 340 calls, about 3 min left, waiting 12 s for the rate limit`.
    fn line(&self, now: Instant, wait: Option<Duration>) -> String {
        let (done, planned) = self.position();
        let (scenarios, calls) = (pluralize(planned, "scenario"), pluralize(self.calls, "call"));
        let mut line = format!("{done} of {scenarios}, {calls}");
        if let Some(left) = self.left(now) {
            line.push_str(&format!(", about {} left", duration_text(left)));
        }
        match self.wait_text(wait) {
            Some(wait) => line.push_str(&format!(", {wait}")),
            None if !self.current.is_empty() => line.push_str(&format!(", at {}", self.current)),
            None => {}
        }
        line
    }

    /// The reason of a wait, unless the wait is short. Before the first scenario ends, requests of earlier runs are the
    /// likely reason.
    fn wait_text(&self, wait: Option<Duration>) -> Option<String> {
        let wait = wait.filter(|wait| *wait >= WAIT_SHOWN_MIN)?;
        let why = if self.calls == 0 { ", which earlier requests have used" } else { "" };
        Some(format!("waiting {} for the rate limit{why}", duration_text(wait)))
    }

    /// The line that is due if none was printed for [`LINE_INTERVAL`].
    fn due_line(&mut self, now: Instant, wait: Option<Duration>) -> Option<String> {
        if now.saturating_duration_since(self.last_line?) < LINE_INTERVAL {
            return None;
        }
        self.last_line = Some(now);
        Some(self.line(now, wait))
    }
}

fn operator_line(action: impl std::fmt::Display, said: &str) -> String {
    format!("operator {action}: {}", escape::line(said))
}

/// `12 s` or `3 min`.
fn duration_text(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// Shows the progress of a run, or of other work. Clones show the same progress.
#[derive(Clone)]
pub(super) struct Progress {
    display: ProgressDisplay,
    bar: ProgressBar,
    state: Arc<Mutex<ProgressState>>,
    ticker: Arc<Mutex<Option<Ticker>>>,
    pace_wait: Arc<PaceWait>,
}

/// The thread that calls [`Progress::tick`]. It ends when `end` is dropped.
struct Ticker {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    /// A bar, or nothing.
    pub(super) fn new(is_shown: bool) -> Self {
        let display = if is_shown { ProgressDisplay::Bar } else { ProgressDisplay::Hidden };
        Self::of_run(display, BTreeMap::new(), Arc::default())
    }

    /// The progress of a run with this work. `pace_wait` has the time for which its requests are held back.
    pub(super) fn of_run(
        display: ProgressDisplay,
        work: BTreeMap<String, ScenarioWork>,
        pace_wait: Arc<PaceWait>,
    ) -> Self {
        let is_bar = display == ProgressDisplay::Bar;
        let bar = if is_bar { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let template =
            ProgressStyle::with_template("{bar:24.cyan/black} {pos}/{len} {elapsed} {wide_msg}")
                .expect("the template is ours and a test draws it");
        bar.set_style(template);
        let state = Arc::new(Mutex::new(ProgressState { work, ..ProgressState::default() }));
        Self { display, bar, state, ticker: Arc::default(), pace_wait }
    }

    /// Prints the head of a run, and starts the ticker.
    pub(super) fn start(&self, head: &str) {
        if self.display == ProgressDisplay::Hidden {
            return;
        }
        if self.display == ProgressDisplay::Lines {
            print_line(head);
        }
        let progress = self.clone();
        let (end, ended) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                progress.tick();
            }
        });
        *self.ticker.lock() = Some(Ticker { end, thread });
    }

    fn tick(&self) {
        let now = Instant::now();
        let wait = self.pace_wait.left(now);
        let mut state = self.state.lock();
        if self.display == ProgressDisplay::Lines {
            state.due_line(now, wait).iter().for_each(|line| print_line(line));
        } else if state.planned > 0 {
            let left = state.left(now).map(|left| format!("about {} left  ", duration_text(left)));
            let work = state.wait_text(wait).unwrap_or_else(|| state.current.clone());
            self.bar.set_message(format!("{}{work}", left.unwrap_or_default()));
        }
    }

    /// Sets the number of pieces of work.
    pub(super) fn expect(&self, pieces: usize) {
        self.bar.set_length(pieces as u64);
    }

    /// Counts a piece of work that ended.
    pub(super) fn done(&self, name: &str) {
        self.bar.set_message(escape::cut(&escape::line(name), NAME_CHARACTERS_MAX));
        self.bar.inc(1);
    }

    /// Shows an event of a run. A message of an operator is shown even if progress is hidden.
    pub(super) fn show(&self, event: &Event) {
        if self.display == ProgressDisplay::Hidden {
            if let Event::OperatorSaid { action, said } = event {
                print_line(&operator_line(action, said));
            }
            return;
        }
        let mut state = self.state.lock();
        if let Some(line) = state.add(Instant::now(), event) {
            self.note(&line);
        }
        let (done, planned) = state.position();
        self.bar.set_length(planned as u64);
        self.bar.set_position(done as u64);
        if let Event::Started { .. } = event {
            self.bar.set_message(state.current.clone());
        }
    }

    /// Prints a line: above the bar, if there is one.
    pub(super) fn note(&self, line: &str) {
        match self.display {
            ProgressDisplay::Bar => self.bar.println(line),
            ProgressDisplay::Lines | ProgressDisplay::Hidden => print_line(line),
        }
    }

    /// Ends the ticker, and removes the bar.
    pub(super) fn end(&self) {
        if let Some(Ticker { end, thread }) = self.ticker.lock().take() {
            drop(end);
            // A panic of the thread breaks nothing.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

fn print_line(line: &str) {
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
            name: name.into(),
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
        progress.show(&Event::Started { name: "a/b".into() });
        progress.end();
        assert_eq!(progress.bar.length(), Some(2));
    }

    #[test]
    fn rows_of_a_scenario_count_once_and_the_bar_does_not_overrun() {
        let (mut state, now) = (ProgressState::default(), Instant::now());
        state.add(now, &Event::Planned { scenarios: 2 });
        for name in ["a/x[1]", "a/x[2]", "a/x[3]", "a/y"] {
            state.add(now, &ended(name));
        }
        assert_eq!(state.position(), (2, 2));
    }

    #[test]
    fn a_line_is_due_every_half_minute_and_says_what_is_waited_for() {
        let (mut state, start) = (ProgressState::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(state.due_line(at(99), None), None, "before the plan");
        state.add(start, &Event::Planned { scenarios: 2 });
        state.add(start, &ended("a/x"));
        assert_eq!(state.due_line(at(29), None), None);
        let wait = Some(Duration::from_secs(12));
        let line = "1 of 2 scenarios, 0 calls, \
                    waiting 12 s for the rate limit, which earlier requests have used";
        assert_eq!(state.due_line(at(30), wait).as_deref(), Some(line));
        assert_eq!(state.due_line(at(59), wait), None);
        assert!(state.due_line(at(60), None).is_some());
    }

    #[test]
    fn the_time_left_counts_waits_apart_from_requests() {
        let work =
            |requests, waits_seconds| ScenarioWork { requests, waits_seconds, paced_seconds: 0.0 };
        let plan =
            [("a/x", work(100.0, 0.0)), ("a/y", work(200.0, 0.0)), ("a/z", work(0.0, 120.0))];
        let plan: BTreeMap<String, ScenarioWork> =
            plan.into_iter().map(|(name, work)| (name.to_owned(), work)).collect();
        let (mut state, start) =
            (ProgressState { work: plan, ..Default::default() }, Instant::now());
        state.add(start, &Event::Planned { scenarios: 3 });
        let later = start + Duration::from_secs(10);
        assert_eq!(state.left(later), None, "nothing is done yet");
        state.add(start, &ended("a/x"));
        assert_eq!(state.left(later), Some(Duration::from_secs(140)));
    }

    #[test]
    fn the_time_left_is_no_less_than_the_pace_allows() {
        let work = ScenarioWork { requests: 90.0, waits_seconds: 0.0, paced_seconds: 10.0 };
        let plan = ["a/x", "a/y", "a/z"].map(|name| (name.to_owned(), work));
        let (mut state, start) =
            (ProgressState { work: plan.into(), ..Default::default() }, Instant::now());
        state.add(start, &ended("a/x"));
        // Fewer requests were sent than foreseen: the first scenario took two seconds.
        let later = start + Duration::from_secs(2);
        assert_eq!(state.left(later), Some(Duration::from_secs(20)));
    }
}
