//! A client of the service for the self-test of the rules of conduct. It behaves well, or breaks one rule on purpose.
//!
//! It reads the environment variables of `moot exec`, and does not use the control plane. [`misbehaviours`] lists the
//! rules that it can break, each with the situation that reveals it. Nothing here judges.

mod client;
mod odd_calls;
mod receiver;
mod service;
mod table;
mod task;

pub use service::MisbehaviourError;
pub use table::{Misbehaviour, misbehaviours, not_shown};

use client::TrialClient;
use service::ServicePlace;

/// Runs the client. `broken` is the rule that it breaks.
///
/// # Errors
/// An environment variable is not set. Or the task failed, which is correct in some situations.
pub async fn run(broken: Option<&'static str>) -> Result<(), MisbehaviourError> {
    let mut client = TrialClient::new(ServicePlace::from_environment()?, broken)?;
    match broken {
        Some(rule) if odd_calls::run(&mut client, rule).await? => Ok(()),
        _ => task::run(client).await,
    }
}

/// The id, if the client can break this rule.
pub fn rule(id: &str) -> Option<&'static str> {
    misbehaviours().iter().map(|it| it.rule.as_str()).find(|rule| *rule == id)
}
