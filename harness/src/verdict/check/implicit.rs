//! Implicit checks: checks of every exchange, independent of the scenario.
//!
//! [`TABLE`] has the requirements of each check. A check that does not apply returns nothing. A response
//! that an open question allows is never a failure.

mod answered_exchange;
mod body;
mod clock;
mod context;
mod headers;
mod new_id;
mod page_totals;
mod problem;
mod problem_members;
mod problem_type;
mod repeated_log_entries;
mod shape;
mod status;

pub use context::ImplicitContext;

use answered_exchange::AnsweredExchange;

use super::Judgement;
use crate::exchange::Exchange;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Implicit {
    /// For people: `problem members`.
    pub name: &'static str,
    /// The ids of the requirements that it checks.
    pub verifies: &'static [&'static str],
    judge: ImplicitRule,
}

/// The function of an implicit check.
#[derive(Debug, Clone, Copy)]
enum ImplicitRule {
    /// Judges one requirement.
    One(fn(&AnsweredExchange<'_>) -> Option<Judgement>),
    /// Judges several requirements.
    Several(fn(&AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)>),
}

/// Every implicit check, in the order of judging.
pub const TABLE: &[Implicit] = &[
    one("server error", &["errors.never-5xx"], status::server_error),
    one("declared status", &["http.declared-status"], status::declared),
    one("date", &["http.date"], headers::date),
    one("JSON media type", &["http.json-media-type"], headers::json_media_type),
    one("valid JSON", &["json.valid"], body::valid_json),
    one("Allow", &["http.allow-on-405"], headers::allow),
    one("Bearer challenge", &["oauth.challenge"], headers::challenge),
    one("no-store", &["oauth.no-store"], headers::no_store),
    one("not public", &["http.not-public"], headers::not_public),
    one("no length", &["http.no-length-on-204"], headers::no_length),
    one("secrets", &["oauth.no-secret-repeated"], body::secrets),
    one("internals", &["errors.no-internals"], body::internals),
    one("no refresh token", &["oauth.no-refresh-token"], body::no_refresh_token),
    one("problem media type", &["errors.media-type"], headers::problem_media_type),
    several("problem members", problem_members::VERIFIES, problem_members::judge),
    several("problem agreement", problem::AGREEMENT, problem::agreement),
    several("problem type", problem_type::VERIFIES, problem_type::judge),
    one("problem detail", &["errors.detail-of-this-error"], problem::detail),
    one("request id", &["errors.request-id-unique"], problem::request_id),
    several("token body", shape::OF_TOKENS, shape::token),
    several("success body", shape::OF_SUCCESSES, shape::success),
    one("page totals", &["pagination.total-pages-agrees"], page_totals::judge),
    several("repeated log entries", repeated_log_entries::VERIFIES, repeated_log_entries::judge),
    several("new id", new_id::VERIFIES, new_id::judge),
    several("clock", clock::VERIFIES, clock::judge),
    one("no body", &["delete-webhook.no-body"], body::no_body),
];

const fn one(
    name: &'static str,
    verifies: &'static [&'static str; 1],
    judge: fn(&AnsweredExchange<'_>) -> Option<Judgement>,
) -> Implicit {
    Implicit { name, verifies, judge: ImplicitRule::One(judge) }
}

const fn several(
    name: &'static str,
    verifies: &'static [&'static str],
    judge: fn(&AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)>,
) -> Implicit {
    Implicit { name, verifies, judge: ImplicitRule::Several(judge) }
}

/// The results of all checks of the table, each with the id of its requirement. None if there was no response.
pub fn judge(exchange: &Exchange, context: &ImplicitContext) -> Vec<(&'static str, Judgement)> {
    let Ok(response) = &exchange.outcome else { return Vec::new() };
    let answered = AnsweredExchange { exchange, response, context };
    if answered.is_part() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for row in TABLE {
        match row.judge {
            ImplicitRule::One(judge) => {
                let judgement = judge(&answered);
                findings.extend(judgement.map(|judgement| (row.verifies[0], judgement)));
            }
            ImplicitRule::Several(judge) => findings.extend(judge(&answered)),
        }
    }
    findings
}
