//! A moot mock as a target: its control plane creates a sandbox for each session.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::answers;
use moot_fixtures::contract::{Endpoint, Operation, Scopes};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::client::control_plane::ControlPlane;
use crate::client::destination::{self, RequestDestination};
use crate::client::recording::session_record::CredentialsRow;
use crate::client::sender::RequestSender;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::address;
use crate::client::target_file::endpoint::Endpoints;
use crate::client::target_file::model::{ApplicationCredentials, FileBindings};
use crate::client::workflow_form::{FormKind, Signers};
use crate::exchange::Trouble;
use crate::run::environment::choice::TargetOptions;
use crate::run::environment::discovery;
use crate::run::environment::discovery::WorkflowOffer;
use crate::run::environment::text_hash::text_hash;
use crate::scenario::model::Sandbox;

/// The default world of a sandbox of a mock over HTTP. The main world of the mock may have any content.
pub(crate) const WORLD: &str = "demo";
/// The default rate limit of a sandbox: calls are counted, never refused.
const RATE_LIMIT: &str = "observe";
/// The default clock of a sandbox: it runs, and can be moved.
const CLOCK: &str = "real";
/// The progression `timed` without seconds.
const TIMED: &str = "timed:10";
/// An address that a mock accepts, and never fetches.
const DOCUMENT_URL: &str = "https://documents.example.com/agreement.pdf";
/// The bits of a seed. Every JSON parser represents such integers exactly.
const SEED_BITS: u32 = 53;

/// The sandboxes of a mock.
pub(crate) struct MockSandboxes {
    sender: Arc<RequestSender>,
    base: Url,
    control_plane: ControlPlane,
    /// The default world; `None` for the main world of the mock.
    world: Option<&'static str>,
    seed: u64,
    run_tag: String,
    /// By world and answers, `None` for those of the mock.
    worlds: Mutex<BTreeMap<[Option<String>; 2], Arc<WorldFacts>>>,
}

/// Facts that are the same in all sandboxes with the same world and answers.
struct WorldFacts {
    endpoints: Endpoints,
    workflows: Vec<WorkflowOffer>,
}

/// The description of a new sandbox by the control plane. Other members are ignored.
#[derive(Debug, Deserialize)]
struct SandboxDetails {
    id: String,
    base_url: String,
    applications: Vec<ApplicationRow>,
    users: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    workflows: Vec<WorkflowRow>,
}

#[derive(Debug, Clone, Deserialize)]
struct ApplicationRow {
    #[serde(flatten)]
    credentials: CredentialsRow,
    company: String,
}

#[derive(Debug, Deserialize)]
struct WorkflowRow {
    id: String,
    company: String,
    #[serde(rename = "type")]
    kind: String,
    status: String,
}

impl SandboxDetails {
    /// Our company: that of the first application.
    fn company(&self) -> &str {
        self.applications.first().map_or("", |first| &first.company)
    }
}

impl MockSandboxes {
    /// The sandboxes of the mock at `base`. `world` is the default world.
    pub(crate) fn new(
        sender: Arc<RequestSender>,
        base: Url,
        control_plane: ControlPlane,
        world: Option<&'static str>,
        options: &TargetOptions,
    ) -> Self {
        let (seed, run_tag) = (options.seed, options.run_tag.clone());
        Self { sender, base, control_plane, world, seed, run_tag, worlds: Mutex::default() }
    }

    pub(crate) fn sender(&self) -> Arc<RequestSender> {
        Arc::clone(&self.sender)
    }

    /// Whether the mock is on this machine.
    pub(crate) fn is_near(&self) -> bool {
        address::is_loopback(&self.base)
    }

    /// Creates a sandbox for this scenario. Returns its client and its id.
    ///
    /// # Errors
    /// [`Trouble`] if the control plane does not create the sandbox, or does not describe it.
    pub(crate) async fn create(
        &self,
        scenario: &str,
        settings: &Sandbox,
    ) -> Result<(ServiceClient, String), Trouble> {
        let order = self.order(scenario, settings);
        let created =
            self.control_plane.send(&self.sender, "POST", "/sandboxes", Some(&order)).await?;
        let sandbox = SandboxDetails::deserialize(&created).map_err(|error| {
            Trouble::Broken(format!("the control plane describes no sandbox: {error}"))
        })?;
        let base = self.base_of(&sandbox.base_url)?;
        let facts = self.facts(settings, &sandbox, &base).await;
        let destination = self.destination(&sandbox, base, &facts);
        Ok((ServiceClient::new(self.sender.clone(), destination), sandbox.id))
    }

    /// Deletes a sandbox. A failure is ignored, because then the sandbox or the mock does not exist any more.
    pub(crate) async fn delete(&self, id: &str) {
        let path = format!("/sandboxes/{id}");
        let _ = self.control_plane.send(&self.sender, "DELETE", &path, None).await;
    }

    fn order(&self, scenario: &str, settings: &Sandbox) -> Value {
        let progression =
            settings.progression.as_deref().map(|text| if text == "timed" { TIMED } else { text });
        json!({
            "world": settings.world.as_deref().or(self.world),
            "answers": settings.answers,
            "clock": settings.clock.as_deref().unwrap_or(CLOCK),
            "rate_limit": settings.rate_limit.as_deref().unwrap_or(RATE_LIMIT),
            "progression": progression,
            "seed": seed_of(self.seed, scenario),
        })
    }

    /// The base address of a sandbox. The mock may state a host that only other clients reach.
    fn base_of(&self, stated: &str) -> Result<Url, Trouble> {
        let stated = address::base(stated).map_err(Trouble::Broken)?;
        let mut base = self.base.clone();
        base.set_path(stated.path());
        Ok(base)
    }

    /// The facts of a world, which are read once. If the schemas of workflows cannot be read, the description of the
    /// sandbox is used. These requests do not count, because any scenario can be the first to need the facts.
    async fn facts(
        &self,
        settings: &Sandbox,
        sandbox: &SandboxDetails,
        base: &Url,
    ) -> Arc<WorldFacts> {
        let world = settings.world.as_deref().or(self.world);
        let key = [world.map(str::to_owned), settings.answers.clone()];
        if let Some(facts) = self.worlds.lock().get(&key) {
            return facts.clone();
        }
        let control_plane = self.control_plane.of_sandbox(base);
        let sender = Arc::new(self.sender.beside());
        let world = control_plane.send(&sender, "GET", "/world", None).await;
        let world = world.unwrap_or_default();
        let endpoints = Endpoints::new(&answered_endpoints(&world));
        let ours = sandbox.company();
        let is_own = |row: &&WorkflowRow| row.company == ours && row.status == "published";
        let rows: Vec<&WorkflowRow> = sandbox.workflows.iter().filter(is_own).collect();
        let workflows: Vec<WorkflowOffer> = rows.iter().map(|row| offer_of(row)).collect();
        let mut facts = WorldFacts { endpoints, workflows };
        let client = ServiceClient::new(sender, self.destination(sandbox, base.clone(), &facts));
        let ids = rows.iter().map(|row| row.id.clone()).collect();
        let mut found = Vec::new();
        if discovery::forms(&client, ids, &mut found).await.is_ok() && !found.is_empty() {
            facts.workflows = found;
        }
        self.worlds.lock().entry(key).or_insert(Arc::new(facts)).clone()
    }

    fn destination(
        &self,
        sandbox: &SandboxDetails,
        base: Url,
        facts: &WorldFacts,
    ) -> RequestDestination {
        let applications = roles(sandbox);
        destination::hide(&applications, &self.sender.masks);
        let requester = sandbox.users.get(sandbox.company()).and_then(|users| users.first());
        let bound = FileBindings {
            requester_email: requester.cloned(),
            unknown_user_emails: unknown_users(sandbox),
            document_url: Some(DOCUMENT_URL.to_owned()),
            ..FileBindings::default()
        };
        let control_plane = self.control_plane.of_sandbox(&base);
        let bindings = discovery::bindings(&bound, &facts.workflows, &self.run_tag);
        let endpoints = facts.endpoints.clone();
        RequestDestination::new(base, endpoints, applications, bindings, Some(control_plane), None)
    }
}

/// An unused address in the domain of our company, and the address of a user of another company.
fn unknown_users(sandbox: &SandboxDetails) -> Vec<String> {
    let ours = sandbox.company();
    let own = sandbox.users.get(ours).and_then(|users| users.first());
    let invented = own.and_then(|email| email.split_once('@'));
    let invented = invented.map(|(_, domain)| format!("moot-nobody@{domain}"));
    let others = sandbox.users.iter().filter(|(company, _)| *company != ours);
    let other = others.flat_map(|(_, users)| users).next();
    invented.into_iter().chain(other.cloned()).collect()
}

/// The applications by role.
fn roles(sandbox: &SandboxDetails) -> BTreeMap<String, ApplicationCredentials> {
    let (all, ours) = (&sandbox.applications, sandbox.company());
    let own = |scopes: Scopes| {
        all.iter().find(|it| it.company == ours && it.credentials.scopes == scopes)
    };
    let of_others = |scopes: Scopes| {
        all.iter().find(|it| it.company != ours && it.credentials.scopes.contains_all(scopes))
    };
    let chosen = [
        ("main", own(Scopes::READ_WRITE)),
        ("reader", own(Scopes::READ)),
        ("writer", own(Scopes::WRITE)),
        ("other_company", of_others(Scopes::READ_WRITE).or_else(|| of_others(Scopes::READ))),
    ];
    let rows = chosen.into_iter();
    rows.filter_map(|(role, found)| Some((role.to_owned(), found?.credentials.clone().into())))
        .collect()
}

/// A workflow whose schema cannot be read. Whether it takes a file is known only for the default name of its type.
fn offer_of(workflow: &WorkflowRow) -> WorkflowOffer {
    let kind = FormKind {
        takes_file: workflow.kind == answers::default().workflow_types.third_party,
        signers: Signers::None,
        has_variables: false,
    };
    WorkflowOffer {
        id: workflow.id.clone(),
        kind,
        signers: Vec::new(),
        hides_variables: false,
        takes_support_documents: false,
    }
}

/// The two endpoints that are open questions, from the answers of a world.
fn answered_endpoints(world: &Value) -> BTreeMap<Operation, Endpoint> {
    let rows = [
        ("workflow_schema_endpoint", Operation::GetWorkflowSchema),
        ("webhook_create_endpoint", Operation::CreateWebhook),
    ];
    rows.into_iter()
        .filter_map(|(question, operation)| {
            let answer = world.get("answers")?.get(question)?;
            let text = |name: &str| Some(answer.get(name)?.as_str()?.to_owned());
            Some((operation, Endpoint { method: text("method")?, path: text("path")? }))
        })
        .collect()
}

/// The seed of a scenario, the same in every run with the same seed.
fn seed_of(seed: u64, scenario: &str) -> u64 {
    text_hash(seed, scenario) >> (u64::BITS - SEED_BITS)
}
