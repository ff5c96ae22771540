//! `POST /v1/requests` (§4.5): a request against a published workflow.
//!
//! Rules in the order of the specification: workflow, requester, required fields, unlisted fields,
//! e-mails, variables, signers, files.

mod files;
mod signers;
mod variables;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::{Answers, FieldUnexpected, LegalRequestStatus, WorkflowStatus};
use moot_fixtures::world::WorkflowKind;

use super::Context;
use crate::value::email;
use crate::value::message::fields::MultipartFields;
use crate::value::message::json::DataJson;
use crate::value::message::problem::{Problem, shown};
use crate::value::message::rule::Rule;
use crate::world::state::change::Change;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::course;
use crate::world::state::resource::legal_request::{self, Submission};
use crate::world::state::resource::workflow::Workflow;
use crate::world::state::resource::workflow_fields::{MERGE, SIGNER, SIGNERS, SUPPORT_DOCUMENTS};
use crate::world::{Outcome, transition};

const VARIABLES: &str = "variables";
const FILE: &str = "file";

/// Every field of §4.5, in its order. Names beyond these are ignored.
const FIELDS: [&str; 13] = [
    "workflow_id",
    "requester_email",
    "counterparty_name",
    "counterparty_email",
    "counterparty_organization_name",
    "counterparty_signer_name",
    "counterparty_signer_email",
    FILE,
    VARIABLES,
    SUPPORT_DOCUMENTS,
    MERGE,
    SIGNER,
    SIGNERS,
];
/// The fields that every workflow takes, listed in its schema or not.
const ALWAYS: [&str; 2] = ["workflow_id", "requester_email"];
/// The fields whose text is kept as it is.
const TEXTS: [&str; 7] = [
    "workflow_id",
    "requester_email",
    "counterparty_name",
    "counterparty_email",
    "counterparty_organization_name",
    "counterparty_signer_name",
    "counterparty_signer_email",
];
const EMAILS: [&str; 2] = ["counterparty_email", "counterparty_signer_email"];

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let answers = context.answers();
    let fields = MultipartFields::of(&context.call.body, context.content_type(), answers)?;
    let (workflow_row, workflow) = workflow(context, &fields, company)?;
    check_requester(context, &fields, company)?;
    check_required(&fields, workflow)?;
    let listed = |name: &str| ALWAYS.contains(&name) || workflow.lists(name);
    check_unexpected(answers, &fields, listed)?;

    let texts = texts(answers, &fields, listed)?;
    let variables = variables::read(answers, &fields, workflow)?;
    let signers = signers::read(answers, &fields, workflow)?;
    let merge = listed(MERGE) && fields.text(MERGE)? == Some("true");
    let files = files::read(answers, &fields, listed, merge)?;
    let submission = Submission { texts, variables, signers, files, merge };

    let record = created(context, company, workflow_row, workflow, submission)?;
    let body = DataJson { data: record.created_json() };
    Ok(Outcome {
        response: context.reply.json(201, &body),
        changes: vec![Change::from(record)],
        effects: Vec::new(),
    })
}

fn workflow<'a>(
    context: &Context<'a>,
    fields: &MultipartFields<'_>,
    company: u32,
) -> Result<(u32, &'a Workflow), Problem> {
    let id = fields.text("workflow_id")?.ok_or_else(|| missing(&["workflow_id"]))?;
    let found = context.world.seeded().workflow_of(id);
    let unknown = |rule: Rule, detail: String| {
        let problem = Problem::request_creation(detail).breaking(rule);
        problem.answered(context.answers().request_workflow_unknown)
    };
    let (row, workflow) =
        found.filter(|(_, workflow)| workflow.company == company).ok_or_else(|| {
            let detail =
                format!("`workflow_id`: there is no workflow with the id `{}`.", shown(id));
            unknown(Rule::WorkflowExists, detail)
        })?;
    match workflow.status {
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
    let email = fields.text("requester_email")?.ok_or_else(|| missing(&["requester_email"]))?;
    if !email::is_well_formed(email) {
        return Err(malformed_email(answers, "requester_email", email));
    }
    let company = context.world.seeded().company(company);
    let is_user = company
        .is_some_and(|company| company.users.iter().any(|user| user.eq_ignore_ascii_case(email)));
    if is_user {
        return Ok(());
    }
    let detail = format!("`requester_email`: `{}` is not a user of this company.", shown(email));
    let problem = Problem::request_creation(detail).breaking(Rule::RequesterIsUser);
    Err(problem.answered(answers.request_requester_unknown))
}

/// Every field that the schema requires is there and not empty.
fn check_required(fields: &MultipartFields<'_>, workflow: &Workflow) -> Result<(), Problem> {
    let mut absent = Vec::new();
    for name in FIELDS.into_iter().filter(|name| workflow.requires(name)) {
        let is_present = match name {
            FILE => fields.file(name)?.is_some(),
            SUPPORT_DOCUMENTS => !fields.files(name)?.is_empty(),
            SIGNERS => !fields.texts(name)?.is_empty(),
            _ => fields.text(name)?.is_some(),
        };
        if !is_present {
            absent.push(name);
        }
    }
    if absent.is_empty() { Ok(()) } else { Err(missing(&absent)) }
}

/// Fields of §4.5 that the schema does not list (question `request_field_unexpected`).
fn check_unexpected(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    listed: impl Fn(&str) -> bool,
) -> Result<(), Problem> {
    let status = match answers.request_field_unexpected {
        FieldUnexpected::Ignored => return Ok(()),
        FieldUnexpected::BadRequest => 400,
        FieldUnexpected::Unprocessable => 422,
    };
    match FIELDS.into_iter().find(|name| fields.has(name) && !listed(name)) {
        Some(name) => {
            let detail =
                format!("`{name}` is not a field of this workflow; its schema lists them.");
            Err(Problem::request_creation(detail).breaking(Rule::FieldListed).answered(status))
        }
        None => Ok(()),
    }
}

fn texts(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    listed: impl Fn(&str) -> bool,
) -> Result<BTreeMap<Cow<'static, str>, String>, Problem> {
    let mut texts = BTreeMap::new();
    for name in TEXTS.into_iter().filter(|name| fields.has(name) && listed(name)) {
        if let Some(text) = fields.text(name)? {
            if EMAILS.contains(&name) && !email::is_well_formed(text) {
                return Err(malformed_email(answers, name, text));
            }
            texts.insert(Cow::Borrowed(name), text.to_owned());
        }
    }
    Ok(texts)
}

fn created(
    context: &Context<'_>,
    company: u32,
    workflow_row: u32,
    workflow: &Workflow,
    submission: Submission,
) -> Result<LegalRequest, Problem> {
    let (row, id) = context.world.fresh_legal_request().ok_or_else(|| {
        Problem::request_creation("This mock is full: it keeps 1,000,000 requests.")
    })?;
    let organisation = match workflow.kind {
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
        course: course::course(progression, &submission.texts, context.now),
        submission: Arc::new(submission),
        activity: transition::first_log(context.world, row, context.now),
        logged: 1,
        document: None,
    })
}

fn missing(names: &[&'static str]) -> Problem {
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    Problem::parameter_missing(format!(
        "{} {verb} required and must not be empty.",
        listed.join(", ")
    ))
    .breaking(Rule::Required(names.to_vec()))
}

fn malformed_email(answers: &Answers, name: &'static str, text: &str) -> Problem {
    let detail = format!("`{name}`: `{}` is not an e-mail address.", shown(text));
    invalid(answers, Rule::Field(name), detail)
}

/// A field that is there and wrong (question `request_field_invalid`).
fn invalid(answers: &Answers, rule: Rule, detail: String) -> Problem {
    Problem::request_creation(detail).breaking(rule).answered(answers.request_field_invalid)
}
