//! A moot mock as a target: its control plane makes a sandbox for each session.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::contract::{Endpoint, Operation, Scopes};
use parking_lot::Mutex;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use crate::client::control_plane::ControlPlane;
use crate::client::destination::{self, RequestDestination};
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

/// The world of a sandbox of a mock over HTTP, unless its scenario names one. The mock's own world may
/// hold anything.
pub(crate) const WORLD: &str = "demo";
/// The rate limit of a sandbox, unless its scenario names one: calls are counted, never refused.
const RATE_LIMIT: &str = "observe";
/// The clock of a sandbox, unless its scenario names one: it runs, and can be moved.
const CLOCK: &str = "real";
/// `timed` without seconds.
const TIMED: &str = "timed:10";
/// An address that a mock accepts, but never fetches.
const DOCUMENT_URL: &str = "https://documents.example.com/agreement.pdf";
/// Seeds are integers that every JSON parser represents exactly.
const SEED_BITS: u32 = 53;

/// The sandboxes of a mock.
pub(crate) struct MockSandboxes {
    sender: Arc<RequestSender>,
    base: Url,
    control_plane: ControlPlane,
    /// `None`: the world of the mock itself.
    world: Option<&'static str>,
    seed: u64,
    run_tag: String,
    worlds: Mutex<BTreeMap<WorldKey, Arc<WorldFacts>>>,
}

/// World and answers, `None` as in the mock itself: sandboxes of the same have the same workflows at the same endpoints.
type WorldKey = (Option<String>, Option<String>);

/// What all sandboxes of one world and set of answers have in common.
struct WorldFacts {
    endpoints: Endpoints,
    workflows: Vec<WorkflowOffer>,
}

/// The control plane's description of a new sandbox. Further members are ignored.
#[derive(Debug, Deserialize)]
struct Description {
    #[serde(default)]
    id: Option<String>,
    base_url: String,
    applications: Vec<DescribedApplication>,
    users: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    workflows: Vec<DescribedWorkflow>,
}

#[derive(Debug, Clone, Deserialize)]
struct DescribedApplication {
    client_id: String,
    client_secret: String,
    scopes: Scopes,
    company: String,
}

#[derive(Debug, Deserialize)]
struct DescribedWorkflow {
    id: String,
    company: String,
    #[serde(rename = "type", default)]
    kind: String,
    status: String,
}

impl MockSandboxes {
    /// The sandboxes of the mock at `base`, in this world unless a scenario says otherwise.
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

    /// Makes one for this scenario. Returns its client and its id.
    ///
    /// # Errors
    /// [`Trouble`] where the control plane does not make it, or says too little of it.
    pub(crate) async fn make(
        &self,
        scenario: &str,
        settings: &Sandbox,
    ) -> Result<(ServiceClient, String), Trouble> {
        let order = self.order(scenario, settings);
        let answer =
            self.control_plane.send(&self.sender, "POST", "/sandboxes", Some(&order)).await?;
        let described = Description::deserialize(&answer).map_err(|error| {
            Trouble::Broken(format!("the control plane describes no sandbox: {error}"))
        })?;
        let base = self.base_of(&described.base_url)?;
        let id = described.id.clone().or_else(|| base.path().rsplit('/').next().map(str::to_owned));
        let world = settings.world.as_deref().or(self.world);
        let key = (world.map(str::to_owned), settings.answers.clone());
        let found = self.known(key, &described, &base).await;
        let destination = self.destination(&described, base, &found);
        let client =
            ServiceClient { sender: self.sender.clone(), destination: Arc::new(destination) };
        Ok((client, id.unwrap_or_default()))
    }

    /// Deletes one. A failure is ignored: the sandbox, or the mock, is gone already.
    pub(crate) async fn delete(&self, id: &str) {
        let path = format!("/sandboxes/{id}");
        let _ = self.control_plane.send(&self.sender, "DELETE", &path, None).await;
    }

    fn order(&self, scenario: &str, settings: &Sandbox) -> Value {
        let mut order = Map::new();
        let progression =
            settings.progression.as_deref().map(|text| if text == "timed" { TIMED } else { text });
        let texts = [
            ("world", settings.world.as_deref().or(self.world)),
            ("answers", settings.answers.as_deref()),
            ("clock", Some(settings.clock.as_deref().unwrap_or(CLOCK))),
            ("rate_limit", Some(settings.rate_limit.as_deref().unwrap_or(RATE_LIMIT))),
            ("progression", progression),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                order.insert(name.to_owned(), Value::String(text.to_owned()));
            }
        }
        order.insert("seed".to_owned(), json!(seed_of(self.seed, scenario)));
        Value::Object(order)
    }

    /// The base address as we reach it. A mock may have another name for other clients.
    fn base_of(&self, told: &str) -> Result<Url, Trouble> {
        let told = address::base(told).map_err(Trouble::Broken)?;
        let mut base = self.base.clone();
        base.set_path(told.path());
        Ok(base)
    }

    /// What sandboxes of this key have in common, read once. If the workflows cannot be read, those that
    /// the control plane names are used. These requests do not count: which scenario is the first to need
    /// them is chance.
    async fn known(&self, key: WorldKey, described: &Description, base: &Url) -> Arc<WorldFacts> {
        if let Some(known) = self.worlds.lock().get(&key) {
            return known.clone();
        }
        let control_plane = self.control_plane.of_sandbox(base);
        let sender = Arc::new(self.sender.beside());
        let world = control_plane.send(&sender, "GET", "/world", None).await;
        let world = world.unwrap_or_default();
        let endpoints = Endpoints::new(&answered_endpoints(&world));
        let ids = own_published(described);
        let named: Vec<WorkflowOffer> = ids.iter().map(|workflow| by_name(workflow)).collect();
        let bare = WorldFacts { endpoints: endpoints.clone(), workflows: named.clone() };
        let client = ServiceClient {
            sender,
            destination: Arc::new(self.destination(described, base.clone(), &bare)),
        };
        let ids = ids.iter().map(|workflow| workflow.id.clone()).collect();
        let mut read = Vec::new();
        let is_read = discovery::forms(&client, ids, &mut read).await.is_ok() && !read.is_empty();
        let workflows = if is_read { read } else { named };
        let known = Arc::new(WorldFacts { endpoints, workflows });
        self.worlds.lock().entry(key).or_insert(known).clone()
    }

    fn destination(
        &self,
        described: &Description,
        base: Url,
        known: &WorldFacts,
    ) -> RequestDestination {
        let applications = roles(&described.applications);
        for (role, application) in &applications {
            destination::hide(role, application, &self.sender.masks);
        }
        let company = described.applications.first().map(|first| first.company.as_str());
        let requester = company.and_then(|company| described.users.get(company)?.first());
        let bound = FileBindings {
            requester_email: requester.cloned(),
            unknown_user_emails: unknown_users(described),
            document_url: Some(DOCUMENT_URL.to_owned()),
            ..FileBindings::default()
        };
        let control_plane = self.control_plane.of_sandbox(&base);
        let bindings = discovery::bindings(&bound, &known.workflows, &self.run_tag);
        let endpoints = known.endpoints.clone();
        RequestDestination::new(base, endpoints, applications, bindings, Some(control_plane), None)
    }
}

/// An address of our company's domain that nobody has, and one of a user of another company.
fn unknown_users(described: &Description) -> Vec<String> {
    let Some(ours) = described.applications.first().map(|first| first.company.as_str()) else {
        return Vec::new();
    };
    let own = described.users.get(ours).and_then(|users| users.first());
    let invented = own.and_then(|email| email.split_once('@'));
    let invented = invented.map(|(_, domain)| format!("moot-nobody@{domain}"));
    let others = described.users.iter().filter(|(company, _)| *company != ours);
    let other = others.flat_map(|(_, users)| users).next();
    invented.into_iter().chain(other.cloned()).collect()
}

/// The applications by role. The company of the first one is ours.
fn roles(all: &[DescribedApplication]) -> BTreeMap<String, ApplicationCredentials> {
    let Some(ours) = all.first().map(|first| first.company.as_str()) else {
        return BTreeMap::new();
    };
    let own = |scopes: Scopes| all.iter().find(|it| it.company == ours && it.scopes == scopes);
    let of_others =
        |scopes: Scopes| all.iter().find(|it| it.company != ours && it.scopes.contains_all(scopes));
    let chosen = [
        ("main", own(Scopes::READ_WRITE)),
        ("reader", own(Scopes::READ)),
        ("writer", own(Scopes::WRITE)),
        ("other_company", of_others(Scopes::READ_WRITE).or_else(|| of_others(Scopes::READ))),
    ];
    chosen
        .into_iter()
        .filter_map(|(role, found)| {
            let found = found?;
            let application = ApplicationCredentials {
                client_id: found.client_id.clone(),
                client_secret: SecretString::from(found.client_secret.clone()),
                scopes: found.scopes,
            };
            Some((role.to_owned(), application))
        })
        .collect()
}

fn own_published(described: &Description) -> Vec<&DescribedWorkflow> {
    let ours = described.applications.first().map(|first| first.company.as_str());
    let is_own = |workflow: &&DescribedWorkflow| {
        Some(workflow.company.as_str()) == ours && workflow.status == "published"
    };
    described.workflows.iter().filter(is_own).collect()
}

/// A workflow by its name and type, if its schema cannot be read.
fn by_name(workflow: &DescribedWorkflow) -> WorkflowOffer {
    let kind = FormKind {
        takes_file: workflow.kind.contains("third"),
        signers: Signers::None,
        has_variables: false,
    };
    WorkflowOffer { id: workflow.id.clone(), kind, signers: Vec::new(), hides_variables: false }
}

/// The two endpoints that are open questions, from the control plane's view of the world.
fn answered_endpoints(world: &Value) -> BTreeMap<Operation, Endpoint> {
    let rows = [
        ("workflow_schema_endpoint", Operation::GetWorkflowSchema),
        ("webhook_create_endpoint", Operation::CreateWebhook),
    ];
    rows.into_iter()
        .filter_map(|(answer, operation)| {
            let answer = world.get("answers")?.get(answer)?;
            let text = |name: &str| Some(answer.get(name)?.as_str()?.to_owned());
            Some((operation, Endpoint { method: text("method")?, path: text("path")? }))
        })
        .collect()
}

/// A seed of its own for each scenario, the same in every run with the same seed.
fn seed_of(seed: u64, scenario: &str) -> u64 {
    text_hash(seed, scenario) >> (u64::BITS - SEED_BITS)
}
