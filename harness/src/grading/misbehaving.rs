//! A client of the service for the self-test of the rules of conduct: it behaves well, or breaks one rule on
//! purpose.
//!
//! It is an ordinary client: it finds the service by the variables of `moot exec`, and has no access to the
//! control plane. [`misbehaviours`] says in which situation each rule shows. Nothing here judges.

mod client;
mod odd_calls;
mod receiver;
mod service;
mod table;
mod task;

pub use service::{MisbehaviourError, ServicePlace};
pub use table::{Misbehaviour, TrialSituation, misbehaviours, not_shown};

use client::TrialClient;

/// Does the errand of a client: `broken` is the rule that it breaks, or nothing.
///
/// # Errors
/// The errand failed, as a client in this situation may.
pub async fn run(
    service: &ServicePlace,
    broken: Option<&'static str>,
) -> Result<(), MisbehaviourError> {
    let mut client = TrialClient::new(service.clone(), broken)?;
    match broken {
        Some(rule) if odd_calls::run(&mut client, rule).await? => Ok(()),
        _ => task::run(client).await,
    }
}

/// The id of a rule that this client can break.
pub fn rule(id: &str) -> Option<&'static str> {
    misbehaviours().iter().map(|it| it.rule.as_str()).find(|rule| *rule == id)
}
