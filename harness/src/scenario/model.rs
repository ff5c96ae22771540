//! The typed model of a scenario file. Each type declares its keys in YAML.

mod admin;
mod body;
mod burst;
mod expectation;
mod file;
mod for_each;
mod matcher;
mod operator;
mod own_requirement;
mod place;
mod receive;
mod request;
mod request_keys;
mod step;

pub use super::text::{Json, Location, Text, TextPiece};
pub use admin::AdminStep;
pub use body::{Multipart, PartContent, PartSpec, RawBody, RawContent, RequestBody};
pub use burst::{BurstStep, Rhythm};
pub use expectation::{AnswerPlace, Check, Claim, Observation};
pub(super) use file::ScenarioFileKeys;
pub use file::{NEEDS, Sandbox, Scenario, ScenarioFile};
pub use for_each::ForEach;
pub use matcher::{JsonType, MatcherRule, Near, TextFormat};
pub use operator::{OperatorAction, OperatorOrder, OperatorStep};
pub use own_requirement::OwnRequirement;
pub use place::Place;
pub use receive::ReceiveStep;
pub use request::{RequestLine, RequestShape, TokenChoice, UselessToken};
pub use request_keys::{ControlRequest, EachPage, Poll, Premise, SnapshotRule};
pub use step::{Assumption, BoundValue, RequestStep, Step, StepAction};
