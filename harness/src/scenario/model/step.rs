//! The seven kinds of steps.

use std::time::Duration;

use super::{
    Check, Expectation, ForEach, Json, Location, Matcher, Observation, Place, RequestLine,
    RequestShape, Text,
};

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// In reports; default: what it does.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// Of its first key.
    pub at: Location,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Sends a request.
    Request(Box<RequestStep>),
    /// Sends many.
    Burst(Box<BurstStep>),
    /// Waits for deliveries.
    Receive(Box<ReceiveStep>),
    /// Asks the control plane.
    Admin(Box<AdminStep>),
    /// Loops over a value of run time.
    ForEach(ForEach, Vec<Step>),
    /// Names values: name, from, place.
    Let(Vec<LetBinding>),
    /// The rest applies only where these hold.
    Assume {
        /// Value and matcher.
        conditions: Vec<(Text, Matcher)>,
        /// Said where one does not hold.
        because: String,
    },
}

/// `let: {name: {from, at}}`.
#[derive(Debug, Clone)]
pub struct LetBinding {
    /// The new name.
    pub name: String,
    /// The value looked into.
    pub from: Json,
    /// Where; `None` is the value itself.
    pub at: Option<Place>,
}

/// A request and what is asked of it.
#[derive(Debug, Clone)]
pub struct RequestStep {
    /// What is sent.
    pub shape: RequestShape,
    /// The precondition.
    pub require: Option<Expectation>,
    /// Requirement id and what must hold for it.
    pub expect: Vec<Check>,
    /// The sound call that runs first.
    pub control: Option<Box<Control>>,
    /// Views read before and after.
    pub unchanged: Vec<RequestLine>,
    /// Question id and the place of its answer.
    pub observe: Vec<Observation>,
    /// Name and place.
    pub capture: Vec<(String, Place)>,
    /// Repeats until.
    pub poll: Option<Poll>,
    /// Follows pages.
    pub each_page: Option<EachPage>,
    /// Whether the response is kept.
    pub snapshot: Option<SnapshotRule>,
    /// Always run once this step was sent.
    pub finally: Vec<Step>,
}

/// `control`.
#[derive(Debug, Clone)]
pub struct Control {
    /// What replaces.
    pub shape: RequestShape,
    /// Default: status 2xx.
    pub require: Option<Expectation>,
}

/// `poll`.
#[derive(Debug, Clone)]
pub struct Poll {
    /// Until this holds.
    pub until: Expectation,
    /// Between two calls.
    pub every: Duration,
    /// In all.
    pub at_most: Duration,
}

/// `each_page`.
#[derive(Debug, Clone)]
pub struct EachPage {
    /// Pages.
    pub at_most: u64,
    /// Checks on each page.
    pub expect: Vec<Check>,
}

/// `snapshot`.
#[derive(Debug, Clone, Default)]
pub struct SnapshotRule {
    /// Places whose values are replaced.
    pub redact: Vec<Place>,
}

/// `burst`.
#[derive(Debug, Clone)]
pub struct BurstStep {
    /// What is sent.
    pub shape: RequestShape,
    /// How many.
    pub calls: u32,
    /// How they follow one another.
    pub rhythm: Rhythm,
    /// Statuses at which it ends.
    pub stop_on: Vec<u16>,
    /// Checks on its document.
    pub expect: Vec<Check>,
    /// Observations on its document.
    pub observe: Vec<Observation>,
    /// Name and place in its document.
    pub capture: Vec<(String, Place)>,
}

/// How the calls of a burst follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rhythm {
    /// As fast as they are answered, so many at the same time.
    InFlight(u32),
    /// Evenly spaced over this time.
    Over(Duration),
}

/// `receive`.
#[derive(Debug, Clone)]
pub struct ReceiveStep {
    /// Name of the receiver.
    pub receiver: String,
    /// For what it waits.
    pub until: ReceiveUntil,
    /// The precondition.
    pub require: Option<Expectation>,
    /// Checks on its document.
    pub expect: Vec<Check>,
    /// Observations on its document.
    pub observe: Vec<Observation>,
    /// Name and place in its document.
    pub capture: Vec<(String, Place)>,
}

/// For what a `receive` waits.
#[derive(Debug, Clone)]
pub enum ReceiveUntil {
    /// At least so many deliveries within this time.
    AtLeast(u32, Duration),
    /// None for this time.
    NoneFor(Duration),
}

/// `admin`.
#[derive(Debug, Clone)]
pub struct AdminStep {
    /// Upper case.
    pub method: String,
    /// Below `/__admin`.
    pub path: Text,
    /// The body.
    pub json: Option<Json>,
    /// Checks on its answer.
    pub expect: Vec<Check>,
    /// Name and place.
    pub capture: Vec<(String, Place)>,
}
