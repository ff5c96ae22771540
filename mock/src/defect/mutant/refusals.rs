//! Operators on each refusal of each operation. One part of the refusal is wrong.

use moot_fixtures::contract::{Operation, ProblemType, TokenNeed};
use serde_json::json;

use super::Mutant;
use super::responses::{edit_of, place_of};
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::damage::ValueDamage;
use crate::defect::filter::{ResponseFilter, ResponseKind};
use crate::defect::operator::Operator;

/// The members of a problem (§7).
const MEMBERS: [&str; 6] = ["type", "status", "title", "detail", "instance", "request_id"];

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for operation in Operation::ALL {
        let problems = operation.responses().iter().flat_map(|row| row.problems);
        for problem in problems.copied().filter(|problem| is_reached(operation, *problem)) {
            at_problem(operation, problem, &mut all);
        }
    }
    all
}

/// Whether a client can cause this refusal without megabytes or thousands of calls.
fn is_reached(operation: Operation, problem: ProblemType) -> bool {
    let has_token = operation.token() != TokenNeed::None;
    match problem {
        ProblemType::ContentTooLarge
        | ProblemType::RateLimitExceeded
        | ProblemType::UnsupportedMediaType
        | ProblemType::MethodNotAllowed => false,
        ProblemType::TokenExpired | ProblemType::TokenRevoked | ProblemType::InvalidToken => {
            has_token
        }
        // `read_scope`, `page_invalid` and `status_filter_unknown` are open questions, so reads may be answered
        // differently.
        ProblemType::InsufficientScope => operation.token() == TokenNeed::Write,
        ProblemType::ParameterMissing => operation.token() == TokenNeed::Write,
        ProblemType::RequestNotFound => {
            operation.path().contains("{id}") && operation != Operation::DownloadAgreement
        }
        _ => true,
    }
}

/// Whether §7 states type and title of this refusal. Otherwise the service may choose them.
fn is_stated(operation: Operation, problem: ProblemType) -> bool {
    let is_request =
        matches!(operation, Operation::GetLegalRequest | Operation::GetLegalRequestActivity);
    match problem {
        ProblemType::RequestNotFound => is_request,
        other => ProblemType::STATED.contains(&other),
    }
}

fn at_problem(operation: Operation, problem: ProblemType, all: &mut Vec<Mutant>) {
    let kind = ResponseKind::ProblemType(problem);
    let name = problem.as_str().replace('_', "-");
    let mut push = |member: &str, operator: &str, at: &str, by: Operator, sound: bool| {
        let place = format!("{}/{name}.{member}", place_of(operation));
        let what = format!("{}: `{member}` of {name} is {operator}.", operation.title());
        let responses =
            ResponseFilter { of: vec![operation], kind: kind.clone(), ..ResponseFilter::default() };
        let does = vec![edit_of(responses, at, by)];
        let place = (PlaceKind::RefusalMember, place.as_str());
        let made = mutant("7", place, (OperatorFamily::Errors, operator), what, does);
        all.push(Mutant { equivalent: sound.then_some(Equivalence::Permitted), ..made });
    };
    for member in MEMBERS {
        let at = format!("/{member}");
        push(member, "dropped", &at, Operator::Drop, false);
        push(member, "null", &at, Operator::Set(json!(null)), false);
        push(member, "re-typed", &at, Operator::Damage(ValueDamage::ReType), false);
        if member != "status" {
            push(member, "emptied", &at, Operator::Set(json!("")), false);
        }
    }
    let is_open = !is_stated(operation, problem);
    let set = |value: serde_json::Value| Operator::Set(value);
    push("type", "of-another", "/type", set(json!(another(problem).as_str())), is_open);
    push("type", "upper-cased", "/type", Operator::Damage(ValueDamage::UpperCase), is_open);
    push("title", "of-another", "/title", set(json!(another(problem).title())), is_open);
    push("title", "upper-cased", "/title", Operator::Damage(ValueDamage::UpperCase), is_open);
    push("status", "of-another", "/status", set(json!(another(problem).status())), false);
    push("instance", "of-another", "/instance", set(json!("/v1/elsewhere")), false);
    push("request_id", "repeated", "/request_id", set(json!("4rEpEaTeD")), false);
    push("http-status", "of-another", "status", set(json!(another(problem).status())), false);
    push("http-status", "success", "status", set(json!(200)), false);
    push("http-status", "server-error", "status", set(json!(500)), false);
    push("content-type", "html", "header:content-type", set(json!("text/html")), false);
    push("content-type", "dropped", "header:content-type", Operator::Drop, false);
    push("body", "emptied", "body", set(json!("")), false);
    push("body", "wrapped", "", Operator::Wrap("error".to_owned()), false);
    if problem.status() == 401 {
        push("www-authenticate", "dropped", "header:www-authenticate", Operator::Drop, false);
    }
}

/// A problem type with another name, title and status.
fn another(problem: ProblemType) -> ProblemType {
    match problem {
        ProblemType::InvalidToken | ProblemType::TokenExpired | ProblemType::TokenRevoked => {
            ProblemType::InsufficientScope
        }
        _ => ProblemType::InvalidToken,
    }
}
