//! How much a scenario would send, told from its steps alone: bounds, made without sending anything.
//!
//! The upper bound is that of a target without trouble: what is repeated after a 502, 503, 504 or
//! 429 comes on top. The lower bound counts what is sent whatever the target answers, up to the first
//! step that may stop a scenario.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{Operation, PAGE_SIZE_EXAMPLE, Scopes};
use serde::Serialize;
use serde_json::Value;

use super::{movement, shape};
use crate::client::target_file::{Endpoints, created_kind};
use crate::run::environment::application_of;
use crate::scenario::model::{
    ForEach, RequestLine, RequestShape, RequestStep, Rhythm, Scenario, Step, StepAction,
    TokenChoice,
};
use crate::scenario::names::Names;
use crate::scenario::plan::Planned;

/// At least, likely, and at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    pub min: u64,
    /// On a target with lists of a few pages that does what the specification says.
    pub likely: u64,
    pub max: u64,
}

/// What is known of a target before it is opened.
pub struct Terms<'a> {
    /// The roots of names, as far as they are known.
    pub names: Names,
    /// Rows of `bindings.workflows`, where they are found only when the target is opened.
    pub workflows_max: Option<u64>,
    /// Where each operation is.
    pub endpoints: &'a Endpoints,
    /// Pages of a list that are followed at most.
    pub pages_max: u64,
    /// Whether a failure is tried again where a scenario asks for that.
    pub confirms: bool,
}

/// How much something would send.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Requests of its steps, those for tokens among them; without the shared tokens.
    pub requests: Bounds,
    /// Requests of its steps to the token endpoint.
    pub token_requests: Bounds,
    /// Objects it may create at most, by kind.
    pub objects: BTreeMap<&'static str, u64>,
    /// The shared tokens it uses: application and scopes.
    pub tokens: BTreeSet<(String, &'static str)>,
    /// Requests among them that are sent at once, whatever the pace is: those of bursts.
    pub unpaced_requests: u64,
    /// Seconds that it waits at most, for polls and after bursts.
    pub waits_seconds: u64,
    /// Seconds that it waits in any case: before and after bursts.
    pub burst_seconds: u64,
}

impl Bounds {
    fn times(self, times: Self) -> Self {
        Self {
            min: self.min.saturating_mul(times.min),
            likely: self.likely.saturating_mul(times.likely),
            max: self.max.saturating_mul(times.max),
        }
    }

    /// Both ends added.
    pub fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            likely: self.likely.saturating_add(other.likely),
            max: self.max.saturating_add(other.max),
        }
    }
}

impl Estimate {
    /// Adds another one.
    pub fn add(&mut self, other: Self) {
        self.requests = self.requests.plus(other.requests);
        self.token_requests = self.token_requests.plus(other.token_requests);
        for (kind, count) in other.objects {
            let known = self.objects.entry(kind).or_default();
            *known = known.saturating_add(count);
        }
        self.tokens.extend(other.tokens);
        self.unpaced_requests = self.unpaced_requests.saturating_add(other.unpaced_requests);
        self.waits_seconds = self.waits_seconds.saturating_add(other.waits_seconds);
        self.burst_seconds = self.burst_seconds.saturating_add(other.burst_seconds);
    }

    fn times(mut self, times: Bounds) -> Self {
        self.requests = self.requests.times(times);
        self.token_requests = self.token_requests.times(times);
        self.objects.values_mut().for_each(|count| *count = count.saturating_mul(times.max));
        self.unpaced_requests = self.unpaced_requests.saturating_mul(times.max);
        self.waits_seconds = self.waits_seconds.saturating_mul(times.max);
        self.burst_seconds = self.burst_seconds.saturating_mul(times.likely);
        self
    }
}

/// What one scenario would send, all its rows.
pub fn of(planned: Planned<'_>, terms: &Terms<'_>) -> Estimate {
    let scenario = planned.scenario;
    let mut estimate = match &scenario.for_each {
        None => of_row(scenario, terms, terms.names.clone()),
        Some(for_each) => of_rows(scenario, terms, for_each),
    };
    if scenario.confirm && terms.confirms {
        estimate = estimate.times(Bounds { min: 1, likely: 1, max: 2 });
    }
    // Whether the application of a need is taken is tried with a token of its own.
    let roles = scenario.needs.iter().filter_map(|need| application_of(need));
    estimate.tokens.extend(roles.map(|role| {
        (role.to_owned(), if role == "writer" { Scopes::WRITE } else { Scopes::READ }.as_str())
    }));
    estimate
}

fn of_rows(scenario: &Scenario, terms: &Terms<'_>, for_each: &ForEach) -> Estimate {
    let mut estimate = Estimate::default();
    let unknown = |max: u64| {
        let times = Bounds { min: 0, likely: max.min(LOOP_ROWS_LIKELY), max };
        of_row(scenario, terms, terms.names.clone()).times(times)
    };
    match (rows(&terms.names, for_each), terms.workflows_max) {
        (Some(rows), Some(max)) if rows.is_empty() => estimate.add(unknown(max)),
        (Some(rows), _) => {
            for row in rows {
                let mut names = terms.names.clone();
                names.set(&for_each.name, row);
                estimate.add(of_row(scenario, terms, names));
            }
        }
        (None, _) => estimate.add(unknown(PAGE_ROWS_MAX)),
    }
    estimate
}

/// Rows of a loop over a value of run time, likely: near misses, rows of a short list.
const LOOP_ROWS_LIKELY: u64 = 6;

/// Pages of a list that is walked, likely.
const PAGES_LIKELY: u64 = 4;

/// Requests of a look at a view, likely: some of its pages.
const LOOK_LIKELY: u64 = 3;

/// Rows of a list of one page: what a loop over a value of run time is taken to have at most.
const PAGE_ROWS_MAX: u64 = PAGE_SIZE_EXAMPLE;

fn rows(names: &Names, for_each: &ForEach) -> Option<Vec<Value>> {
    match for_each.rows.render(names) {
        Ok(Value::Array(rows)) => Some(rows),
        Ok(_) | Err(_) => None,
    }
}

fn of_row(scenario: &Scenario, terms: &Terms<'_>, names: Names) -> Estimate {
    let mut counter = Counter { terms, names, estimate: Estimate::default(), is_sure: true };
    counter.steps(&scenario.steps);
    if scenario.confirm && terms.confirms {
        // With each of two passes a look at whether the data moved.
        let look = movement::look_requests_max(terms.pages_max);
        counter.estimate.requests.max = counter.estimate.requests.max.saturating_add(look);
    }
    counter.estimate
}

/// Counts along the steps of one row.
struct Counter<'a> {
    terms: &'a Terms<'a>,
    names: Names,
    estimate: Estimate,
    /// Whether what comes now is sent whatever was answered before.
    is_sure: bool,
}

impl Counter<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.action {
                StepAction::Request(request) => self.request(request),
                StepAction::Burst(burst) => {
                    let calls = u64::from(burst.plan.calls);
                    self.call(&burst.shape, calls, calls);
                    self.is_sure = false;
                    self.estimate.unpaced_requests += u64::from(burst.plan.calls);
                    if !burst.plan.is_few() {
                        // After calls at once a whole window of the limit passes, and before any there may be a wait.
                        let seconds = match burst.plan.rhythm {
                            Rhythm::InFlight(_) => WINDOW_SECONDS,
                            Rhythm::Over(time) => time.as_secs(),
                        };
                        self.estimate.burst_seconds += seconds;
                        self.estimate.waits_seconds += seconds + WINDOW_SECONDS;
                    }
                }
                StepAction::ForEach(for_each, inner) => self.each(for_each, inner),
                StepAction::Assume(_)
                | StepAction::Receive(_)
                | StepAction::Admin(_)
                | StepAction::Operator(_) => {
                    self.is_sure = false;
                }
                StepAction::Let(_) => {}
            }
        }
    }

    fn request(&mut self, step: &RequestStep) {
        let pages = |at_most: u64| at_most.min(self.terms.pages_max).max(1);
        let view = pages(self.terms.pages_max);
        let (likely, calls) = match (&step.each_page, &step.poll) {
            // A walk whose totals moved is repeated once.
            (Some(each_page), _) => {
                let most = pages(each_page.at_most);
                (most.min(PAGES_LIKELY), 2 * most)
            }
            (None, Some(poll)) => {
                let every = poll.every.as_millis().max(1);
                let times = u64::try_from(poll.at_most.as_millis().div_ceil(every));
                self.estimate.waits_seconds += poll.at_most.as_secs();
                (2, times.unwrap_or(u64::MAX).saturating_add(2))
            }
            // The answer to an earlier request may stand for it.
            (None, None) => (u64::from(!step.reuse), 1),
        };
        if let Some(control) = &step.control {
            // One that creates or asks for a token is sent once in a run.
            self.call(&shape::merged(&step.shape, &control.shape), 0, 1);
            self.is_sure = false;
        }
        if !step.unchanged.is_empty() {
            self.is_sure = false;
            // Before and after. The further looks at what others may have written are not foreseen.
            let looks = step.unchanged.len() as u64;
            // Some pages are read, and then the whole list where they do not show what is remembered.
            let views = Bounds { min: 0, likely: LOOK_LIKELY, max: 2 * (view + LOOK_LIKELY) };
            let looks = Bounds { min: looks, likely: looks + looks / 2, max: looks };
            self.estimate.requests = self.estimate.requests.plus(views.times(looks));
            self.estimate.tokens.insert(("main".to_owned(), "read"));
        }
        self.call(&step.shape, likely, calls);
        self.is_sure &= step.require.is_none() && step.poll.is_none() && step.each_page.is_none();
        let was_sure = std::mem::replace(&mut self.is_sure, false);
        self.steps(&step.finally);
        self.is_sure = was_sure;
    }

    fn each(&mut self, for_each: &ForEach, inner: &[Step]) {
        match rows(&self.names, for_each) {
            Some(rows) => {
                for row in rows {
                    self.names.push();
                    self.names.set(&for_each.name, row);
                    self.steps(inner);
                    self.names.pop();
                }
            }
            None => {
                let names = self.names.clone();
                let estimate = Estimate::default();
                let mut inside = Counter { terms: self.terms, names, estimate, is_sure: false };
                inside.steps(inner);
                let times = Bounds { min: 0, likely: LOOP_ROWS_LIKELY, max: PAGE_ROWS_MAX };
                self.estimate.add(inside.estimate.times(times));
            }
        }
        self.is_sure = false;
    }

    /// Up to so many calls, of which one is sure where anything is.
    fn call(&mut self, shape: &RequestShape, likely: u64, max: u64) {
        let operation = self.operation(shape);
        // What is made of an earlier answer may be missing.
        self.is_sure &= operation.is_some() && self.is_known(shape);
        let calls = Bounds { min: u64::from(self.is_sure), likely, max };
        self.estimate.requests = self.estimate.requests.plus(calls);
        match operation.flatten() {
            Some(Operation::CreateAccessToken) => {
                // A newer token may revoke the shared one, which is then asked for anew, and the
                // refused call repeated.
                let tokens = Bounds { max: calls.max.saturating_mul(2), ..calls };
                self.estimate.token_requests = self.estimate.token_requests.plus(tokens);
                self.estimate.requests.max += calls.max.saturating_mul(2);
            }
            Some(Operation::RevokeToken) => {
                // A shared token that went is asked for anew, and the refused call is repeated.
                self.estimate.requests.max += 2;
                self.estimate.token_requests.max += 1;
            }
            Some(operation) => {
                if let Some(kind) = created_kind(operation) {
                    *self.estimate.objects.entry(kind).or_default() += max;
                }
            }
            None => {}
        }
        if let Some(TokenChoice::Shared(scopes)) = &shape.token {
            let application = shape
                .application
                .as_ref()
                .map_or(Ok("main".to_owned()), |text| text.render_text(&self.names));
            let application = application.unwrap_or_else(|_| "main".to_owned());
            self.estimate.tokens.insert((application, scopes.as_str()));
        }
    }

    /// The operation; `Some(None)` where the line is known and is none, `None` where it is unknown.
    fn operation(&self, shape: &RequestShape) -> Option<Option<Operation>> {
        match shape.line.as_ref()? {
            RequestLine::Operation { known: Some(operation), .. } => Some(Some(*operation)),
            RequestLine::Operation { operation, known: None, .. } => {
                let name = operation.render_text(&self.names).ok()?;
                Some(Operation::ALL.into_iter().find(|one| one.as_str() == name))
            }
            RequestLine::Path { method, path } => {
                let method = method.render_text(&self.names).ok()?;
                match path.render_text(&self.names) {
                    Ok(path) => Some(self.terms.endpoints.find(&method, &path)),
                    Err(_) => None,
                }
            }
        }
    }

    fn is_known(&self, shape: &RequestShape) -> bool {
        let fields = shape.query.iter().chain(&shape.headers);
        let id = match &shape.line {
            Some(RequestLine::Operation { id: Some(id), .. }) => id.render(&self.names).is_ok(),
            Some(_) | None => true,
        };
        let mut fields = fields.map(|(_, value)| value.render(&self.names).is_ok());
        // A body may be made of a form that was read before.
        id && shape.body.is_none() && fields.all(|is_known| is_known)
    }
}

/// What the limiter of §8 counts in.
const WINDOW_SECONDS: u64 = 60;
