//! Seed requests: those of the seed world, then generated ones. The activity log of each has a legal way to its
//! status.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::LegalRequestStatus;
use moot_fixtures::documents;
use moot_fixtures::world::{SeedCompany, SeedLegalRequest, VariableType, WorkflowKind};
use serde_json::Value;

use super::SeedSource;
use crate::value::identifier::IdKind;
use crate::value::message::content::Content;
use crate::value::sent_json::SentJson;
use crate::value::settings::SettingsError;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::activity::{Activity, ActivityKind};
use crate::world::state::resource::legal_request::{
    self, FileDisposition, FileRole, StoredFile, Submission,
};
use crate::world::state::resource::status_way;
use crate::world::state::resource::workflow::Workflow;
use crate::world::state::table;

/// Time between the creations of two requests of a company.
const CREATION_PACE: SignedDuration = SignedDuration::from_hours(5);
/// Time between two entries of a log. Twelve of them fit between two creations.
const ACTIVITY_PACE: SignedDuration = SignedDuration::from_mins(20);
/// The file of third-party requests.
const THIRD_PARTY_FILE: &str = "agreement.docx";

/// The number of different counterparties of generated requests.
const COUNTERPARTIES: u32 = 1_000;

/// Values that similar requests share, so that a million requests need little memory.
#[derive(Default)]
struct SharedValues {
    /// Submitted values, by workflow and counterparty.
    submissions: BTreeMap<(u32, String), Arc<Submission>>,
    /// The entries of a log, by the status of the request.
    logs: BTreeMap<LegalRequestStatus, Vec<ActivityKind>>,
}

/// All requests, by company and then by age.
pub(super) fn read(source: &SeedSource<'_>) -> Result<Vec<Arc<LegalRequest>>, SettingsError> {
    let (mut records, mut shared) = (Vec::new(), SharedValues::default());
    for (company, seed) in (0..).zip(&source.world.companies) {
        let count = match seed.workflows.len() {
            0 => 0,
            _ => seed.generated_legal_requests,
        };
        let generated = (0..count).filter_map(|number| generated(seed, number));
        let requests = seed.legal_requests.iter().cloned().chain(generated);
        let count = table::length(seed.legal_requests.len()).saturating_add(count);
        records.reserve_exact(count as usize);
        for (request, age) in requests.zip((1..=count).rev()) {
            let row = table::length(records.len());
            let created_at = back(source.seeded_at, CREATION_PACE, age);
            let record = record(source, company, row, request, created_at, &mut shared)?;
            records.push(Arc::new(record));
        }
    }
    Ok(records)
}

/// The generated request with this number. Workflows and statuses alternate.
fn generated(seed: &SeedCompany, number: u32) -> Option<SeedLegalRequest> {
    let place = number as usize;
    Some(SeedLegalRequest {
        id: None,
        workflow: place.checked_rem(seed.workflows.len())?,
        name: None,
        description: None,
        status: LegalRequestStatus::ALL[place % LegalRequestStatus::ALL.len()],
        counterparty: format!("Sample Counterparty {:03} Ltd", number % COUNTERPARTIES + 1),
    })
}

fn record(
    source: &SeedSource<'_>,
    company: u32,
    row: u32,
    seed: SeedLegalRequest,
    created_at: Timestamp,
    shared: &mut SharedValues,
) -> Result<LegalRequest, SettingsError> {
    let parties = &source.parties.companies[company as usize];
    let workflow_row = parties
        .workflows
        .clone()
        .nth(seed.workflow)
        .ok_or_else(|| SettingsError::SeedWorld(format!("no workflow {}", seed.workflow)))?;
    let workflow = &source.parties.workflows[workflow_row as usize];
    let SeedLegalRequest { id, name, description, status, counterparty, workflow: _ } = seed;
    let id = id.unwrap_or_else(|| source.identifiers.id(IdKind::LegalRequest, u64::from(row)));
    let name =
        name.unwrap_or_else(|| legal_request::name(source.answers, workflow, Some(&counterparty)));
    let requester = parties.users.first().map_or("", String::as_str);
    let submission = shared.submissions.entry((workflow_row, counterparty)).or_insert_with_key(
        |(_, counterparty)| Arc::new(submission(workflow, counterparty, requester)),
    );
    let kinds = shared.logs.entry(status).or_insert_with(|| log_of(source, status));
    let activity = activity(source, row, kinds, created_at);
    Ok(LegalRequest {
        row,
        id,
        name,
        description,
        status,
        company,
        workflow: workflow_row,
        created_at,
        submission: submission.clone(),
        logged: activity.len() as u64,
        activity,
        progression: None,
        document: None,
    })
}

/// The entries of a log up to a status. If the answers allow no way to it, it is one direct change.
fn log_of(source: &SeedSource<'_>, status: LegalRequestStatus) -> Vec<ActivityKind> {
    let draft = LegalRequestStatus::Draft;
    let way =
        status_way::towards_goal(source.answers, draft, status).unwrap_or_else(|| vec![status]);
    let mut kinds = vec![ActivityKind::Created];
    let mut from = draft;
    for to in way {
        kinds.push(ActivityKind::StatusChange { from, to });
        from = to;
    }
    kinds
}

/// The log of a request.
fn activity(
    source: &SeedSource<'_>,
    row: u32,
    kinds: &[ActivityKind],
    created_at: Timestamp,
) -> Vec<Activity> {
    (1..)
        .zip(kinds)
        .map(|(number, kind)| Activity {
            id: source.identifiers.activity_id(row, number),
            at: forth(created_at, ACTIVITY_PACE, number - 1),
            happening: *kind,
            comment: None,
        })
        .collect()
}

/// Submitted values: a plausible value for each field of the workflow's kind.
fn submission(workflow: &Workflow, counterparty: &str, requester: &str) -> Submission {
    let mut texts = BTreeMap::from([
        (Cow::Borrowed("workflow_id"), workflow.id().to_owned()),
        (Cow::Borrowed("requester_email"), requester.to_owned()),
    ]);
    let mut put =
        |name: &'static str, value: &str| texts.insert(Cow::Borrowed(name), value.to_owned());
    let mut files = Vec::new();
    match workflow.seed.kind {
        WorkflowKind::Generated => {
            put("counterparty_name", "Authorised Signatory");
            put("counterparty_email", "signatory@counterparty.example");
            put("counterparty_organization_name", counterparty);
        }
        WorkflowKind::ThirdParty => {
            put("counterparty_name", counterparty);
            put("counterparty_signer_name", "Authorised Signatory");
            put("counterparty_signer_email", "signatory@counterparty.example");
            files.extend(third_party_file());
        }
    }
    Submission {
        texts,
        variables: variables(workflow),
        signers: workflow.seed.signer_options.iter().take(1).cloned().collect(),
        files,
        merge: false,
    }
}

fn third_party_file() -> Option<StoredFile> {
    let document = documents::get(THIRD_PARTY_FILE)?;
    Some(StoredFile {
        name: document.name.to_owned(),
        content_type: Some(document.media_type.to_owned()),
        content: Content::in_memory(Bytes::from_static(document.bytes)),
        role: FileRole::Document,
        disposition: FileDisposition::Attached,
    })
}

fn variables(workflow: &Workflow) -> BTreeMap<String, SentJson> {
    let required = workflow.seed.variables.iter().filter(|(_, variable)| variable.required);
    required
        .map(|(name, variable)| {
            let offered = variable.options.first().or_else(|| variable.suggestions.first());
            let value: Value = match variable.value_type {
                VariableType::String => offered.map_or("Sample", String::as_str).into(),
                VariableType::Number => {
                    offered.and_then(|text| text.parse::<u64>().ok()).unwrap_or(12).into()
                }
                VariableType::Boolean => true.into(),
                VariableType::Date => "2026-01-01".into(),
            };
            (name.clone(), value.into())
        })
        .collect()
}

/// The time `paces` paces before `at`.
pub(super) fn back(at: Timestamp, pace: SignedDuration, paces: u32) -> Timestamp {
    let paces = i32::try_from(paces).unwrap_or(i32::MAX);
    at.checked_sub(pace.saturating_mul(paces)).unwrap_or(Timestamp::MIN)
}

fn forth(at: Timestamp, pace: SignedDuration, paces: u64) -> Timestamp {
    let paces = i32::try_from(paces).unwrap_or(i32::MAX);
    at.checked_add(pace.saturating_mul(paces)).unwrap_or(Timestamp::MAX)
}
