//! The step `burst`: many calls, and their rhythm.

use std::time::Duration;

use moot_fixtures::contract::REQUESTS_PER_MINUTE_MAX;

use super::expectation::{Check, Observation};
use super::place::Place;
use super::request::{RequestLine, RequestShape};
use crate::scenario::language::form::{Integer, List, OrDefault};
use crate::scenario::language::keys::{Keys, keyed, one_key};
use crate::scenario::language::reader::{MapFields, ScenarioReader};

/// The largest burst that is not load. Runs send this many requests at once in any case.
const FEW_CALLS_MAX: u32 = 10;

keyed! {
    /// `burst`: many calls. A burst of more than ten begins when earlier calls no longer count for the
    /// rate limit.
    #[derive(Debug, Clone)]
    pub struct BurstStep {
        /// Calls and their rhythm. Checks see one document. It has the numbers of calls that were `sent`, `served` (a
        /// status below 400) and `refused` (429 or 503), `served_before_refusal` and `most_served_in_a_minute`.
        /// `served_beyond_limit` is the number of served calls beyond 660 and ten for each second of the burst. It has
        /// the first `refusal` with its `status`, `body` and `retry_after`.
        "burst" => plan: BurstPlan,
        /// Checks on the document that the burst makes.
        expect: Vec<Check> as OrDefault<Vec<Check>>,
        /// Observations on that document.
        observe: Vec<Observation> as OrDefault<Vec<Observation>>,
        /// New names, and the place of each value in that document.
        capture: Vec<(String, Place)> as OrDefault<Vec<(String, Place)>>,
    }
    with {
        /// The request.
        shape: RequestShape,
    }
}

keyed! {
    /// The calls of a burst.
    #[derive(Debug, Clone)]
    pub struct BurstPlan("`burst`") {
        /// `METHOD /path`, or the name of an operation.
        request: String,
        /// Further requests, sent in turn with the first.
        also: Vec<RequestLine> as OrDefault<List<RequestLine, 1, 16>>,
        /// The number of calls. More than ten need the consent `load`. The document of a smaller burst
        /// has the responses, as `answers`.
        calls: u32 as Integer<1, 100_000>,
        /// Whether the calls use the tokens of `main`, `reader` and `other_company` in turn, as far
        /// as the target file has them.
        each_application: bool as OrDefault<bool>,
        /// Statuses that end the burst.
        stop_on: Vec<u16> as OrDefault<List<Integer<100, 599>, 1, 500>>,
    }
    with {
        /// The rhythm of the calls.
        rhythm: Rhythm,
    }
}

one_key! {
    /// The rhythm of the calls of a burst.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Rhythm {
        /// The number of calls at the same time, each sent as soon as another is answered.
        "in_flight" => InFlight(u32 as Integer<1, 256>),
        /// The time over which the calls are evenly spaced.
        "over" => Over(Duration),
    }
}

impl BurstPlan {
    /// Whether the calls are few. Few calls keep the pace of the target file, need no consent `load`,
    /// and have each response in the document.
    pub fn is_few(&self) -> bool {
        self.calls <= FEW_CALLS_MAX && matches!(self.rhythm, Rhythm::InFlight(_))
    }

    /// Whether a correct service refuses calls after the burst, until a minute is over (§8).
    pub fn uses_up_limit(&self) -> bool {
        match self.rhythm {
            Rhythm::InFlight(_) => !self.is_few(),
            Rhythm::Over(_) => self.calls > REQUESTS_PER_MINUTE_MAX,
        }
    }
}

impl BurstStep {
    /// The requests that are sent in turn.
    pub fn shapes(&self) -> impl Iterator<Item = RequestShape> {
        let also = self
            .plan
            .also
            .iter()
            .map(|line| RequestShape { line: Some(line.clone()), ..self.shape.clone() });
        std::iter::once(self.shape.clone()).chain(also)
    }

    /// Reads the keys of the step. The `id` of the operation is a key beside `burst`.
    pub(super) fn read(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let line = fields.get("burst").and_then(|plan| plan.member("request")).and_then(|node| {
            RequestLine::read_with_id(reader, node, "`request`", fields.get("id"))
        });
        let mut step = Self::read_keys(reader, fields)?;
        step.shape.line = Some(line?);
        Some(step)
    }
}
