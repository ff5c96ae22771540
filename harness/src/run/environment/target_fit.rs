//! Checks that the scopes, companies, workflows and the requester of a target file fit the deployment. Each is checked
//! once, when a scenario first needs it. So a mistake in the file is never reported as a violation of the service.

use std::sync::Arc;

use moot_fixtures::contract::{Operation, Scopes};
use serde_json::Value;

use crate::client::access_tokens::TokenError;
use crate::client::destination::FileMistake;
use crate::client::payload;
use crate::client::request::{ClientBody, ClientRequest, FormPart, bearer};
use crate::client::send;
use crate::client::service_client::ServiceClient;
use crate::client::workflow_form::WorkflowForm;
use crate::exchange::{Exchange, ReceivedResponse};
use crate::run::environment::discovery::DefaultValue;
use crate::run::environment::needs;
use crate::scenario::ScenarioName;

/// Statuses with which a creation is refused because of its values.
const REFUSED: [u16; 5] = [400, 403, 404, 409, 422];

/// The largest number of signers whose address is tried as the requester.
const SIGNERS_TRIED_MAX: usize = 2;

/// The name of the check of the requester, which is not the name of a need.
pub(crate) const REQUESTER: &str = "requester";

/// The mistake of the target file about this need.
pub(crate) async fn mistake(client: &ServiceClient, need: &str) -> Option<FileMistake> {
    let mut fit = client.destination.fit.lock().await;
    if let Some(known) = fit.get(need) {
        return known.clone();
    }
    let found = match need {
        "write" | "read_write_application" => writes(client).await,
        REQUESTER => requester(client).await,
        "second_company" => second_company(client).await,
        _ => match needs::workflow_binding(need) {
            Some(name) => workflow(client, &name).await,
            None => None,
        },
    };
    fit.insert(need.to_owned(), found.clone());
    found
}

/// Checks the scope `write` of `main`: either a token with `write`, or one with all its scopes, must be able to write.
async fn writes(client: &ServiceClient) -> Option<FileMistake> {
    let main = client.destination.applications.get("main").filter(|main| main.scopes.write)?;
    let stated = main.scopes;
    let mut seen = None;
    for scopes in [Scopes::WRITE, stated] {
        match client.token("main", scopes).await {
            Ok(token) => {
                let granted = client.destination.granted.lock().get(&token).cloned();
                let lacks = |granted: &String| !granted.split(' ').any(|scope| scope == "write");
                let granted = granted.filter(lacks)?;
                if empty_creation(client, &token).await?.status != 403 {
                    return None;
                }
                seen = Some(format!("a token with `{scopes}` was granted `{granted}` alone"));
            }
            Err(TokenError::Refused(refusal)) if refusal.is_about_credentials() => {
                // The credentials are valid, because a first token was granted.
                client.destination.refused.lock().remove("main");
                seen = Some(format!("a token with `{scopes}` was refused: {refusal}"));
            }
            Err(_) => return None,
        }
    }
    Some(client.destination.mistake(
        "applications.main.scopes",
        format!("{}; state the scopes that it has, or give it `write`", seen?),
    ))
}

/// The response to a creation without fields.
async fn empty_creation(client: &ServiceClient, token: &str) -> Option<ReceivedResponse> {
    let body = ClientBody::bytes("multipart/form-data; boundary=moot", "--moot--\r\n");
    create(client, token, body).await.outcome.ok()
}

async fn create(client: &ServiceClient, token: &str, body: ClientBody) -> Exchange {
    let endpoints = &client.destination.endpoints;
    let request = ClientRequest {
        headers: vec![bearer(token)],
        body,
        tag_scenario: ScenarioName::new("", "the check of the target file"),
        ..ClientRequest::of(endpoints, Operation::CreateLegalRequest, "main")
    };
    send::send(client, request, None).await
}

/// Notes that the target accepts the default values of this creation.
fn note_accepted(client: &ServiceClient, creation: &Exchange) {
    let default = DefaultValue::of(Operation::CreateLegalRequest, &client.destination.bindings);
    let is_accepted = creation.outcome.as_ref().is_ok_and(ReceivedResponse::is_success);
    if let Some(default) = default.filter(|it| creation.request.body_shown.contains(it.text))
        && is_accepted
    {
        client.destination.accepted_defaults.lock().insert(default.text.to_owned());
    }
}

/// The status and the problem type of a refused creation.
fn refusal(response: &ReceivedResponse) -> Option<(u16, Option<String>)> {
    let problem = response.text("type");
    REFUSED.contains(&response.status).then(|| (response.status, problem.map(str::to_owned)))
}

async fn schema_of(client: &ServiceClient, id: &str) -> Option<Arc<Value>> {
    let path = client.destination.endpoints.path_of(Operation::GetWorkflowSchema, id);
    let response = client.read(&path).await.ok()?;
    response.json.filter(|_| response.status == 200)
}

/// Checks that the requester is a user: a first creation must succeed. If it is refused, further creations show whether
/// the requester is the reason.
async fn requester(client: &ServiceClient) -> Option<FileMistake> {
    let bindings = &client.destination.bindings;
    let requester = bindings.get("requester_email")?.as_str()?.to_owned();
    let workflows = bindings.get("workflows")?.as_array()?;
    let mut workflows = workflows.iter().filter_map(Value::as_str);
    let id = workflows.next()?;
    let schema = schema_of(client, id).await?;
    let token = client.token("main", Scopes::WRITE).await.ok()?;
    let trial_of = async |id: &str, schema: &Value, requester: &str, counterparty: Option<&str>| {
        let mut bindings = bindings.clone();
        bindings.insert("workflow_id".to_owned(), Value::String(id.to_owned()));
        bindings.insert("requester_email".to_owned(), Value::String(requester.to_owned()));
        if let Some(address) = counterparty {
            bindings.insert("counterparty_email".to_owned(), Value::String(address.to_owned()));
        }
        let parts: Vec<FormPart> =
            payload::from_schema(schema, &Value::Object(bindings), &client.destination.run_tag)
                .ok()?;
        let exchange = create(client, &token, ClientBody::Multipart(parts)).await;
        note_accepted(client, &exchange);
        exchange.outcome.ok()
    };
    let trial = async |requester: &str, counterparty: Option<&str>| {
        trial_of(id, &schema, requester, counterparty).await
    };
    let refused = refusal(&trial(&requester, None).await?)?;
    for other in workflows {
        let schema = schema_of(client, other).await?;
        if trial_of(other, &schema, &requester, None).await?.is_success() {
            // Only the first workflow refuses creations. The checks report that.
            return None;
        }
    }
    let said = |refused: &(u16, Option<String>)| match refused {
        (status, Some(problem)) => format!("{status} {problem}"),
        (status, None) => status.to_string(),
    };
    let form = WorkflowForm::new(&schema);
    for signer in form.signer_options().into_iter().take(SIGNERS_TRIED_MAX) {
        if trial(signer, None).await?.is_success() {
            let contradiction = format!(
                "the service refused a legal request of this user ({}). It accepted the same request of a signer of \
                 the workflow; name a user of the company",
                said(&refused)
            );
            return Some(client.destination.mistake("bindings.requester_email", contradiction));
        }
    }
    // The requester is the reason only if the default counterparty is not, and if an empty creation is refused
    // differently.
    let known = refusal(&trial(&requester, Some(&requester)).await?)?;
    let stranger = format!("nobody-{}@requester.example.invalid", client.destination.run_tag);
    let unknown = refusal(&trial(&stranger, Some(&requester)).await?)?;
    let empty = refusal(&empty_creation(client, &token).await?);
    (known == refused && unknown == refused && empty.as_ref() != Some(&refused)).then(|| {
        let contradiction = format!(
            "the service refused a legal request of this user ({}). It gave the same refusal for an address that no \
             user has; name a user of the company",
            said(&refused)
        );
        client.destination.mistake("bindings.requester_email", contradiction)
    })
}

/// Checks that `other_company` is another company: it must not see the same objects as `main`.
async fn second_company(client: &ServiceClient) -> Option<FileMistake> {
    let other = client.destination.applications.get("other_company")?;
    if !other.scopes.read || !client.destination.applications.get("main")?.scopes.read {
        return None;
    }
    let main = client.token("main", Scopes::READ).await.ok()?;
    let other = client.token("other_company", Scopes::READ).await.ok()?;
    let mut seen = 0;
    for list in Operation::LISTS {
        let path = &client.destination.endpoints.get(list).path;
        let own = ids(&client.get(path, &main).await.ok()?)?;
        let others = ids(&client.get(path, &other).await.ok()?)?;
        // If only one list shows the data of others, that is a violation, which the checks report.
        if own != others {
            return None;
        }
        seen += usize::from(!own.is_empty());
    }
    (seen >= 2).then(|| {
        let contradiction = "both applications see the same workflows, requests, documents and webhooks, \
                             so they are of one company, or the target does not separate companies (§5)";
        client.destination.mistake("applications.other_company", contradiction.to_owned())
    })
}

fn ids(response: &ReceivedResponse) -> Option<Vec<String>> {
    let json = response.json.as_ref().filter(|_| response.status == 200)?;
    let items = json.get("data")?.as_array()?.iter();
    items.map(|item| Some(item.get("id")?.as_str()?.to_owned())).collect()
}

/// Checks that the workflow of this binding exists and is published.
async fn workflow(client: &ServiceClient, name: &str) -> Option<FileMistake> {
    let key = format!("bindings.{name}");
    if !client.destination.places.has(&key) {
        return None;
    }
    let id = client.destination.bindings.get(name)?.as_str()?;
    let read = async |operation: Operation| {
        client.read(&client.destination.endpoints.path_of(operation, id)).await.ok()
    };
    let workflow = read(Operation::GetWorkflow).await?;
    let status = workflow.json.as_ref().and_then(|json| json.pointer("/data/attributes/status"));
    if status.is_some_and(|status| status == "unpublished") {
        return Some(
            client.destination.mistake(&key, format!("the workflow `{id}` is unpublished")),
        );
    }
    let schema = read(Operation::GetWorkflowSchema).await?;
    let is_absent = workflow.status == 404 && schema.status == 404;
    is_absent.then(|| client.destination.mistake(&key, format!("there is no workflow `{id}`: 404")))
}
