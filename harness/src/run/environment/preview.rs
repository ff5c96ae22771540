//! A deployment as its target file describes it, for plans. Nothing is sent.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::client::deployment_rules::DeploymentRules;
use crate::client::destination::RequestDestination;
use crate::client::target_file::Endpoints;
use crate::client::target_file::address;
use crate::client::target_file::model::{AdminChoice, Consent, FileLimits, TargetFile};
use crate::run::environment::choice::{OpenError, TargetOptions};
use crate::run::environment::{deployment, discovery, needs, root_names};
use crate::scenario::names::Names;
use crate::verdict::NotRun;

/// A deployment that was not opened.
pub struct TargetPreview {
    destination: RequestDestination,
    file: TargetFile,
    unmet: BTreeMap<String, (String, String)>,
}

impl TargetPreview {
    /// Uses only the file. Nothing is sent, and no ledger is written.
    ///
    /// # Errors
    /// [`OpenError::Usage`], the same as in a run.
    pub fn new(mut file: TargetFile, options: &TargetOptions) -> Result<Self, OpenError> {
        deployment::check_rate(&file, options)?;
        deployment::check_credentials(&file)?;
        file.limits = options.limits(file.limits);
        let rules = DeploymentRules::preview(&file, &options.run_tag);
        let destination = deployment::destination(&file, &options.run_tag, rules);
        let unmet = needs::unmet(&destination, options.can_receive(), None);
        Ok(Self { destination, file, unmet })
    }

    /// The reason why the file does not meet a need. `None` if it meets the need, or if only opening the target decides
    /// ([`TargetPreview::is_found_later`]).
    pub fn missing(&self, need: &str) -> Option<NotRun> {
        if self.is_found_later(need) {
            return None;
        }
        let (reason, setting) = self.unmet.get(need)?.clone();
        Some(needs::not_run(&self.file.tolerate, need, reason, Some(setting)))
    }

    /// Whether a need requires a workflow that is not bound. Opening the target discovers workflows.
    pub fn is_found_later(&self, need: &str) -> bool {
        let Some(key) = needs::workflow_binding(need) else { return false };
        self.main_reads() && !self.destination.bindings.contains_key(&key)
    }

    fn main_reads(&self) -> bool {
        self.destination.applications.get("main").is_some_and(|main| main.scopes.read)
    }

    /// Whether the target may be a moot mock. A mock is used in sandboxes, where everything is allowed.
    pub fn may_be_mock(&self) -> bool {
        match self.file.admin {
            AdminChoice::None => false,
            AdminChoice::Auto => address::is_loopback(&self.file.base_url),
            AdminChoice::Token(_) => true,
        }
    }

    /// The root names that are known.
    pub fn roots(&self, run_tag: &str) -> Names {
        root_names::roots(&self.destination, run_tag, 0, self.file.limits.pages_max)
    }

    /// The endpoint of each operation.
    pub fn endpoints(&self) -> &Endpoints {
        &self.destination.endpoints
    }

    /// The base address.
    pub fn base_url(&self) -> &str {
        self.file.base_url.as_str().trim_end_matches('/')
    }

    /// The limits of a run.
    pub fn limits(&self) -> FileLimits {
        self.file.limits
    }

    /// The largest number of rows of `bindings.workflows`, if they are discovered.
    pub fn workflows_max(&self) -> Option<u64> {
        let is_bound = !discovery::bound_ids(&self.file.bindings).is_empty();
        (!is_bound).then_some(discovery::WORKFLOWS_MAX as u64)
    }

    /// The smallest and the largest number of requests that open the target, without tokens.
    pub fn opening_requests(&self) -> (u64, u64) {
        let health = u64::from(self.may_be_mock());
        let bound = discovery::bound_ids(&self.file.bindings).len() as u64;
        match (self.main_reads(), bound) {
            (false, _) => (health, health),
            (true, 0) => (health + 1, health + discovery::REQUESTS_MAX),
            (true, bound) => (health + 1, health + bound),
        }
    }

    /// Whether the file consents to this.
    pub fn allows(&self, consent: Consent) -> bool {
        self.file.consent.contains(&consent)
    }

    /// The addresses in the file to which the service may send mail because of the run. The default address of the
    /// counterparty is below `.invalid`.
    pub fn addresses(&self) -> Vec<String> {
        let text = |name: &str| {
            let bound = self.destination.bindings.get(name).and_then(Value::as_str);
            bound.map(str::to_owned)
        };
        let mut all: Vec<String> =
            ["requester_email", "counterparty_email"].into_iter().filter_map(text).collect();
        all.extend(self.file.bindings.internal_signer_emails.iter().cloned());
        all.extend(self.file.bindings.unknown_user_emails.iter().cloned());
        all
    }
}
