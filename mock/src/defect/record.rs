//! Outcomes that the rules forbid: records that break a rule, and refusals of valid calls.

use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::contract::{LegalRequestStatus, Operation};

use super::call::DefectCall;
use crate::value::message::content::Content;
use crate::value::message::json::DataJson;
use crate::value::message::problem::Problem;
use crate::value::sent_json::SentJson;
use crate::value::token::Grant;
use crate::world::state::change::Change;
use crate::world::state::resource::legal_request::Submission;
use crate::world::state::resource::{LegalRequest, RepositoryDocument};
use crate::world::{Outcome, transition};

/// A successful creation of a default record, without any rule. Returns `refused` for other operations.
pub(super) fn unchecked(call: &DefectCall<'_>, refused: Outcome) -> Outcome {
    match call.call.admitted.operation {
        Operation::CreateLegalRequest => legal_request(call).unwrap_or(refused),
        Operation::CreateRepositoryDocument => document(call).unwrap_or(refused),
        _ => refused,
    }
}

/// The refusal of a valid call.
pub(super) fn refusal(call: &DefectCall<'_>) -> Outcome {
    let problem = match call.is(Operation::CreateRepositoryDocument) {
        true => Problem::document_creation("This cannot be processed."),
        false => Problem::request_creation("This cannot be processed."),
    };
    call.refuse(&problem)
}

/// A refusal by the token endpoint.
pub(super) fn token_refusal(call: &DefectCall<'_>, status: u16, error: &str) -> Outcome {
    let problem = Problem::token_failure(status, error.to_owned(), "The call is refused.");
    call.refuse(&problem)
}

/// A token with these scopes for the client that the call names. Returns `outcome` if the client is unknown.
pub(super) fn token(call: &DefectCall<'_>, outcome: Outcome, scopes: &str) -> Outcome {
    let Some((application, _)) = call.client() else { return outcome };
    let Ok(scopes) = scopes.parse() else { return outcome };
    let serial = call.call.admitted.serial;
    let grant = Grant { application, scopes, issued_at: call.now.as_second(), serial };
    let token = call.world.sealer.seal(&grant);
    let response = call.responder().secret_json(&grant.response(&token));
    Outcome { response, ..outcome }
}

/// The same change, with a record of another company. `other` gets the company of the record. A change of something else
/// than a request, a document or a webhook stays as it is.
pub(super) fn of_company(change: &Change, other: impl FnOnce(u32) -> u32) -> Change {
    let mut moved = change.clone();
    let company = match &mut moved {
        Change::PutLegalRequest { record, .. } => &mut Arc::make_mut(record).company,
        Change::PutRepositoryDocument { record, .. } => &mut Arc::make_mut(record).company,
        Change::PutWebhook { record, .. } => &mut Arc::make_mut(record).company,
        _ => return moved,
    };
    *company = other(*company);
    moved
}

fn legal_request(call: &DefectCall<'_>) -> Option<Outcome> {
    let world = call.world;
    let (row, id) = world.fresh_legal_request()?;
    let company = call.call.admitted.principal?.company;
    let mut workflows = (0..).map_while(|row| Some((row, world.seed_data().workflow(row)?)));
    let (workflow, _) = workflows.find(|(_, workflow)| workflow.company == company)?;
    let record = LegalRequest {
        row,
        name: "Request".to_owned(),
        description: None,
        status: LegalRequestStatus::Draft,
        id,
        company,
        workflow,
        created_at: call.now,
        progression: None,
        submission: Arc::new(Submission::default()),
        activity: transition::first_log(world, row, call.now),
        logged: 1,
        document: None,
    };
    let body = DataJson { data: record.created_json() };
    let response = call.responder().json(201, &body);
    Some(Outcome { changes: vec![Change::from(record)], ..Outcome::unchanged(response) })
}

fn document(call: &DefectCall<'_>) -> Option<Outcome> {
    let world = call.world;
    let (row, id) = world.fresh_document()?;
    let form = world.answers().timestamps;
    let record = RepositoryDocument {
        download_id: world.download_id(&id),
        id,
        company: call.call.admitted.principal?.company,
        name: "document.pdf".to_owned(),
        custom_fields: SentJson::default(),
        created_at: call.now,
        legal_request_id: None,
        content: Content::in_memory(Bytes::from_static(b"document")),
    };
    let status = world.answers().upload_success_status;
    let response = call.responder().json(status, &record.upload_json(form));
    let changes = vec![Change::PutRepositoryDocument { row, record: Arc::new(record) }];
    Some(Outcome { changes, ..Outcome::unchanged(response) })
}
