//! Opening a target: is it a moot mock, does it answer, does it take the credentials, what has it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Scopes;
use parking_lot::Mutex;
use secrecy::ExposeSecret;
use tokio::sync::OnceCell;

use crate::answers::Pins;
use crate::client::deployment_rules::Deployment;
use crate::client::destination::{self, Admin, Destination, Rules};
use crate::client::http::Http;
use crate::client::service_client::{ServiceClient, TokenError};
use crate::client::transport::{Sender, Transport};
use crate::client::{TargetDescription, token_file};
use crate::environment::choice::{OpenError, TargetOptions, TargetSource};
use crate::environment::in_process::{self, InProcess};
use crate::environment::mock::{self, MockSandboxes};
use crate::environment::opened_target::{Environment, EnvironmentKind};
use crate::environment::session::Receivers;
use crate::environment::{discovery, needs};
use crate::exchange::Trouble;
use crate::masks::Masks;
use crate::recording::Replay;
use crate::scenario::model::{NEEDS, Sandbox};
use crate::target_file::endpoint::Endpoints;
use crate::target_file::model::{
    AdminChoice, ApplicationCredentials, FileApplications, TargetFile,
};
use crate::target_file::{self, address};

/// Deadline `opening`: until each of the first two answers, by which a target shows that it is there.
const OPENING_DEADLINE: Duration = Duration::from_secs(10);

/// Deadline `discovery`: for finding out all that is not bound, unless the options name another.
const DISCOVERY_DEADLINE: Duration = Duration::from_secs(60);

impl Environment {
    /// Opens it: looks for a mock, asks for a first token, finds out what is not
    /// bound. On a deployment this sends some reads, in their turn.
    ///
    /// # Errors
    /// [`OpenError`], each with the exit code it stands for.
    pub async fn open(
        chosen: TargetSource,
        options: TargetOptions,
        masks: Arc<Masks>,
    ) -> Result<Self, OpenError> {
        match chosen {
            TargetSource::InProcess => Self::in_process(options, masks).await,
            TargetSource::Recording(dir) => Self::recorded(&dir, options, masks),
            TargetSource::Http(file) => Self::over_http(*file, options, masks).await,
        }
    }

    fn recorded(dir: &Path, options: TargetOptions, masks: Arc<Masks>) -> Result<Self, OpenError> {
        let recording =
            Replay::open(dir, masks).map_err(|error| OpenError::Usage(error.to_string()))?;
        let known = &recording.target;
        let unmet = |need: &'static str| {
            let (reason, setting) = known.unmet.get(need)?.clone();
            Some((need, needs::UnmetNeed { reason, setting }))
        };
        Ok(Self {
            description: TargetDescription {
                name: known.name.clone(),
                base_url: known.base_url.clone(),
                class: known.class.clone(),
            },
            unmet: NEEDS.into_iter().filter_map(unmet).collect(),
            file: None,
            sender: recording.sender(),
            run_tag: options.run_tag.clone(),
            receivers: Arc::new(Receivers { options, listener: OnceCell::new() }),
            pins: known.pins.clone(),
            kind: EnvironmentKind::Recording(recording),
            recorder: None,
        })
    }

    async fn in_process(options: TargetOptions, masks: Arc<Masks>) -> Result<Self, OpenError> {
        let mock = InProcess::start(&options).map_err(OpenError::Usage)?;
        let sender = Arc::new(Sender::new(Transport::InProcess(mock), masks));
        let base = address::base(in_process::BASE_URL).map_err(OpenError::Usage)?;
        let description = TargetDescription {
            name: "mock".to_owned(),
            base_url: in_process::BASE_URL.to_owned(),
            class: "mock in process".to_owned(),
        };
        let admin = Admin { url: address::below(&base, "/__admin"), token: None };
        let sandboxes = MockSandboxes::new(sender.clone(), base, admin, None, &options);
        Self::mock(description, None, sender, sandboxes, options).await
    }

    /// Opens the target of a file that was read (see [`target_file::from_text`]).
    ///
    /// # Errors
    /// As [`Environment::open`].
    pub async fn over_http(
        file: TargetFile,
        options: TargetOptions,
        masks: Arc<Masks>,
    ) -> Result<Self, OpenError> {
        check_rate(&file, &options)?;
        let pins = match &file.answers {
            Some(path) => Pins::read(path).map_err(OpenError::Usage)?,
            None => Pins::default(),
        };
        hide_all(&file, &masks);
        let http = Http::new(&file).map_err(OpenError::Usage)?;
        let sender = Arc::new(Sender::new(Transport::Http(http), masks));
        let mut description = TargetDescription {
            name: file.name.clone(),
            base_url: file.base_url.as_str().trim_end_matches('/').to_owned(),
            class: "deployment".to_owned(),
        };
        if let Some(admin) = moot_mock(&file, &sender).await? {
            description.class = "moot mock".to_owned();
            let base = file.base_url.clone();
            let sandboxes =
                MockSandboxes::new(sender.clone(), base, admin, Some(mock::WORLD), &options);
            let target = Self::mock(description, Some(file), sender, sandboxes, options).await?;
            return Ok(Self { pins, ..target });
        }
        Ok(Self { pins, ..Self::deployment(description, file, sender, options).await? })
    }

    async fn mock(
        description: TargetDescription,
        file: Option<TargetFile>,
        sender: Arc<Sender>,
        sandboxes: MockSandboxes,
        options: TargetOptions,
    ) -> Result<Self, OpenError> {
        let is_near = sandboxes.is_near();
        let run_tag = options.run_tag.clone();
        // The first sandbox tells what every sandbox of the default world offers.
        let (client, id) = sandboxes
            .make("", &Sandbox::default())
            .await
            .map_err(|trouble| OpenError::Unreachable(reason(&trouble)))?;
        sandboxes.delete(&id).await;
        let offer = needs::Offer {
            destination: &client.destination,
            is_mock: true,
            discovery_trouble: None,
            can_receive: is_near || options.receiver.is_some() && options.receiver_url.is_some(),
        };
        Ok(Self {
            description,
            unmet: needs::unmet(&offer),
            file,
            pins: Pins::default(),
            sender,
            run_tag,
            receivers: Arc::new(Receivers { options, listener: OnceCell::new() }),
            kind: EnvironmentKind::Mock(Arc::new(sandboxes)),
            recorder: None,
        })
    }

    async fn deployment(
        description: TargetDescription,
        file: TargetFile,
        sender: Arc<Sender>,
        options: TargetOptions,
    ) -> Result<Self, OpenError> {
        check_credentials(&file)?;
        if options.is_repeated && !file.consent.is_empty() {
            return Err(OpenError::Usage(
                "--repeat on a deployment needs `consent: []` in the target file: the limits of \
                 the file are those of one run"
                    .to_owned(),
            ));
        }
        let rules =
            Deployment::new(&file, options.rate, &options.run_tag).map_err(OpenError::Usage)?;
        let mut destination = Destination {
            base: file.base_url.clone(),
            endpoints: Endpoints::new(&file.endpoints),
            applications: applications(&file.applications),
            bindings: serde_json::Map::new(),
            admin: None,
            tokens: tokio::sync::Mutex::default(),
            refused: Mutex::default(),
            forms: Mutex::default(),
            rules: Rules::Deployment(Box::new(rules)),
        };
        let client = ServiceClient { sender: sender.clone(), destination: Arc::new(destination) };
        first_token(&client).await?;
        let expired_token = match &options.token_file {
            Some(path) => token_file::consult(path, &client).await.map_err(OpenError::Usage)?,
            None => None,
        };
        let deadline = options.discovery_deadline.unwrap_or(DISCOVERY_DEADLINE);
        let (found, trouble) = discover(&client, &file, deadline).await;
        // Nobody else holds the destination yet; where somebody did, it would stay without bindings.
        destination = Arc::into_inner(client.destination).ok_or_else(|| {
            OpenError::Unreachable("the deployment is in use before it is opened".to_owned())
        })?;
        destination.bindings = discovery::bindings(&file.bindings, &found, &options.run_tag);
        if let (Rules::Deployment(rules), Some(token)) = (&mut destination.rules, expired_token) {
            rules.expired_token.get_or_insert(token);
        }
        if let Some(deployment) = destination.deployment() {
            found.iter().flat_map(|it| &it.signers).for_each(|it| deployment.guard.offer(it));
        }
        let offer = needs::Offer {
            destination: &destination,
            is_mock: false,
            discovery_trouble: trouble,
            can_receive: options.receiver.is_some() && options.receiver_url.is_some(),
        };
        Ok(Self {
            description,
            unmet: needs::unmet(&offer),
            file: Some(file),
            pins: Pins::default(),
            sender: sender.clone(),
            run_tag: options.run_tag.clone(),
            receivers: Arc::new(Receivers { options, listener: OnceCell::new() }),
            kind: EnvironmentKind::Deployment(ServiceClient {
                sender,
                destination: Arc::new(destination),
            }),
            recorder: None,
        })
    }
}

/// What a run on a deployment refuses before anything is sent.
///
/// # Errors
/// [`OpenError::Usage`].
pub(crate) fn check_usage(file: &TargetFile, options: &TargetOptions) -> Result<(), OpenError> {
    check_rate(file, options)?;
    check_credentials(file)
}

fn check_rate(file: &TargetFile, options: &TargetOptions) -> Result<(), OpenError> {
    let Some(rate) = options.rate else { return Ok(()) };
    target_file::check_rate(rate, address::is_loopback(&file.base_url))
        .map_err(|reason| OpenError::Usage(format!("--rate: {reason}")))
}

fn check_credentials(file: &TargetFile) -> Result<(), OpenError> {
    match file.applications.main {
        Some(_) => Ok(()),
        None => Err(OpenError::Usage(
            "there are no credentials: set MOOT_CLIENT_ID and MOOT_CLIENT_SECRET, or name \
             `applications.main` in a target file"
                .to_owned(),
        )),
    }
}

/// The control plane, where what answers is a moot mock that may be treated as one.
async fn moot_mock(file: &TargetFile, sender: &Sender) -> Result<Option<Admin>, OpenError> {
    let token = match &file.admin {
        AdminChoice::None => return Ok(None),
        AdminChoice::Auto if !address::is_loopback(&file.base_url) => return Ok(None),
        AdminChoice::Auto => None,
        AdminChoice::Token(token) => Some(token.clone()),
    };
    let is_asked_for = token.is_some();
    let admin = Admin { url: address::below(&file.base_url, "/__admin"), token };
    match promptly(admin.ask(sender, "GET", "/health", None)).await {
        Ok(health) if health.get("moot") == Some(&serde_json::Value::Bool(true)) => Ok(Some(admin)),
        Err(Trouble::Unreachable(said) | Trouble::Deadline(said)) => Err(unreachable(file, &said)),
        Err(trouble @ Trouble::Tls(_)) => Err(unreachable(file, &reason(&trouble))),
        Err(trouble) if is_asked_for => Err(OpenError::Credentials(format!(
            "`admin.token` of the target file is of no use: {}",
            reason(&trouble)
        ))),
        Ok(_) if is_asked_for => Err(OpenError::Credentials(
            "`admin.token` is in the target file, but what answers is no moot mock".to_owned(),
        )),
        Ok(_) | Err(_) => Ok(None),
    }
}

fn unreachable(file: &TargetFile, said: &str) -> OpenError {
    let host = address::shown_host(&file.base_url);
    OpenError::Unreachable(format!("{host} cannot be reached: {said}"))
}

/// What a target that can be used answers soon: whether it is a mock, and the first token.
async fn promptly<T>(answer: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    tokio::time::timeout(OPENING_DEADLINE, answer).await.unwrap_or_else(|_| {
        Err(Trouble::Deadline(format!(
            "no answer within {} s (deadline `opening`)",
            OPENING_DEADLINE.as_secs()
        )))
    })
}

/// Asks for the first token: shows that the target answers and takes the credentials. A rest that the
/// limit of the token endpoint asks for is no part of the deadline.
async fn first_token(client: &ServiceClient) -> Result<(), OpenError> {
    let Some(main) = client.destination.applications.get("main") else { return Ok(()) };
    let scopes = needs::first_scope(main.scopes);
    let mut asked = token_promptly(client, scopes).await;
    if let (Err(TokenError::Limited { says_when: true, .. }), Some(deployment)) =
        (&asked, client.destination.deployment())
    {
        deployment.token_rest().await;
        asked = token_promptly(client, scopes).await;
    }
    let Err(failure) = asked else { return Ok(()) };
    let host = address::shown_host(&client.destination.base);
    Err(match failure {
        TokenError::Trouble(trouble) => {
            OpenError::Unreachable(format!("{host} cannot be reached: {}", reason(&trouble)))
        }
        TokenError::NoApplication(reason) => OpenError::Usage(reason),
        TokenError::Limited { status, .. } => OpenError::Unreachable(format!(
            "{host} gives no token now: the limit of its token endpoint answered {status}"
        )),
        TokenError::Refused(status, said) => OpenError::Credentials(format!(
            "{host} gives no token to the application `main`: it answered {status} ({said})"
        )),
    })
}

async fn token_promptly(client: &ServiceClient, scopes: Scopes) -> Result<String, TokenError> {
    match promptly(async { Ok(client.token_at_once("main", scopes).await) }).await {
        Ok(asked) => asked,
        Err(trouble) => Err(TokenError::Trouble(trouble)),
    }
}

/// The workflows that are bound, or those that are found before the deadline; and what kept it from
/// finding more, which the scenarios that need one then say.
async fn discover(
    client: &ServiceClient,
    file: &TargetFile,
    deadline: Duration,
) -> (Vec<discovery::WorkflowOffer>, Option<String>) {
    let bound = discovery::bound_ids(&file.bindings);
    let has_read = client.destination.applications.get("main").is_some_and(|main| main.scopes.read);
    let mut found = Vec::new();
    let looking = async {
        match (has_read, bound.is_empty()) {
            (false, _) => Ok(()),
            (true, false) => discovery::forms(client, bound, &mut found).await,
            (true, true) => discovery::published(client, &mut found).await,
        }
    };
    let looked = tokio::time::timeout(deadline, looking).await;
    let trouble = match looked {
        Ok(Ok(())) => None,
        Ok(Err(trouble)) => Some(reason(&trouble)),
        Err(_) => Some(format!(
            "the search took longer than {} s (deadline `discovery`)",
            deadline.as_secs_f32()
        )),
    };
    (found, trouble)
}

/// The applications by role.
pub(crate) fn applications(file: &FileApplications) -> BTreeMap<String, ApplicationCredentials> {
    let rows = [
        ("main", &file.main),
        ("reader", &file.reader),
        ("writer", &file.writer),
        ("other_company", &file.other_company),
    ];
    rows.into_iter()
        .filter_map(|(role, application)| Some((role.to_owned(), application.clone()?)))
        .collect()
}

fn hide_all(file: &TargetFile, masks: &Masks) {
    for (role, application) in applications(&file.applications) {
        destination::hide(&role, &application, masks);
    }
    let tokens =
        [(&file.expired_token, "MOOT_EXPIRED_TOKEN"), (&file.revoked_token, "MOOT_REVOKED_TOKEN")];
    for (token, label) in tokens {
        if let Some(token) = token {
            masks.hide(token.expose_secret(), label);
        }
    }
    if let AdminChoice::Token(token) = &file.admin {
        masks.hide(token.expose_secret(), "MOOT_ADMIN_TOKEN");
    }
    for header in file.headers.iter().filter(|header| header.is_secret) {
        let name = header.name.replace('-', "_").to_ascii_uppercase();
        masks.hide(header.value.expose_secret(), &format!("MOOT_HEADER_{name}"));
    }
}

/// Trouble as a clause.
fn reason(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Unreachable(said)
        | Trouble::Deadline(said)
        | Trouble::Broken(said)
        | Trouble::Withheld(said) => said.clone(),
        Trouble::Tls(said) => {
            format!("TLS: {said}; a private authority is named as `tls.ca_file` in the target file")
        }
    }
}
