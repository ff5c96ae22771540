//! A target file after reading and checking.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use moot_fixtures::contract::{Endpoint, Operation, Scopes};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Deserialize;
use strum::IntoStaticStr;
use url::Url;

use crate::client::target_file::address;
use crate::client::target_file::operator::FileOperator;
use crate::client::target_file::places::KeyPlaces;
use crate::exchange::{TargetClass, TargetDescription};

/// The default of `ledger`, relative to the target file.
pub(crate) const LEDGER: &str = ".moot/ledger.ndjson";

/// The default of `limits.settle_seconds`.
pub(crate) const SETTLE_SECONDS: u16 = 5;

/// The default of `limits.token_requests_max`, in minutes of the limit of the token endpoint. With the shared tokens, a
/// run takes less than four minutes of the limit, unless newer tokens end older ones.
pub(crate) const TOKEN_MINUTES_MAX: u32 = 2;

/// The default of `limits.created_objects_max` for a run without a plan.
pub(crate) const CREATED_OBJECTS_MAX: u32 = 20;

/// A checked target file with resolved secrets.
#[derive(Debug, Clone)]
pub struct TargetFile {
    /// The name for reports: `name` of the file, or the name of the file itself.
    pub name: String,
    /// The base address, without a trailing slash in its path.
    pub base_url: Url,
    /// The OAuth applications by role: `main`, `reader`, `writer`, `other_company`. Only a mock needs no `main`.
    pub applications: BTreeMap<String, ApplicationCredentials>,
    /// Data of the deployment that a run may use.
    pub bindings: FileBindings,
    /// Endpoints that the specification leaves open.
    pub endpoints: BTreeMap<Operation, Endpoint>,
    /// Consents beyond reading.
    pub consent: BTreeSet<Consent>,
    /// Pace, budgets and timeouts.
    pub limits: FileLimits,
    /// Needs and scenarios that may remain not run.
    pub tolerate: Vec<String>,
    /// The file of known failures.
    pub expected: Option<PathBuf>,
    /// The file of pinned answers.
    pub answers: Option<PathBuf>,
    /// A further certificate authority (PEM).
    pub ca_file: Option<PathBuf>,
    /// Headers for a gateway. They are sent with every request to the target's own host.
    pub headers: Vec<FileHeader>,
    /// The choice whether to use the control plane of a mock.
    pub admin: AdminChoice,
    /// The operator of the deployment.
    pub operator: Option<FileOperator>,
    /// A token of `main` that expired.
    pub expired_token: Option<SecretString>,
    /// A token of `main` that was revoked.
    pub revoked_token: Option<SecretString>,
    /// The file of the ledger.
    pub ledger: PathBuf,
    /// The lines of its keys.
    pub places: KeyPlaces,
}

impl TargetFile {
    /// Whether only a mock fits: it is on loopback, has no credentials, and allows a control plane.
    pub fn can_only_be_a_mock(&self) -> bool {
        !self.applications.contains_key("main")
            && matches!(self.admin, AdminChoice::Auto)
            && address::is_loopback(&self.base_url)
    }

    /// The target for reports.
    pub(crate) fn description(&self, class: TargetClass) -> TargetDescription {
        let base_url = self.base_url.as_str().trim_end_matches('/').to_owned();
        TargetDescription { name: self.name.clone(), base_url, class }
    }
}

/// An OAuth application (§4.1).
#[derive(Debug, Clone)]
pub struct ApplicationCredentials {
    /// The client id.
    pub client_id: String,
    /// The client secret.
    pub client_secret: SecretString,
    /// The scopes that it may request.
    pub scopes: Scopes,
    /// The environment variables with its id and its secret, for messages.
    pub variables: Vec<String>,
}

/// Data of a deployment that a run may use. Workflows that are not bound are discovered.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Bindings")]
#[serde(deny_unknown_fields)]
pub struct FileBindings {
    /// E-mail address of a user of the company. Requests are created in the name of this user.
    pub requester_email: Option<String>,
    /// E-mail address of the counterparty. Without it, one below `.invalid`.
    pub counterparty_email: Option<String>,
    /// E-mail addresses of internal signers, in addition to those in the schema of a workflow.
    #[serde(default)]
    pub internal_signer_emails: Vec<String>,
    /// E-mail addresses of no user of the company: one of its own domain, and one of a user of another company. Each is
    /// sent as requester and as signer, and must be refused.
    #[serde(default)]
    pub unknown_user_emails: Vec<String>,
    /// Values of workflow variables by name. They have precedence over values from a schema. If a schema requires
    /// variables without naming them, all of these are sent.
    pub variables: Option<serde_json::Map<String, serde_json::Value>>,
    /// A published workflow that generates the agreement.
    pub generated_workflow_id: Option<String>,
    /// A published workflow that takes an uploaded document.
    pub third_party_workflow_id: Option<String>,
    /// A published workflow with `internal_signer_email`.
    pub single_signer_workflow_id: Option<String>,
    /// A published workflow with `internal_signer_emails[]`.
    pub multiple_signers_workflow_id: Option<String>,
    /// A public https address of a small document.
    pub document_url: Option<String>,
    /// Webhooks are registered for addresses below this one. Without it, below the address of
    /// `--receiver-url`. Without that, below `https://hooks.invalid`, which a target may refuse.
    pub webhook_url: Option<String>,
}

/// A consent beyond reading.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Consent {
    /// Send other requests than GET and token requests.
    Write,
    /// Send DELETE.
    Delete,
    /// Send bursts beyond the rate limit, and large bodies.
    Load,
    /// Let the service fetch an address.
    Fetch,
    /// Let the operator of the target file act.
    Operate,
}

impl Consent {
    /// Every consent.
    pub const ALL: [Self; 5] = [Self::Write, Self::Delete, Self::Load, Self::Fetch, Self::Operate];

    /// The name in the target file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Pace, budgets and timeouts of a run on a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Limits")]
#[serde(deny_unknown_fields, default)]
pub struct FileLimits {
    /// Requests per minute. 0 sends without pauses, on loopback only.
    pub requests_per_minute: u32,
    /// Token requests per minute. Without it, they are paced after a 429 or 503 has shown the limit. 0 sends without
    /// pauses, on loopback only.
    pub token_requests_per_minute: Option<u32>,
    /// The most token requests that scenarios send, besides those for the tokens that they share. Without it: those of
    /// two minutes, once a limit is known.
    pub token_requests_max: Option<u32>,
    /// The most objects that a run creates. Without it: the number that its plan needs;
    /// 20 for `moot explore`.
    pub created_objects_max: Option<u32>,
    /// The most pages of a list that are followed.
    pub pages_max: u64,
    /// Timeout: seconds until the first byte of a response, and between two pieces of it.
    pub silence_seconds: u16,
    /// Timeout: seconds from the first byte sent to the last byte received.
    pub exchange_seconds: u16,
    /// The most seconds for which a list is read again after a change, until it shows the change.
    pub settle_seconds: u16,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            requests_per_minute: 540,
            token_requests_per_minute: None,
            token_requests_max: None,
            created_objects_max: None,
            pages_max: 40,
            silence_seconds: 60,
            exchange_seconds: 180,
            settle_seconds: SETTLE_SECONDS,
        }
    }
}

/// A header for a gateway.
#[derive(Debug, Clone)]
pub struct FileHeader {
    /// Lower case.
    pub name: String,
    /// The value.
    pub value: SecretString,
    /// Whether the value is masked, because it comes from outside the file.
    pub is_secret: bool,
}

/// The choice whether to use the control plane of a mock.
#[derive(Debug, Clone, Default)]
pub enum AdminChoice<T = SecretString> {
    /// On loopback addresses.
    #[default]
    Auto,
    /// Never: the service is treated as a deployment.
    None,
    /// Everywhere, with this token.
    Token(T),
}
