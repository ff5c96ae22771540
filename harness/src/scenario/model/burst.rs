//! `burst`: many calls, and how they follow one another.

use std::time::Duration;

use super::expectation::{Check, Observation};
use super::place::Place;
use super::request::{RequestLine, RequestShape};
use crate::scenario::language::fields::MapFields;
use crate::scenario::language::form::{Integer, List, OrDefault};
use crate::scenario::language::keys::{Keys, form_of, key_name, keyed, one_key};
use crate::scenario::language::reader::ScenarioReader;

/// Calls of a burst that is not load: the number that a run sends at once anyway.
const FEW_CALLS_MAX: u32 = 10;

keyed! {
    /// `burst`: many calls. More than ten begin when what was sent before does not use up the rate limit.
    #[derive(Debug, Clone)]
    pub struct BurstStep {
        /// Calls and their rhythm.
        "burst" => plan: BurstPlan,
        /// Checks on its document.
        expect: Vec<Check>,
        /// Observations on its document.
        observe: Vec<Observation>,
        /// New name and the place of its value in the document.
        capture: Vec<(String, Place)>,
    }
    with {
        /// What is sent.
        shape: RequestShape,
    }
}

keyed! {
    /// The calls of a burst.
    #[derive(Debug, Clone)]
    pub struct BurstPlan("`burst`") {
        /// `METHOD /path`, or the name of an operation.
        request: String,
        /// Further requests, which are sent in turn with the first one.
        also: Vec<RequestLine> as OrDefault<List<RequestLine, 1, 16>>,
        /// How many. More than ten need consent `load`; the document of fewer has their `answers`.
        calls: u32 as Integer<1, 100_000>,
        /// Whether the calls carry the tokens of `main`, `reader` and `other_company` in turn, as far
        /// as the target has them.
        each_application: bool as OrDefault<bool>,
        /// Statuses at which it ends.
        stop_on: Vec<u16> as OrDefault<List<Integer<100, 599>, 1, 500>>,
    }
    with {
        /// How they follow one another.
        rhythm: Rhythm,
    }
}

one_key! {
    /// How the calls of a burst follow one another.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Rhythm {
        /// As fast as they are answered, this many at the same time.
        "in_flight" => InFlight(u32 as Integer<1, 256>),
        /// Evenly spaced over this time.
        "over" => Over(Duration),
    }
}

impl BurstPlan {
    /// Whether the calls are few: they keep the pace of the target file, need no consent `load`, and
    /// each answer is in the document.
    pub fn is_few(&self) -> bool {
        self.calls <= FEW_CALLS_MAX && matches!(self.rhythm, Rhythm::InFlight(_))
    }
}

impl BurstStep {
    /// The shape of each request that is sent in turn.
    pub fn shapes(&self) -> impl Iterator<Item = RequestShape> {
        let also = self
            .plan
            .also
            .iter()
            .map(|line| RequestShape { line: Some(line.clone()), ..self.shape.clone() });
        std::iter::once(self.shape.clone()).chain(also)
    }

    /// Reads the keys of the step. The `id` of its operation stands beside `burst`.
    pub(super) fn read(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let line = fields.get("burst").and_then(|plan| plan.member("request")).and_then(|node| {
            RequestLine::read_with_id(reader, node, "`request`", fields.get("id"))
        });
        let mut step = Self::read_keys(reader, fields)?;
        step.shape.line = Some(line?);
        Some(step)
    }
}
