//! Value operators on a member of a resource, in every response that shows the resource. It looks as if the service had
//! stored the wrong value.

use std::collections::BTreeSet;

use moot_fixtures::contract::Operation;
use moot_fixtures::schemas;

use super::Mutant;
use super::members::{ResponseMember, of_schema};
use super::responses::{edit, family, members, operators, place_of};
use super::row::{PlaceKind, mutant};
use crate::defect::act::DefectAct;
use crate::defect::operator::Operator;

/// Resources that more than one operation shows.
const RESOURCES: [&str; 4] = ["legal_request", "repository_document", "webhook", "workflow"];

/// Members of a resource that the response to its creation shows at another place: resource, pointer within it, schema
/// of the response, pointer there.
const CREATION_RESPONSES: [(&str, &str, &str, &str); 5] = [
    ("repository_document", "/id", "repository_document_created", "/data/id"),
    ("repository_document", "/attributes/name", "repository_document_created", "/data/name"),
    (
        "repository_document",
        "/attributes/created_at",
        "repository_document_created",
        "/data/created_at",
    ),
    ("legal_request", "/attributes/name", "legal_request_created_resource", "/attributes/name"),
    ("legal_request", "/id", "legal_request_created_resource", "/id"),
];

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for resource in RESOURCES {
        let mut places = BTreeSet::new();
        for member in of_schema(resource) {
            if places.insert(member.name()) {
                at_member(resource, &member, &mut all);
            }
        }
    }
    all
}

fn at_member(resource: &str, member: &ResponseMember, all: &mut Vec<Mutant>) {
    let shown = shown_places(resource, member);
    let place = format!("{}/{}", resource.replace('_', "-"), member.name());
    let section = schemas::get(resource).and_then(|it| it.get("x-section")?.as_str());
    for row in operators(member.nature) {
        let does = acts(&shown, &row.by);
        let names: Vec<String> = shown.iter().map(|(operation, _)| place_of(*operation)).collect();
        let what = format!("`{}` is {} in {}.", member.name(), row.operator, names.join(", "));
        let family = family(member.nature, &row.operator);
        let at = (PlaceKind::StoredMember, place.as_str());
        let made = mutant(section.unwrap_or("2"), at, (family, &row.operator), what, does);
        all.push(Mutant { equivalent: row.equivalence(member, true), ..made });
    }
}

fn acts(shown: &[(Operation, String)], by: &Operator) -> Vec<DefectAct> {
    shown.iter().map(|(operation, pointer)| edit(&[*operation], pointer, by)).collect()
}

/// The operations that show a member of a resource, each with the pointer of the member.
fn shown_places(resource: &str, member: &ResponseMember) -> Vec<(Operation, String)> {
    let is_first = |other: &ResponseMember| {
        CREATION_RESPONSES.iter().any(|(of, within, schema, pointer)| {
            (*of, *within) == (resource, member.within.as_str())
                && (*schema, *pointer) == (other.resource.as_str(), other.within.as_str())
        })
    };
    let is_same = |other: &ResponseMember| {
        (other.resource == resource && other.within == member.within) || is_first(other)
    };
    let mut all = Vec::new();
    for operation in Operation::ALL {
        let found = members(operation).into_iter().find(|other| is_same(other));
        all.extend(found.map(|found| (operation, found.pointer)));
    }
    all
}

#[cfg(test)]
mod tests {
    use moot_fixtures::contract::Operation as Op;

    use super::{RESOURCES, shown_places};
    use crate::defect::mutant::members::of_schema;

    #[track_caller]
    fn check(resource: &str, within: &str, expected: &[(Op, &str)]) {
        assert!(RESOURCES.contains(&resource));
        let member = of_schema(resource).into_iter().find(|it| it.within == within);
        let shown = shown_places(resource, &member.expect("a member"));
        let shown: Vec<(Op, &str)> = shown.iter().map(|(op, at)| (*op, at.as_str())).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_stored_member_is_changed_in_every_response_that_shows_it() {
        check(
            "repository_document",
            "/attributes/name",
            &[
                (Op::CreateRepositoryDocument, "/data/name"),
                (Op::ListRepositoryDocuments, "/data/*/attributes/name"),
                (Op::GetRepositoryDocument, "/data/attributes/name"),
            ],
        );
        check(
            "legal_request",
            "/attributes/name",
            &[
                (Op::CreateLegalRequest, "/data/attributes/name"),
                (Op::ListLegalRequests, "/data/*/attributes/name"),
                (Op::GetLegalRequest, "/data/attributes/name"),
            ],
        );
    }
}
