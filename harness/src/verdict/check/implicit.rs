//! Implicit checks: checks of every exchange, independent of the scenario.
//!
//! One file answers one question; [`TABLE`] binds each to the rows of the register that it
//! verifies. A check that does not apply returns nothing. An answer that an open question allows is
//! never a failure.

mod allow;
mod answered_exchange;
mod challenge;
mod clock;
mod context;
mod date;
mod declared_status;
mod first_seen;
mod internals;
mod json_valid;
mod log_twins;
mod media_type;
mod no_body;
mod no_length;
mod no_refresh_token;
mod no_store;
mod not_public;
mod page_totals;
mod problem_agreement;
mod problem_detail;
mod problem_media_type;
mod problem_members;
mod problem_type;
mod request_id;
mod secrets;
mod server_error;
mod shape;
mod token_shape;

pub use context::ImplicitContext;

use answered_exchange::AnsweredExchange;

use super::Judgement;
use crate::exchange::Exchange;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Implicit {
    /// For people: `problem members`.
    pub name: &'static str,
    /// The rows of the register that it verifies; its findings name no other.
    pub verifies: &'static [&'static str],
    judge: fn(&AnsweredExchange<'_>, &ImplicitContext) -> Vec<ImplicitJudgement>,
}

/// What an implicit check found of one requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImplicitJudgement {
    /// Id of a row of the register.
    pub requirement: &'static str,
    /// What was found.
    pub judgement: Judgement,
}

/// Every implicit check, in the order in which they judge.
pub const TABLE: &[Implicit] = &[
    server_error::ROW,
    declared_status::ROW,
    date::ROW,
    media_type::ROW,
    json_valid::ROW,
    allow::ROW,
    challenge::ROW,
    no_store::ROW,
    not_public::ROW,
    no_length::ROW,
    secrets::ROW,
    internals::ROW,
    no_refresh_token::ROW,
    problem_media_type::ROW,
    problem_members::ROW,
    problem_agreement::ROW,
    problem_type::ROW,
    problem_detail::ROW,
    request_id::ROW,
    token_shape::ROW,
    shape::ROW,
    page_totals::ROW,
    log_twins::ROW,
    clock::ROW,
    no_body::ROW,
];

/// What every check of the table finds; nothing where there was no answer.
pub fn judge(exchange: &Exchange, context: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let Ok(response) = &exchange.outcome else { return Vec::new() };
    let answered = AnsweredExchange::new(exchange, response);
    TABLE.iter().flat_map(|row| (row.judge)(&answered, context)).collect()
}

/// One finding.
fn found(requirement: &'static str, judgement: Judgement) -> Vec<ImplicitJudgement> {
    vec![ImplicitJudgement { requirement, judgement }]
}
