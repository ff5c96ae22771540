//! Discovery: the published workflows of a target, and the fields of their forms.

use moot_fixtures::contract::{Endpoint, Operation};
use serde_json::{Map, Value, json};

use crate::client::service_client::ServiceClient;
use crate::client::target_file::model::FileBindings;
use crate::client::workflow_form::{FormKind, Signers, WorkflowForm};
use crate::exchange::Trouble;
use crate::verdict::check::as_count;

/// The largest number of workflows that scenarios loop over, each with another kind of form.
pub(crate) const WORKFLOWS_MAX: usize = 4;
/// The largest number of pages of the list that are read.
const PAGES_MAX: u64 = 4;
/// The largest number of schemas that are read.
const SCHEMAS_MAX: usize = 40;

/// The largest number of requests of discovery, without tokens.
pub(crate) const REQUESTS_MAX: u64 = PAGES_MAX + SCHEMAS_MAX as u64;

/// A published workflow and its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkflowOffer {
    pub(crate) id: String,
    /// The kind of its form.
    pub(crate) kind: FormKind,
    /// The addresses that it offers as signers.
    pub(crate) signers: Vec<String>,
    /// Whether it requires variables, and does not name them.
    pub(crate) hides_variables: bool,
    /// Whether it accepts supporting files.
    pub(crate) takes_support_documents: bool,
}

/// The trouble that ended the search for workflows.
#[derive(Debug)]
pub(crate) struct DiscoveryTrouble {
    /// A clause.
    pub(crate) text: String,
    /// The setting that would help, if the search knows it.
    pub(crate) setting: Option<&'static str>,
}

impl From<Trouble> for DiscoveryTrouble {
    fn from(trouble: Trouble) -> Self {
        Self { text: trouble.details().to_owned(), setting: None }
    }
}

/// Reads the published workflows of the company of `main` into `found`, until there are enough.
///
/// # Errors
/// If the list cannot be read, no schema is found, or the search ends before the list does.
pub(crate) async fn published(
    client: &ServiceClient,
    found: &mut Vec<WorkflowOffer>,
) -> Result<(), DiscoveryTrouble> {
    let list = &client.destination.endpoints.get(Operation::ListWorkflows).path;
    let (mut ids, mut pages) = (Vec::new(), 1);
    for page in 1..=PAGES_MAX {
        let response = client.read(&format!("{list}?status=published&page={page}")).await?;
        let Some(body) = response.json.filter(|_| response.status == 200) else {
            let status = response.status;
            let advice = match status {
                401 => {
                    ", though it has just issued the token: compare its clock with that of this machine"
                }
                _ => "",
            };
            let text = format!("GET {list} returned {status}{advice}, so no workflow is known");
            return Err(DiscoveryTrouble { text, setting: None });
        };
        let rows = body.get("data").and_then(Value::as_array).into_iter().flatten();
        let published = rows.filter(|row| {
            // A service may ignore the filter.
            row.pointer("/attributes/status").is_none_or(|status| status == "published")
        });
        ids.extend(published.filter_map(|row| Some(row.get("id")?.as_str()?.to_owned())));
        pages = body.pointer("/pagination/total_pages").and_then(as_count).unwrap_or(1);
        if page >= pages {
            break;
        }
    }
    let listed = ids.len();
    forms(client, ids, found).await?;
    if are_enough(found) || (listed <= SCHEMAS_MAX && pages <= PAGES_MAX) {
        return Ok(());
    }
    let searched = listed.min(SCHEMAS_MAX);
    let text = format!("only the first {searched} of the list were searched");
    Err(DiscoveryTrouble { text, setting: None })
}

/// Reads the forms of these workflows into `found`, until there are enough. Workflows without a form are left out.
///
/// # Errors
/// If a schema cannot be read, or no workflow has one.
pub(crate) async fn forms(
    client: &ServiceClient,
    ids: Vec<String>,
    found: &mut Vec<WorkflowOffer>,
) -> Result<(), DiscoveryTrouble> {
    let mut absent = None;
    for id in ids.into_iter().take(SCHEMAS_MAX) {
        let path = client.destination.endpoints.path_of(Operation::GetWorkflowSchema, &id);
        let response = client.read(&path).await?;
        if matches!(response.status, 404 | 405) {
            absent = Some(response.status);
        }
        let Some(schema) = response.json.filter(|_| response.status == 200) else { continue };
        let form = WorkflowForm::new(&schema);
        if form.is_form() {
            let signers = form.signer_options().into_iter().map(str::to_owned).collect();
            let hides_variables = form.hides_variables();
            let takes_support_documents = form.takes_support_documents();
            found.push(WorkflowOffer {
                id,
                kind: form.kind(),
                signers,
                hides_variables,
                takes_support_documents,
            });
            // Workflows that name their variables come first, because they need no binding.
            found.sort_by_key(|workflow| workflow.hides_variables);
        }
        if are_enough(found) {
            break;
        }
    }
    match absent.filter(|_| found.is_empty()) {
        // The specification does not say where schemas are (§4.4).
        Some(status) => {
            let Endpoint { method, path } =
                client.destination.endpoints.get(Operation::GetWorkflowSchema);
            Err(DiscoveryTrouble {
                text: format!("the target returned {status} at `{method} {path}`"),
                setting: Some("endpoints.workflow_schema in the target file"),
            })
        }
        None => Ok(()),
    }
}

/// The features of forms that scenarios need. None is left out for other kinds of forms.
const FEATURES: [fn(&FormKind) -> bool; 5] = [
    |kind| kind.has_variables,
    |kind| kind.signers == Signers::Single,
    |kind| kind.signers == Signers::Multiple,
    |kind| kind.takes_file,
    |kind| !kind.takes_file,
];

/// Whether each feature is there, and as many kinds as scenarios loop over.
fn are_enough(found: &[WorkflowOffer]) -> bool {
    let has = |feature: &fn(&FormKind) -> bool| found.iter().any(|it| feature(&it.kind));
    FEATURES.iter().all(has) && of_different_kinds(found).len() >= WORKFLOWS_MAX
}

/// Workflows of different kinds, in the order given: one for each feature that the others lack, and the first of other
/// kinds.
fn of_different_kinds(workflows: &[WorkflowOffer]) -> Vec<&WorkflowOffer> {
    let mut chosen: Vec<&WorkflowOffer> = Vec::new();
    for feature in FEATURES {
        if !chosen.iter().any(|known| feature(&known.kind)) {
            chosen.extend(workflows.iter().find(|workflow| feature(&workflow.kind)));
        }
    }
    for workflow in workflows {
        if !chosen.iter().any(|known| known.kind == workflow.kind) {
            chosen.push(workflow);
        }
    }
    chosen.truncate(WORKFLOWS_MAX);
    workflows.iter().filter(|workflow| chosen.contains(workflow)).collect()
}

/// The workflows that a target file binds, each once, in the order of its keys.
pub(crate) fn bound_ids(bound: &FileBindings) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let given = [
        &bound.generated_workflow_id,
        &bound.third_party_workflow_id,
        &bound.single_signer_workflow_id,
        &bound.multiple_signers_workflow_id,
    ];
    for id in given.into_iter().flatten() {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

/// A workflow with one internal signer. One with a single option (§4.5) comes first.
fn single_signer(found: &[WorkflowOffer]) -> Option<String> {
    let single = || found.iter().filter(|workflow| workflow.kind.signers == Signers::Single);
    let chosen = single().find(|workflow| workflow.signers.len() == 1).or_else(|| single().next());
    chosen.map(|workflow| workflow.id.clone())
}

/// The default address of the counterparty.
const COUNTERPARTY_DOMAIN: &str = "@counterparty.example.invalid";
/// The default address of webhooks.
const WEBHOOK_URL: &str = "https://hooks.invalid";

/// The start of webhook addresses with plain http. A target may accept only https (`webhook_https_only`).
const PLAIN_HTTP: &str = "http://";

/// A value that a target may refuse for reasons of its own. Most are default addresses, where nothing answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DefaultValue {
    /// A part of the value as it is sent.
    pub text: &'static str,
    /// The name of the value, for people.
    pub name: &'static str,
    /// The setting for a better value.
    pub setting: &'static str,
}

impl DefaultValue {
    /// The value that a request of this operation sends with these bindings.
    pub(crate) fn of(operation: Operation, bindings: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| bindings.get(name).and_then(Value::as_str).unwrap_or_default();
        let webhook_url = text("webhook_url");
        match operation {
            Operation::CreateWebhook if webhook_url.ends_with(WEBHOOK_URL) => Some(Self {
                text: WEBHOOK_URL,
                name: "the default https://hooks.invalid",
                setting: "bindings.webhook_url in the target file",
            }),
            Operation::CreateWebhook if webhook_url.starts_with(PLAIN_HTTP) => Some(Self {
                text: PLAIN_HTTP,
                name: "the webhook, whose address has plain http,",
                setting: "an https address as bindings.webhook_url in the target file, if that is the reason",
            }),
            Operation::CreateLegalRequest
                if text("counterparty_email").ends_with(COUNTERPARTY_DOMAIN) =>
            {
                Some(Self {
                    text: COUNTERPARTY_DOMAIN,
                    name: "the default @counterparty.example.invalid",
                    setting: "bindings.counterparty_email in the target file",
                })
            }
            _ => None,
        }
    }
}

/// The root name `bindings`: bound values, or else values that were found. If the target file binds a workflow,
/// `workflows` has only bound ones.
pub(crate) fn bindings(
    bound: &FileBindings,
    found: &[WorkflowOffer],
    tag: &str,
) -> Map<String, Value> {
    let mut workflows = bound_ids(bound);
    if workflows.is_empty() {
        workflows =
            of_different_kinds(found).into_iter().map(|workflow| workflow.id.clone()).collect();
    }
    let bound_or_found = |bound: &Option<String>, fits: fn(&FormKind) -> bool| {
        let found = || found.iter().find(|workflow| fits(&workflow.kind));
        bound.clone().or_else(|| found().map(|workflow| workflow.id.clone()))
    };
    let single = bound.single_signer_workflow_id.clone().or_else(|| single_signer(found));
    let multiple = bound_or_found(&bound.multiple_signers_workflow_id, |kind| {
        kind.signers == Signers::Multiple
    });
    // A list of at most one: each of its supporting files has 100 MB.
    let supporting = found.iter().find(|workflow| workflow.takes_support_documents);
    let supporting: Vec<&String> = supporting.map(|workflow| &workflow.id).into_iter().collect();
    let counterparty =
        bound.counterparty_email.clone().unwrap_or_else(|| format!("{tag}{COUNTERPARTY_DOMAIN}"));
    let webhook_url = bound.webhook_url.as_deref().unwrap_or(WEBHOOK_URL).trim_end_matches('/');
    let values = [
        ("workflows", json!(workflows)),
        ("supporting_workflows", json!(supporting)),
        ("internal_signer_emails", json!(bound.internal_signer_emails)),
        ("unknown_user_emails", json!(bound.unknown_user_emails)),
        ("variables", json!(bound.variables)),
        (
            "generated_workflow_id",
            json!(bound_or_found(&bound.generated_workflow_id, |kind| !kind.takes_file)),
        ),
        (
            "third_party_workflow_id",
            json!(bound_or_found(&bound.third_party_workflow_id, |kind| kind.takes_file)),
        ),
        ("single_signer_workflow_id", json!(single)),
        ("multiple_signers_workflow_id", json!(multiple)),
        ("requester_email", json!(bound.requester_email)),
        ("counterparty_email", json!(counterparty)),
        ("document_url", json!(bound.document_url)),
        ("webhook_url", json!(webhook_url)),
    ];
    let known = values.into_iter().filter(|(_, value)| !value.is_null());
    known.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_where_nothing_answers_or_with_plain_http_may_be_refused() {
        let setting = |url: &str| {
            let bindings = Map::from_iter([("webhook_url".to_owned(), json!(url))]);
            DefaultValue::of(Operation::CreateWebhook, &bindings).map(|value| value.text)
        };
        assert_eq!(setting("https://hooks.invalid"), Some(WEBHOOK_URL));
        assert_eq!(setting("http://127.0.0.1:4011"), Some(PLAIN_HTTP));
        assert_eq!(setting("https://hooks.example.com"), None);
    }
}
