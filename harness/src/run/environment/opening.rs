//! Opens a target: detects its kind, and the needs that it meets.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use crate::client::answers::Pins;
use crate::client::control_plane::ControlPlane;
use crate::client::deployment_rules::DeploymentRules;
use crate::client::http::{ConnectionUse, Http};
use crate::client::recording::{IndexTarget, Replay};
use crate::client::sender::RequestSender;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::{TargetFile, address};
use crate::client::token_file;
use crate::exchange::masks::Masks;
use crate::exchange::{TargetClass, TargetDescription};
use crate::run::environment::choice::{OpenError, TargetChoice, TargetOptions};
use crate::run::environment::in_process::{self, BASE_URL, RateLimitMode};
use crate::run::environment::mock::{self, MockSandboxes};
use crate::run::environment::opened_target::{Environment, EnvironmentKind, SETTLE_DEFAULT};
use crate::run::environment::replay_destination::NoTransport;
use crate::run::environment::session::Receivers;
use crate::run::environment::{deployment, discovery, first_contact, needs};
use crate::scenario::model::Sandbox;

/// The default of the timeout `discovery`.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(60);

/// The longest wait for deliveries of the mock in this process, which take milliseconds.
const IN_PROCESS_DELIVERY_WAIT: Duration = Duration::from_secs(2);

impl Environment {
    /// Opens a target: looks for a mock, asks for a first token, and discovers workflows that the target file does not
    /// bind. On a deployment this sends some reads, at the pace of the target file.
    ///
    /// # Errors
    /// The reason why the target cannot be used.
    pub async fn open(
        choice: TargetChoice,
        options: TargetOptions,
        masks: Arc<Masks>,
    ) -> Result<Self, OpenError> {
        match choice {
            TargetChoice::InProcess => Self::in_process(options, masks).await,
            TargetChoice::InProcessDeployment => Self::in_process_deployment(options, masks).await,
            TargetChoice::Recording(dir) => Self::recorded(&dir, options, masks),
            TargetChoice::Wrong { error, .. } => Err(OpenError::Usage(error.to_string())),
            TargetChoice::Http(file) => {
                Self::over_http(Arc::unwrap_or_clone(file), options, masks).await
            }
        }
    }

    fn recorded(dir: &Path, options: TargetOptions, masks: Arc<Masks>) -> Result<Self, OpenError> {
        let replay =
            Replay::open(dir, &masks).map_err(|error| OpenError::Usage(error.to_string()))?;
        let sender = Arc::new(RequestSender::new(NoTransport, masks));
        let index = replay.target.clone();
        Ok(Self::new(EnvironmentKind::Replay(replay), index, sender, options))
    }

    fn new(
        kind: EnvironmentKind,
        index: IndexTarget,
        sender: Arc<RequestSender>,
        options: TargetOptions,
    ) -> Self {
        Self {
            index,
            settle: SETTLE_DEFAULT,
            delivery_wait_max: None,
            sender,
            sent_before: 0,
            receivers: Arc::new(Receivers { options, listener: OnceCell::new() }),
            kind,
            recorder: None,
        }
    }

    async fn in_process(options: TargetOptions, masks: Arc<Masks>) -> Result<Self, OpenError> {
        let mock = in_process::start(&options, RateLimitMode::Observe).map_err(OpenError::Usage)?;
        let sender = Arc::new(RequestSender::new(mock, masks));
        let base = address::base(BASE_URL).map_err(OpenError::Usage)?;
        let index = IndexTarget {
            description: TargetDescription {
                name: "mock".to_owned(),
                base_url: BASE_URL.to_owned(),
                class: TargetClass::InProcess,
            },
            ..IndexTarget::default()
        };
        let control_plane = ControlPlane::below(&base, None);
        let sandboxes = MockSandboxes::new(sender, base, control_plane, None, &options);
        Self::mock(index, sandboxes, options).await
    }

    /// Opens the mock in this process as a deployment with a target file. There is no ledger.
    async fn in_process_deployment(
        options: TargetOptions,
        masks: Arc<Masks>,
    ) -> Result<Self, OpenError> {
        let mock = in_process::start(&options, RateLimitMode::Off).map_err(OpenError::Usage)?;
        let sender = Arc::new(RequestSender::new(mock, Arc::clone(&masks)));
        let file = in_process::target_file(&sender.beside()).await.map_err(OpenError::Usage)?;
        deployment::hide_secrets(&file, &masks);
        let rules = DeploymentRules::in_process(&file, &options.run_tag);
        Self::on_deployment(file, rules, sender, options).await
    }

    /// Opens the target of a target file (see [`crate::client::target_file::from_text`]).
    ///
    /// # Errors
    /// As [`Environment::open`].
    pub async fn over_http(
        mut file: TargetFile,
        options: TargetOptions,
        masks: Arc<Masks>,
    ) -> Result<Self, OpenError> {
        file.limits = options.limits(file.limits);
        deployment::check_rate(&file, &options)?;
        deployment::check_operator(&file)?;
        let pins = match &file.answers {
            Some(path) => Pins::read(path).map_err(OpenError::Usage)?,
            None => Pins::default(),
        };
        deployment::hide_secrets(&file, &masks);
        let sender = |connections| {
            let http = Http::new(&file, connections).map_err(OpenError::Usage)?;
            Ok(Arc::new(RequestSender::new(http, Arc::clone(&masks))))
        };
        let kept = sender(ConnectionUse::Kept)?;
        let mut opened = match first_contact::control_plane(&file, &kept).await? {
            Some(control_plane) => {
                let (base, world) = (file.base_url.clone(), Some(mock::WORLD));
                let sandboxes = MockSandboxes::new(kept, base, control_plane, world, &options);
                let settle = Duration::from_secs(file.limits.settle_seconds.into());
                let index = index_of(file, TargetClass::MootMock);
                Self { settle, ..Self::mock(index, sandboxes, options).await? }
            }
            None => {
                let sender = sender(ConnectionUse::Single)?;
                deployment::check_credentials(&file)?;
                let rules = DeploymentRules::new(&file, &options.run_tag)
                    .map_err(OpenError::Usage)?
                    .watched_by(&options.pace_wait);
                Self::on_deployment(file, rules, sender, options).await?
            }
        };
        opened.index.pins = pins;
        Ok(opened)
    }

    async fn mock(
        index: IndexTarget,
        sandboxes: MockSandboxes,
        options: TargetOptions,
    ) -> Result<Self, OpenError> {
        let sender = sandboxes.sender();
        // All sandboxes of the default world meet the same needs.
        let created = sandboxes.create("", &Sandbox::default()).await;
        let (client, id) =
            created.map_err(|trouble| OpenError::Unreachable(trouble.details().to_owned()))?;
        sandboxes.delete(&id).await;
        let sent_before = sender.sent();
        let can_receive = sandboxes.is_near() || options.can_receive();
        let unmet = needs::unmet(&client.destination, can_receive, None);
        let index = IndexTarget { is_mock: true, unmet, ..index };
        let kind = EnvironmentKind::Mock(Arc::new(sandboxes));
        Ok(Self { sent_before, ..Self::new(kind, index, sender, options) })
    }

    async fn on_deployment(
        file: TargetFile,
        rules: DeploymentRules,
        sender: Arc<RequestSender>,
        options: TargetOptions,
    ) -> Result<Self, OpenError> {
        if options.is_repeated && !file.consent.is_empty() {
            return Err(OpenError::Usage(
                "--repeat on a deployment needs `consent: []` in the target file: the limits of \
                 the file are those of one run"
                    .to_owned(),
            ));
        }
        let is_in_process = rules.operator_control_plane.is_some();
        let destination = deployment::destination(&file, &options.run_tag, rules);
        let client = ServiceClient::new(sender.clone(), destination);
        first_contact::first_token(&client).await?;
        let expired_token = match &options.token_file {
            Some(path) => token_file::consult(path, &client).await.map_err(OpenError::Usage)?,
            None => None,
        };
        let timeout = options.discovery_timeout.unwrap_or(DISCOVERY_TIMEOUT);
        let (found, discovery_trouble) = deployment::discover(&client, &file, timeout).await;
        // No session has the destination yet, so it can still be changed.
        let mut destination = Arc::into_inner(client.destination).ok_or_else(|| {
            OpenError::Unreachable("the deployment is in use before it is opened".to_owned())
        })?;
        let mut bound = file.bindings.clone();
        bound.webhook_url = bound.webhook_url.or_else(|| options.receiver_url.clone());
        destination.bindings = discovery::bindings(&bound, &found, &options.run_tag);
        if let Some(rules) = &mut destination.deployment {
            found.iter().flat_map(|it| &it.signers).for_each(|it| rules.guard.offer(it));
            rules.expired_token = rules.expired_token.take().or(expired_token);
        }
        let rules = destination.deployment.as_ref();
        let clock_moved_seconds = rules.map_or(0, |rules| rules.ledger.clock_moved_seconds);
        let can_receive = is_in_process || options.can_receive();
        let unmet = needs::unmet(&destination, can_receive, discovery_trouble.as_ref());
        let settle = Duration::from_secs(file.limits.settle_seconds.into());
        let index = index_of(file, TargetClass::Deployment);
        let index = IndexTarget { unmet, clock_moved_seconds, ..index };
        let client = ServiceClient::new(Arc::clone(&sender), destination);
        Ok(Self {
            settle,
            delivery_wait_max: is_in_process.then_some(IN_PROCESS_DELIVERY_WAIT),
            ..Self::new(EnvironmentKind::Deployment(client), index, sender, options)
        })
    }
}

/// The description of a target in recordings, from its file.
fn index_of(file: TargetFile, class: TargetClass) -> IndexTarget {
    IndexTarget {
        description: file.description(class),
        pages_max: Some(file.limits.pages_max),
        tolerate: file.tolerate,
        ..IndexTarget::default()
    }
}
