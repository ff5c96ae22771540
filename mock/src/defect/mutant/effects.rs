//! Operators on the status changes of a legal request, and on the rules and fields of each form.

use std::collections::BTreeSet;

use moot_fixtures::answers;
use moot_fixtures::contract::{CREATE_REQUEST_FIELDS, FieldKind, LegalRequestStatus, Operation};

use super::Mutant;
use super::responses::place_of;
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::act::{DefectAct, RefusedCall};
use crate::defect::call_edit::CallEdit;
use crate::defect::condition::CallCondition;
use crate::defect::transition_defect::TransitionAct;
use crate::value::address::AddressFault;
use crate::value::message::rule::Rule;

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    transitions(&mut all);
    rules(&mut all);
    fields(&mut all);
    token_fields(&mut all);
    all
}

fn push(
    operation: Operation,
    (kind, part): (PlaceKind, &str),
    (family, operator): (OperatorFamily, &str),
    act: DefectAct,
    all: &mut Vec<Mutant>,
) {
    let place = format!("{}/{part}", place_of(operation));
    let what = format!("{}: {part}: {operator}.", operation.title());
    let at = (kind, place.as_str());
    all.push(mutant(operation.section(), at, (family, operator), what, vec![act]));
}

/// Mutants of each status to which a legal request can change with the default answers (§3).
fn transitions(all: &mut Vec<Mutant>) {
    let entered: BTreeSet<LegalRequestStatus> =
        answers::default().transitions.values().flatten().copied().collect();
    for to in entered {
        let place = format!("transition/{}", to.as_str());
        for (operator, act) in [
            ("not-recorded", TransitionAct::NotRecorded),
            ("recorded-twice", TransitionAct::RecordedTwice),
            ("statuses-swapped", TransitionAct::StatusesSwapped),
            ("status-kept", TransitionAct::StatusKept),
            ("logged-at-creation", TransitionAct::LoggedAtCreation),
        ] {
            let what = format!("A legal request changes to `{}`: {operator}.", to.as_str());
            let at = (PlaceKind::Transition, place.as_str());
            let does = vec![DefectAct::Transition { to: Some(to), act }];
            all.push(mutant("3", at, (OperatorFamily::Effects, operator), what, does));
        }
    }
}

/// Fields that are optional for every workflow (§4.5).
const NEVER_REQUIRED: [&str; 2] = ["support_documents[]", "merge_documents_into_pdf"];

/// Mutants of the rules of the operations that create. The texts are the names of the rules in ids.
fn rules(all: &mut Vec<Mutant>) {
    use Operation as Op;
    let legal_request = [
        ("workflow-exists", Rule::WorkflowExists),
        ("workflow-published", Rule::WorkflowPublished),
        ("requester-is-user", Rule::RequesterIsUser),
        ("variable-required", Rule::VariableRequired),
        ("support-document-size", Rule::SupportDocumentSize),
        ("document-type", Rule::DocumentType),
    ];
    let document = [
        ("document-type", Rule::DocumentType),
        ("upload-source", Rule::UploadSource),
        ("one-upload-source", Rule::OneUploadSource),
        ("field.metadata", Rule::Field("metadata".to_owned())),
        ("address-not-https", Rule::UploadAddress(AddressFault::NotHttps)),
        ("address-private", Rule::UploadAddress(AddressFault::NotPublic)),
    ];
    for (name, rule) in legal_request {
        at_rule(Op::CreateLegalRequest, name, &rule, all);
    }
    for (field, kind) in CREATE_REQUEST_FIELDS {
        let name = field.trim_end_matches("[]");
        if !NEVER_REQUIRED.contains(&field) {
            let required = Rule::Required(vec![field.to_owned()]);
            at_rule(Op::CreateLegalRequest, &format!("required.{name}"), &required, all);
        }
        // Any text and any file is valid.
        if matches!(kind, FieldKind::Email | FieldKind::Emails | FieldKind::JsonObject) {
            let valid = Rule::Field(field.to_owned());
            at_rule(Op::CreateLegalRequest, &format!("valid.{name}"), &valid, all);
        }
    }
    for (name, rule) in document {
        at_rule(Op::CreateRepositoryDocument, name, &rule, all);
    }
}

fn at_rule(of: Operation, name: &str, rule: &Rule, all: &mut Vec<Mutant>) {
    let refused = || RefusedCall { of, rule: rule.clone(), when: Vec::new() };
    let part = format!("rule.{name}");
    let at = (PlaceKind::Rule, part.as_str());
    let family = OperatorFamily::Effects;
    let first = all.len();
    push(of, at, (family, "not-applied"), DefectAct::Accept(refused()), all);
    // The specification leaves open which types of files a service supports.
    all[first].equivalent = (*rule == Rule::DocumentType).then_some(Equivalence::Permitted);
    push(of, at, (family, "though-refused"), DefectAct::RefuseLate(refused()), all);
    for mutant in &mut all[first..] {
        mutant.defect.heavy = *rule == Rule::SupportDocumentSize;
    }
}

/// Mutants of the fields of forms: one field is lost, or it is refused although it is valid.
fn fields(all: &mut Vec<Mutant>) {
    let legal_request = Operation::CreateLegalRequest;
    let document = Operation::CreateRepositoryDocument;
    let of_document = ["file", "url", "metadata"].map(|name| (document, name));
    let of_request = CREATE_REQUEST_FIELDS.into_iter().map(|(name, _)| (legal_request, name));
    for (of, name) in of_request.chain(of_document) {
        let part = format!("form.{}", name.trim_end_matches("[]"));
        let at = (PlaceKind::FormField, part.as_str());
        let when = || vec![CallCondition::Field(name.to_owned())];
        let instead = CallEdit::WithoutPart(name.to_owned());
        let lost = DefectAct::Substitute { of: vec![of], when: when(), instead };
        push(of, at, (OperatorFamily::Effects, "lost"), lost, all);
        let refused = DefectAct::Refuse { of, when: when() };
        push(of, at, (OperatorFamily::Effects, "refused"), refused, all);
    }
}

/// Mutants of the fields of the token request.
fn token_fields(all: &mut Vec<Mutant>) {
    let of = Operation::CreateAccessToken;
    for name in ["grant_type", "client_id", "client_secret", "scope"] {
        let part = format!("form.{name}");
        let at = (PlaceKind::FormField, part.as_str());
        let family = OperatorFamily::Access;
        // Without `client_id` no client is known.
        if name != "client_id" {
            let when = vec![CallCondition::Not(Box::new(CallCondition::Field(name.to_owned())))];
            let issued = DefectAct::IssueToken { scopes: "read".to_owned(), when };
            push(of, at, (family, "not-required"), issued, all);
        }
        let when = vec![CallCondition::Field(name.to_owned())];
        let error = "invalid_request".to_owned();
        let refused = DefectAct::RefuseToken { status: 400, error, when };
        push(of, at, (family, "refused"), refused, all);
    }
    for scopes in ["read", "write", "read write"] {
        let part = format!("scope.{}", scopes.replace(' ', "-"));
        let at = (PlaceKind::FormField, part.as_str());
        let issued = DefectAct::IssueToken { scopes: scopes.to_owned(), when: Vec::new() };
        push(of, at, (OperatorFamily::Access, "always-granted"), issued, all);
    }
}
