//! Operators on the token and the id of each call.

use moot_fixtures::contract::{Operation, TokenNeed};

use super::Mutant;
use super::answers::place_of;
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::access_defect::{TokenAct, list_of};
use crate::defect::act::DefectAct;
use crate::defect::likeness::Likeness;

/// Ways to compare loosely, with their names in ids.
const LIKE: [(&str, Likeness); 5] = [
    ("compared-without-case", Likeness::Case),
    ("compared-by-its-beginning", Likeness::Longer),
    ("compared-as-far-as-sent", Likeness::Shorter),
    ("compared-but-for-the-last-character", Likeness::LastCharacter),
    ("compared-without-blanks", Likeness::Blanks),
];

/// The operations that need the scope `write` (§5.4).
const NEED_WRITE: [Operation; 3] =
    [Operation::CreateLegalRequest, Operation::CreateRepositoryDocument, Operation::DeleteWebhook];

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for operation in Operation::ALL {
        if operation.token() != TokenNeed::None {
            at_token(operation, &mut all);
        }
        if list_of(operation).is_some() {
            at_id(operation, &mut all);
        }
    }
    all
}

fn at_token(operation: Operation, all: &mut Vec<Mutant>) {
    let place = format!("{}/token", place_of(operation));
    let mut push = |operator: &str, act: DefectAct, equivalent: Option<Equivalence>| {
        let what = format!("{}: the token is wrong, but accepted: {operator}.", operation.title());
        let at = (PlaceKind::Token, place.as_str());
        let made = mutant("5", at, (OperatorFamily::Access, operator), what, vec![act]);
        all.push(Mutant { equivalent, ..made });
    };
    for (operator, problem) in [
        ("expired-accepted", "token_expired"),
        ("revoked-accepted", "token_revoked"),
        ("scope-not-checked", "insufficient_scope"),
    ] {
        // §5.4 names the operations that need the scope `write`. The scopes of the others are open.
        let permitted = problem == "insufficient_scope" && !NEED_WRITE.contains(&operation);
        let admit = DefectAct::Admit { problem: problem.to_owned(), of: vec![operation] };
        push(operator, admit, permitted.then_some(Equivalence::Permitted));
    }
    let loose = |act| DefectAct::LooseToken { of: vec![operation], act };
    for (operator, likeness) in LIKE {
        // A header has no blanks at its end, and one more between scheme and token is not a violation.
        let permitted = likeness == Likeness::Blanks;
        let equivalent = permitted.then_some(Equivalence::Permitted);
        push(operator, loose(TokenAct::Like(likeness)), equivalent);
    }
    push("any-scheme", loose(TokenAct::AnyScheme), None);
    push("in-the-query", loose(TokenAct::InQuery), None);
}

fn at_id(operation: Operation, all: &mut Vec<Mutant>) {
    let place = format!("{}/id", place_of(operation));
    let mut push = |family: OperatorFamily, operator: &str, act: DefectAct| {
        let what = format!("{}: the id is {operator}.", operation.title());
        let at = (PlaceKind::Rule, place.as_str());
        all.push(mutant(operation.section(), at, (family, operator), what, vec![act]));
    };
    for (operator, like) in LIKE {
        let act = DefectAct::LooseId { of: vec![operation], like };
        push(OperatorFamily::Identity, operator, act);
    }
    let of_any = DefectAct::FindAnywhere(operation);
    push(OperatorFamily::Access, "of-any-company", of_any);
}
