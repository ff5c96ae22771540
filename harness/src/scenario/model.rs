//! The typed model of a scenario file (DESIGN §6). Built only by the reader, read by the runner.

mod expectation;
mod file;
mod request;
mod step;
mod value;

pub use expectation::{
    Check, Claim, Expectation, JsonType, Matcher, Observation, Place, Rule, Sight, TextFormat,
};
pub use file::{ForEach, NEEDS, Sandbox, Scenario, ScenarioFile};
pub use request::{
    Multipart, PartContent, PartSpec, Raw, RawContent, RequestBody, RequestLine, RequestShape,
    TokenChoice,
};
pub use step::{
    Action, AdminStep, BurstStep, Control, EachPage, LetBinding, Poll, ReceiveStep, ReceiveUntil,
    RequestStep, Rhythm, SnapshotRule, Step,
};
pub use value::{Json, Location, Piece, Text};
