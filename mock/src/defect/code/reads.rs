//! Defects of reads: the response depends on state, or on earlier reads.

use moot_fixtures::contract::{Operation, WorkflowStatus};

use super::DefectCode::{self, Answer};
use crate::defect::call::DefectCall;
use crate::defect::edit;
use crate::world::Outcome;

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    (
        "workflow.unpublished-hidden",
        Answer(|call, outcome| hidden_if_unpublished(Operation::GetWorkflow, call, outcome)),
    ),
    (
        "schema.only-of-published",
        Answer(|call, outcome| hidden_if_unpublished(Operation::GetWorkflowSchema, call, outcome)),
    ),
    ("request.read-counter", Answer(read_counter)),
    ("activity.of-another", Answer(activity_of_another)),
    ("activity.log-too-late", Answer(log_too_late)),
    ("document.time-of-the-read", Answer(time_of_the_read)),
    ("documents.download-of-uploads-only", Answer(download_of_uploads_only)),
];

fn download_of_uploads_only(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let document = call.world.downloaded(call.id());
    let is_tied = document.is_some_and(|it| it.legal_request_id.is_some());
    call.hidden_if(call.is(Operation::DownloadAgreement) && is_tied, outcome)
}

fn time_of_the_read(call: &DefectCall<'_>, mut outcome: Outcome) -> Outcome {
    if call.is(Operation::GetRepositoryDocument) {
        edit::rewrite(&mut outcome.response, |body| {
            if let Some(at) = body.pointer_mut("/data/attributes/created_at") {
                *at = call.now.to_string().into();
            }
        });
    }
    outcome
}

fn hidden_if_unpublished(operation: Operation, call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let workflow = call.world.seed_data().workflow_of(call.id());
    let is_unpublished = workflow.is_some_and(|it| it.1.seed.status == WorkflowStatus::Unpublished);
    call.hidden_if(call.is(operation) && is_unpublished, outcome)
}

fn read_counter(call: &DefectCall<'_>, mut outcome: Outcome) -> Outcome {
    if call.is(Operation::GetLegalRequest) && outcome.is_success() {
        let reads = call.call.admitted.serial;
        edit::rewrite(&mut outcome.response, |body| {
            if let Some(description) = body.pointer_mut("/data/attributes/description") {
                *description = format!("read {reads} times").into();
            }
        });
    }
    outcome
}

/// Returns the log of the company's first request.
fn activity_of_another(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    if !call.is(Operation::GetLegalRequestActivity) || !outcome.is_success() {
        return outcome;
    }
    let rows = &call.world.state().legal_requests;
    let mut requests = (0..rows.base_length()).filter_map(|row| rows.get(row));
    let first = requests.find(|record| Some(record.company) == call.company());
    first.map_or(outcome, |first| call.answer_of_id(&first.id))
}

fn log_too_late(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let record = call.world.legal_request(call.id());
    let is_new = record.is_some_and(|record| record.activity.len() == 1);
    call.hidden_if(call.is(Operation::GetLegalRequestActivity) && is_new, outcome)
}
