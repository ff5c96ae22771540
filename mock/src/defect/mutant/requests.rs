//! Operators on the HTTP message of the requests of each operation: a form of it that HTTP allows is refused.

use moot_fixtures::contract::Operation;

use super::Mutant;
use super::answers::place_of;
use super::row::{OperatorFamily, PlaceKind, mutant};
use crate::defect::act::DefectAct;
use crate::defect::condition::CallCondition;

pub(super) fn mutants() -> Vec<Mutant> {
    use Operation as Op;
    let mut all = Vec::new();
    let lists =
        [Op::ListWorkflows, Op::ListLegalRequests, Op::ListRepositoryDocuments, Op::ListWebhooks];
    let single = [
        Op::GetWorkflow,
        Op::GetLegalRequest,
        Op::GetLegalRequestActivity,
        Op::GetRepositoryDocument,
    ];
    let header =
        |name: &str| CallCondition::HeaderWith { name: name.to_owned(), text: String::new() };
    for of in lists.into_iter().chain(single) {
        refused(of, "condition", header("if-none-match"), &mut all);
        refused(of, "range", header("range"), &mut all);
    }
    for of in single.into_iter().chain([Op::GetWorkflowSchema, Op::DeleteWebhook]) {
        refused(of, "encoded-path", CallCondition::EncodedPath, &mut all);
    }
    for of in [Op::CreateLegalRequest, Op::CreateRepositoryDocument] {
        refused(of, "chunks", header("transfer-encoding"), &mut all);
        refused(of, "expect", header("expect"), &mut all);
    }
    all
}

fn refused(of: Operation, part: &str, when: CallCondition, all: &mut Vec<Mutant>) {
    let place = format!("{}/request.{part}", place_of(of));
    let what = format!("{}: a request is refused for its form: {part}.", of.title());
    let at = (PlaceKind::Request, place.as_str());
    let does = vec![DefectAct::Refuse { of, when: vec![when] }];
    all.push(mutant(of.section(), at, (OperatorFamily::Http, "refused"), what, does));
}
