//! Records that the rules would not have let into the world.

use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::contract::{LegalRequestStatus, Operation};
use serde_json::{Map, Value};

use super::asked::Asked;
use crate::message::content::Content;
use crate::message::json::{DataJson, json_bytes};
use crate::message::problem::Problem;
use crate::message::response::{Response, ResponseBody};
use crate::resource::activity::{Activity, Happening};
use crate::resource::legal_request::Submission;
use crate::resource::token::TokenJson;
use crate::resource::{LegalRequest, RepositoryDocument};
use crate::state::change::Change;
use crate::value::token::Grant;
use crate::world::Outcome;

impl Outcome {
    /// Whether it is a success.
    pub(crate) fn is_taken(&self) -> bool {
        self.response.status.is_success()
    }

    /// Whether it is a refusal with this in its detail.
    pub(crate) fn says(&self, detail: &str) -> bool {
        let ResponseBody::Bytes(body) = &self.response.body else { return false };
        let problem = serde_json::from_slice::<Value>(body).unwrap_or_default();
        let said = problem.get("detail").and_then(Value::as_str);
        self.response.refused.is_some() && said.is_some_and(|said| said.contains(detail))
    }
}

/// What a call would have made if its rules had let it through.
pub(super) fn taken(asked: &Asked<'_>, refused: Outcome) -> Outcome {
    if asked.is(Operation::CreateLegalRequest) {
        legal_request(asked, refused)
    } else if asked.is(Operation::CreateRepositoryDocument) {
        document(asked, refused)
    } else {
        refused
    }
}

/// A sound call that is refused all the same.
pub(super) fn refused(asked: &Asked<'_>) -> Outcome {
    let problem = if asked.is(Operation::CreateRepositoryDocument) {
        Problem::document_creation("This can't be processed.")
    } else {
        Problem::request_creation("This can't be processed.")
    };
    Outcome::unchanged(asked.world.refuse(asked.now, asked.call, &problem))
}

/// A token failure.
pub(super) fn token_failure(asked: &Asked<'_>, status: u16, error: &'static str) -> Outcome {
    let problem = Problem::token_failure(status, error, "The call is refused.");
    Outcome::unchanged(asked.world.refuse(asked.now, asked.call, &problem))
}

/// A legal request that nobody looked at, as the outcome of creating it.
fn legal_request(asked: &Asked<'_>, refused: Outcome) -> Outcome {
    let world = asked.world;
    let Some((row, id)) = world.fresh_legal_request() else { return refused };
    let Some(principal) = asked.call.admitted.principal else { return refused };
    let mut workflows = (0..).map_while(|row| Some((row, world.seeded().workflow(row)?)));
    let own = workflows.find(|(_, workflow)| workflow.company == principal.company);
    let Some((workflow, _)) = own else { return refused };
    let record = LegalRequest {
        row,
        id,
        name: "Request".to_owned(),
        description: None,
        status: LegalRequestStatus::Draft,
        company: principal.company,
        workflow,
        created_at: asked.now,
        course: None,
        submission: Arc::new(Submission::default()),
        activity: vec![Activity {
            id: world.activity_id(row, 1),
            at: asked.now,
            happening: Happening::Created,
            comment: None,
        }],
        logged: 1,
        document: None,
    };
    let body = json_bytes(&DataJson { data: record.created_json() });
    created(asked, 201, body, Change::from(record))
}

/// A document that nobody looked at, as the outcome of uploading it.
fn document(asked: &Asked<'_>, refused: Outcome) -> Outcome {
    let world = asked.world;
    let Some((row, id)) = world.fresh_document() else { return refused };
    let Some(principal) = asked.call.admitted.principal else { return refused };
    let form = world.answers().timestamps;
    let record = RepositoryDocument {
        download_id: world.download_id(&id),
        id,
        company: principal.company,
        name: "document.pdf".to_owned(),
        custom_fields: Map::new(),
        created_at: asked.now,
        legal_request_id: None,
        content: Content::in_memory(Bytes::from_static(b"document")),
    };
    let body = json_bytes(&record.upload_json(form));
    let status = world.answers().upload_success_status;
    created(asked, status, body, Change::PutRepositoryDocument { row, record: Arc::new(record) })
}

/// A token response that no application asked for in a sound way.
pub(crate) fn token(asked: &Asked<'_>, application: u32, scopes: &str) -> Option<Response> {
    let grant = Grant {
        application,
        scopes: scopes.parse().ok()?,
        issued_at: asked.now.as_second(),
        serial: asked.call.admitted.serial,
    };
    let text = asked.world.sealer().seal(&grant);
    let body = json_bytes(&TokenJson::new(&text, &grant));
    Some(asked.world.respond(asked.now, asked.call, 200, body))
}

fn created(asked: &Asked<'_>, status: u16, body: Vec<u8>, change: Change) -> Outcome {
    Outcome {
        response: asked.world.respond(asked.now, asked.call, status, body),
        changes: vec![change],
        effects: Vec::new(),
    }
}
