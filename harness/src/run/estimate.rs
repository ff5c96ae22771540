//! Estimates the requests of a scenario from its steps, without sending anything.
//!
//! The upper bound assumes a target without trouble: repeats after a 502, 503, 504 or 429 are not counted. The lower
//! bound counts requests that do not depend on a response, up to the first step that may stop the scenario.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{Operation, PAGE_SIZE_EXAMPLE, RATE_WINDOW_SECONDS, Scopes};
use serde::Serialize;
use serde_json::Value;

use super::token_budget::LOOP_ROWS_LIKELY;
use super::{confirm, control, movement, pages, prepare, read_only, shared_tokens};
use crate::client::target_file::{Endpoints, created_kind};
use crate::scenario::model::{
    ForEach, RequestShape, RequestStep, Rhythm, Scenario, Step, StepAction,
};
use crate::scenario::names::Names;
use crate::scenario::plan::PlanEntry;

/// A lower bound, a likely number and an upper bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    pub min: u64,
    /// The number on a conformant target whose lists have a few pages.
    pub likely: u64,
    pub max: u64,
}

/// Facts about a target that are known before it is opened.
pub struct TargetFacts<'a> {
    /// The root names that are known.
    pub names: Names,
    /// The largest number of rows of `bindings.workflows`, if opening the target discovers them.
    pub workflows_max: Option<u64>,
    /// The endpoint of each operation.
    pub endpoints: &'a Endpoints,
    /// The largest number of pages of a list that are read.
    pub pages_max: u64,
    /// Whether scenarios with `confirm` repeat a failure.
    pub confirms: bool,
}

/// The estimated requests, objects and waits of scenarios.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Requests of the steps, including token requests, without requests for shared tokens.
    pub requests: Bounds,
    /// Requests of the steps to the token endpoint.
    pub token_requests: Bounds,
    /// The largest number of created objects, by kind.
    pub objects: BTreeMap<&'static str, u64>,
    /// The shared tokens: application and scopes.
    pub tokens: BTreeSet<(String, Scopes)>,
    /// The requests that ignore the pace: those of bursts.
    pub unpaced_requests: u64,
    /// The longest wait for polls, and before and after bursts, in seconds.
    pub waits_seconds: u64,
    /// The duration of bursts, in seconds.
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

    /// The sum of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            likely: self.likely.saturating_add(other.likely),
            max: self.max.saturating_add(other.max),
        }
    }
}

impl Estimate {
    /// Adds another estimate.
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

/// The estimate of all rows of a scenario.
pub fn of(planned: PlanEntry<'_>, facts: &TargetFacts<'_>) -> Estimate {
    let scenario = planned.scenario;
    let mut estimate = match &scenario.for_each {
        None => of_row(scenario, facts, facts.names.clone()),
        Some(for_each) => of_rows(scenario, facts, for_each),
    };
    if scenario.confirm && facts.confirms {
        // A scenario that only reads is repeated if lists may have lagged, and while the data move.
        let reads = read_only::only_reads(scenario);
        let max = if reads { 2 + confirm::PAUSES.len() as u64 } else { confirm::CHANGE_PASSES };
        estimate = estimate.times(Bounds { min: 1, likely: 1, max });
    }
    estimate.tokens = shared_tokens::of(scenario);
    estimate
}

fn of_rows(scenario: &Scenario, facts: &TargetFacts<'_>, for_each: &ForEach) -> Estimate {
    let mut estimate = Estimate::default();
    let unknown = |max: u64| {
        let times = Bounds { min: 0, likely: max.min(LOOP_ROWS_LIKELY), max };
        of_row(scenario, facts, facts.names.clone()).times(times)
    };
    match (rows(&facts.names, for_each), facts.workflows_max) {
        (Some(rows), Some(max)) if rows.is_empty() => estimate.add(unknown(max)),
        (Some(rows), _) => {
            for row in rows {
                let mut names = facts.names.clone();
                names.set(&for_each.name, row);
                estimate.add(of_row(scenario, facts, names));
            }
        }
        (None, _) => estimate.add(unknown(PAGE_ROWS_MAX)),
    }
    estimate
}

/// The likely number of pages of a list.
const PAGES_LIKELY: u64 = 4;

/// The likely number of requests to read some pages of a view.
const LOOK_LIKELY: u64 = 3;

/// The assumed upper bound of rows that are known only at run time: the items of one page.
const PAGE_ROWS_MAX: u64 = PAGE_SIZE_EXAMPLE;

fn rows(names: &Names, for_each: &ForEach) -> Option<Vec<Value>> {
    match for_each.rows.render(names) {
        Ok(Value::Array(rows)) => Some(rows),
        Ok(_) | Err(_) => None,
    }
}

fn of_row(scenario: &Scenario, facts: &TargetFacts<'_>, names: Names) -> Estimate {
    let mut counter = Counter { facts, names, estimate: Estimate::default(), is_sure: true };
    counter.steps(&scenario.steps);
    if scenario.confirm && facts.confirms {
        // Each pass may also look for movement of the data, before and after it.
        let looks = movement::look_requests_max(facts.pages_max).saturating_mul(2);
        counter.estimate.requests.max = counter.estimate.requests.max.saturating_add(looks);
    }
    counter.estimate
}

/// Counts along the steps of one row.
struct Counter<'a> {
    facts: &'a TargetFacts<'a>,
    names: Names,
    estimate: Estimate,
    /// Whether the next request does not depend on an earlier response.
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
                        // A window of the limit passes after calls that use it up. Before any burst there may be a wait.
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
        let pages = |at_most: u64| at_most.min(self.facts.pages_max).max(1);
        let view = pages(self.facts.pages_max);
        let (likely, calls) = match (&step.each_page, &step.poll) {
            // A list whose totals moved is read twice.
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
            // The response to an earlier request may be reused.
            (None, None) => (u64::from(!step.reuse), 1),
        };
        if let Some(control) = &step.control {
            // A control that creates something or asks for a token is sent once per run, if its response is not lost.
            self.call(&control::merged(&step.shape, &control.shape), 0, 1);
            self.is_sure = false;
        }
        if let Some(premise) = &step.premise {
            self.is_sure = false;
            self.call(&pages::reading(premise.request.clone()), 0, 1);
        }
        if !step.unchanged.is_empty() {
            self.is_sure = false;
            // One look before and one after. Further looks because of other clients are not counted.
            let looks = step.unchanged.len() as u64;
            // Some pages are read, and then the whole list if they differ from the remembered view.
            let views = Bounds { min: 0, likely: LOOK_LIKELY, max: 2 * (view + LOOK_LIKELY) };
            let looks = Bounds { min: looks, likely: looks + looks / 2, max: looks };
            self.estimate.requests = self.estimate.requests.plus(views.times(looks));
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
                let mut inside = Counter { facts: self.facts, names, estimate, is_sure: false };
                inside.steps(inner);
                let times = Bounds { min: 0, likely: LOOP_ROWS_LIKELY, max: PAGE_ROWS_MAX };
                self.estimate.add(inside.estimate.times(times));
            }
        }
        self.is_sure = false;
    }

    /// Adds up to `max` calls. One of them is certain if the step is.
    fn call(&mut self, shape: &RequestShape, likely: u64, max: u64) {
        let operation = self.operation(shape);
        // A value from an earlier response may be missing.
        self.is_sure &= operation.is_some() && self.is_known(shape);
        let calls = Bounds { min: u64::from(self.is_sure), likely, max };
        self.estimate.requests = self.estimate.requests.plus(calls);
        match operation.flatten() {
            Some(Operation::CreateAccessToken) => {
                // A newer token may revoke the shared one. Then a new token is requested, and the refused call
                // is repeated.
                let tokens = Bounds { max: calls.max.saturating_mul(2), ..calls };
                self.estimate.token_requests = self.estimate.token_requests.plus(tokens);
                self.estimate.requests.max += calls.max.saturating_mul(2);
            }
            Some(Operation::RevokeToken) => {
                // A new token replaces a revoked shared one, and the refused call is repeated.
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
    }

    /// The operation; `Some(None)` if the line is no operation, `None` if the line is not known yet.
    fn operation(&self, shape: &RequestShape) -> Option<Option<Operation>> {
        let line = shape.line.as_ref()?;
        let resolved = prepare::resolve_line(self.facts.endpoints, &self.names, line);
        resolved.ok().map(|(_, _, operation)| operation)
    }

    fn is_known(&self, shape: &RequestShape) -> bool {
        let fields = shape.query.iter().chain(&shape.headers);
        let mut fields = fields.map(|(_, value)| value.render(&self.names).is_ok());
        // A body may depend on a form that was read before.
        shape.body.is_none() && fields.all(|is_known| is_known)
    }
}

/// The window of the rate limit (§8), in seconds.
const WINDOW_SECONDS: u64 = RATE_WINDOW_SECONDS.unsigned_abs();
