//! A call and its response as values.

pub mod call;
pub mod content;
pub(crate) mod fields;
pub(crate) mod json;
pub(crate) mod problem;
pub(crate) mod responder;
pub mod response;
pub(crate) mod route;
pub mod rule;
pub mod wire;
