//! The typed model of a scenario file. Each type declares how it is written.

mod body;
mod expectation;
mod file;
mod matcher;
mod place;
mod request;
mod step;

pub use super::text::{Json, Location, Text, TextPiece};
pub use body::{Multipart, PartContent, PartSpec, RawBody, RawContent, RequestBody};
pub use expectation::{Check, Claim, Expectation, Observation, Sight};
pub(super) use file::ScenarioFileKeys;
pub use file::{ForEach, NEEDS, Sandbox, Scenario, ScenarioFile};
pub use matcher::{JsonType, Matcher, Near, Pattern, Rule, TextFormat};
pub use place::Place;
pub use request::{RequestLine, RequestShape, TokenChoice};
pub use step::{
    AdminCall, AdminStep, BoundValue, BurstPlan, BurstStep, ControlRequest, EachPage, LetBinding,
    Poll, ReceiveStep, ReceiveUntil, ReceiveWait, RequestStep, Rhythm, SnapshotRule, Step,
    StepAction,
};
