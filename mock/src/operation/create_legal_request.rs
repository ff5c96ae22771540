//! `POST /v1/requests` (§4.5): creates a request with a published workflow.
//!
//! The rules are checked in the order of the specification: workflow, requester, required fields,
//! unlisted fields, e-mail addresses, variables, signers, files. Fields that are not in
//! [`CREATE_REQUEST_FIELDS`] are ignored.

mod files;
mod signers;
mod variables;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use moot_fixtures::contract::{
    Answers, CREATE_REQUEST_FIELDS, FieldKind, LegalRequestStatus, UnexpectedField, WorkflowStatus,
};
use moot_fixtures::nearest::quoted;
use moot_fixtures::world::WorkflowKind;

use super::Context;
use crate::value::email;
use crate::value::limits::ROWS_MAX;
use crate::value::message::fields::MultipartFields;
use crate::value::message::json::DataJson;
use crate::value::message::problem::{Problem, shown};
use crate::value::message::rule::Rule;
use crate::world::state::change::Change;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::legal_request::{self, Submission};
use crate::world::state::resource::progression_plan::ProgressionPlan;
use crate::world::state::resource::workflow::Workflow;
use crate::world::state::resource::workflow_fields::{MERGE, SIGNER};
use crate::world::{Outcome, transition};

const WORKFLOW_ID: &str = "workflow_id";
const REQUESTER_EMAIL: &str = "requester_email";
const FILE: &str = "file";
const VARIABLES: &str = "variables";

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let answers = context.answers();
    let fields = MultipartFields::of(&context.call.body, answers)?;
    let (workflow_row, workflow) = workflow(context, &fields, company)?;
    check_requester(context, &fields, company)?;
    check_required(&fields, workflow)?;
    // Every workflow takes these two fields, also if its schema does not list them.
    let listed =
        |name: &str| [WORKFLOW_ID, REQUESTER_EMAIL].contains(&name) || workflow.lists(name);
    check_unexpected(answers, &fields, listed)?;

    let texts = texts(answers, &fields, listed)?;
    let variables = variables::read(answers, &fields, workflow)?;
    let signers = signers::read(answers, &fields, workflow)?;
    let merge = listed(MERGE) && fields.text(MERGE)? == Some("true");
    let files = files::read(answers, &fields, listed, merge)?;
    let submission = Submission { texts, variables, signers, files, merge };

    let record = new_request(context, company, workflow_row, workflow, submission)?;
    let body = DataJson { data: record.created_json() };
    let response = context.responder.json(201, &body);
    Ok(Outcome { changes: vec![Change::from(record)], ..Outcome::unchanged(response) })
}

fn workflow<'a>(
    context: &Context<'a>,
    fields: &MultipartFields<'_>,
    company: u32,
) -> Result<(u32, &'a Workflow), Problem> {
    let id = fields.text(WORKFLOW_ID)?.ok_or_else(|| missing(&[WORKFLOW_ID]))?;
    let found = context.world.seed_data().workflow_of(id);
    let unknown = |rule: Rule, detail: String| {
        let problem = Problem::request_creation(detail).breaking(rule);
        problem.by_answer(context.answers().request_workflow_unknown)
    };
    let (row, workflow) =
        found.filter(|(_, workflow)| workflow.company == company).ok_or_else(|| {
            let detail =
                format!("`workflow_id`: there is no workflow with the id `{}`.", shown(id));
            unknown(Rule::WorkflowExists, detail)
        })?;
    match workflow.seed.status {
        WorkflowStatus::Published => Ok((row, workflow)),
        WorkflowStatus::Unpublished => Err(unknown(
            Rule::WorkflowPublished,
            format!(
                "`workflow_id`: the workflow `{id}` is unpublished; only a published one takes requests."
            ),
        )),
    }
}

fn check_requester(
    context: &Context<'_>,
    fields: &MultipartFields<'_>,
    company: u32,
) -> Result<(), Problem> {
    let answers = context.answers();
    let email = fields.text(REQUESTER_EMAIL)?.ok_or_else(|| missing(&[REQUESTER_EMAIL]))?;
    check_email(answers, REQUESTER_EMAIL, email)?;
    let company = context.world.seed_data().company(company);
    let is_user = company
        .is_some_and(|company| company.users.iter().any(|user| user.eq_ignore_ascii_case(email)));
    if is_user {
        return Ok(());
    }
    let detail = format!("`requester_email`: `{}` is not a user of this company.", shown(email));
    let problem = Problem::request_creation(detail).breaking(Rule::RequesterIsUser);
    Err(problem.by_answer(answers.request_requester_unknown))
}

/// Refuses missing or empty fields that the schema requires.
fn check_required(fields: &MultipartFields<'_>, workflow: &Workflow) -> Result<(), Problem> {
    let mut absent = Vec::new();
    for (name, kind) in
        CREATE_REQUEST_FIELDS.into_iter().filter(|(name, _)| workflow.requires(name))
    {
        let is_present = match kind {
            FieldKind::File => fields.file(name)?.is_some(),
            FieldKind::Files => !fields.files(name)?.is_empty(),
            FieldKind::Emails => !fields.texts(name)?.is_empty(),
            FieldKind::Text | FieldKind::Email | FieldKind::JsonObject => {
                fields.text(name)?.is_some()
            }
        };
        if !is_present {
            absent.push(name);
        }
    }
    if absent.is_empty() { Ok(()) } else { Err(missing(&absent)) }
}

/// Refuses fields of §4.5 that the schema does not list, by the answer `request_field_unexpected`.
fn check_unexpected(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    listed: impl Fn(&str) -> bool,
) -> Result<(), Problem> {
    let status = match answers.request_field_unexpected {
        UnexpectedField::Ignored => return Ok(()),
        UnexpectedField::BadRequest => 400,
        UnexpectedField::Unprocessable => 422,
    };
    let names = CREATE_REQUEST_FIELDS.map(|(name, _)| name);
    match names.into_iter().find(|name| fields.has(name) && !listed(name)) {
        Some(name) => {
            let detail =
                format!("`{name}` is not a field of this workflow; its schema lists them.");
            Err(Problem::request_creation(detail).breaking(Rule::FieldListed).by_answer(status))
        }
        None => Ok(()),
    }
}

/// The fields whose text is stored as sent.
fn texts(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    listed: impl Fn(&str) -> bool,
) -> Result<BTreeMap<Cow<'static, str>, String>, Problem> {
    let mut texts = BTreeMap::new();
    for (name, kind) in CREATE_REQUEST_FIELDS {
        let is_stored = matches!(kind, FieldKind::Text | FieldKind::Email)
            && ![MERGE, SIGNER].contains(&name)
            && listed(name);
        if !is_stored {
            continue;
        }
        let Some(text) = fields.text(name)? else { continue };
        if kind == FieldKind::Email {
            check_email(answers, name, text)?;
        }
        texts.insert(Cow::Borrowed(name), text.to_owned());
    }
    Ok(texts)
}

fn new_request(
    context: &Context<'_>,
    company: u32,
    workflow_row: u32,
    workflow: &Workflow,
    submission: Submission,
) -> Result<LegalRequest, Problem> {
    let (row, id) = context.world.fresh_legal_request().ok_or_else(|| {
        Problem::request_creation(format!("This mock is full: it keeps {ROWS_MAX} requests."))
    })?;
    let organisation = match workflow.seed.kind {
        WorkflowKind::Generated => submission
            .texts
            .get("counterparty_organization_name")
            .or_else(|| submission.texts.get("counterparty_name")),
        WorkflowKind::ThirdParty => submission.texts.get("counterparty_name"),
    };
    let name = legal_request::name(context.answers(), workflow, organisation.map(String::as_str));
    let progression = context.world.state().progression;
    Ok(LegalRequest {
        row,
        id,
        name,
        description: None,
        status: LegalRequestStatus::Draft,
        company,
        workflow: workflow_row,
        created_at: context.now,
        progression: ProgressionPlan::of(progression, &submission.texts, context.now),
        submission: Arc::new(submission),
        activity: transition::first_log(context.world, row, context.now),
        logged: 1,
        document: None,
    })
}

/// `` `one`, `two` are required``.
fn required(names: &[impl Display]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb} required", quoted(names))
}

fn missing(names: &[&'static str]) -> Problem {
    Problem::parameter_missing(format!("{} and must not be empty.", required(names)))
        .breaking(Rule::Required(names.iter().map(ToString::to_string).collect()))
}

fn check_email(answers: &Answers, name: &'static str, text: &str) -> Result<(), Problem> {
    if email::is_well_formed(text) {
        return Ok(());
    }
    let detail = format!("`{name}`: `{}` is not an e-mail address.", shown(text));
    Err(invalid(answers, Rule::Field(name.to_owned()), detail))
}

/// A wrong field (question `request_field_invalid`).
fn invalid(answers: &Answers, rule: Rule, detail: String) -> Problem {
    Problem::request_creation(detail).breaking(rule).by_answer(answers.request_field_invalid)
}
