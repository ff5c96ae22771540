//! A target file that was read and checked.

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

/// Where the ledger is unless the file says otherwise, beside the target file.
pub(crate) const LEDGER: &str = ".moot/ledger.ndjson";

/// `limits.settle_seconds` unless the file says otherwise.
pub(crate) const SETTLE_SECONDS: u16 = 5;

/// For so many minutes of its limit scenarios ask the token endpoint, unless the file says otherwise. Tokens that
/// they share come on top, so that a run takes less than four minutes.
pub(crate) const TOKEN_MINUTES_MAX: u32 = 3;

/// `limits.created_objects_max` of a run without a plan, unless the file says otherwise.
pub(crate) const CREATED_OBJECTS_MAX: u32 = 20;

/// A target file, checked, its secrets resolved.
#[derive(Debug, Clone)]
pub struct TargetFile {
    /// For people: `name` of the file, else its stem.
    pub name: String,
    /// The base address, without a slash at the end of its path.
    pub base_url: Url,
    /// The OAuth applications by role: `main`, `reader`, `writer`, `other_company`. `main` may be
    /// absent only on a moot mock.
    pub applications: BTreeMap<String, ApplicationCredentials>,
    /// What the harness may use there.
    pub bindings: FileBindings,
    /// Where operations are that the specification does not place.
    pub endpoints: BTreeMap<Operation, Endpoint>,
    /// What the run may do beyond reading.
    pub consent: BTreeSet<Consent>,
    /// Budgets.
    pub limits: FileLimits,
    /// Needs and scenarios that may stay not run.
    pub tolerate: Vec<String>,
    /// The known failures.
    pub expected: Option<PathBuf>,
    /// The pinned answers.
    pub answers: Option<PathBuf>,
    /// A further authority for TLS, PEM.
    pub ca_file: Option<PathBuf>,
    /// Headers for a gateway, sent with every request to the target's own host.
    pub headers: Vec<FileHeader>,
    /// Whether and how the control plane of a moot mock is looked for.
    pub admin: AdminChoice,
    /// Who does there what no client can do.
    pub operator: Option<FileOperator>,
    /// A token of `main` that expired.
    pub expired_token: Option<SecretString>,
    /// A token of `main` that was revoked.
    pub revoked_token: Option<SecretString>,
    /// Where the ledger is written.
    pub ledger: PathBuf,
    /// Where its keys are.
    pub places: KeyPlaces,
}

impl TargetFile {
    /// Whether it is on loopback, has no credentials, and allows a control plane.
    pub fn can_only_be_a_mock(&self) -> bool {
        !self.applications.contains_key("main")
            && matches!(self.admin, AdminChoice::Auto)
            && address::is_loopback(&self.base_url)
    }
}

/// An OAuth application (§4.1).
#[derive(Debug, Clone)]
pub struct ApplicationCredentials {
    /// The UID.
    pub client_id: String,
    /// The secret.
    pub client_secret: SecretString,
    /// What it is scoped to.
    pub scopes: Scopes,
}

/// What the harness may use on a deployment. Absent workflows are discovered.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Bindings")]
#[serde(deny_unknown_fields)]
pub struct FileBindings {
    /// E-mail address of a user of the company. Requests are created in the name of this user.
    pub requester_email: Option<String>,
    /// E-mail address of the counterparty. Without it, one below `.invalid`.
    pub counterparty_email: Option<String>,
    /// E-mail addresses of internal signers, beside those that the schema of a workflow offers.
    #[serde(default)]
    pub internal_signer_emails: Vec<String>,
    /// E-mail addresses that no user of the company has: one of its own domain, and one of a user of another
    /// company. Each is sent as requester and as signer, and must be refused.
    #[serde(default)]
    pub unknown_user_emails: Vec<String>,
    /// Values of workflow variables by name. They come before values from a schema. If a schema requires
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

/// What a run may do beyond reading.
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
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Write, Self::Delete, Self::Load, Self::Fetch, Self::Operate];

    /// As in the target file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Budgets of a run on a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Limits")]
#[serde(deny_unknown_fields, default)]
pub struct FileLimits {
    /// Requests a minute. 0 sends without pauses, on loopback only.
    pub requests_per_minute: u32,
    /// Token requests a minute. Without it they are paced once the service shows its limit by a 429. 0 is
    /// unpaced, on loopback only.
    pub token_requests_per_minute: Option<u32>,
    /// Token requests of a run at most. Without it: those of three minutes, once a limit is known.
    pub token_requests_max: Option<u32>,
    /// Objects a run creates at most. Without it: as many as its plan needs.
    pub created_objects_max: Option<u32>,
    /// Pages of a list that are followed, at most.
    pub pages_max: u64,
    /// Deadline `silence`: seconds until the first byte of an answer, and between two pieces of it.
    pub silence_seconds: u16,
    /// Deadline `exchange`: seconds from the first byte sent to the last byte received.
    pub exchange_seconds: u16,
    /// Seconds for which a list is read again after a change, until it shows the change.
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
    /// Whether the value is masked: it comes from outside the file.
    pub is_secret: bool,
}

/// How the control plane of a moot mock is looked for.
#[derive(Debug, Clone, Default)]
pub enum AdminChoice<T = SecretString> {
    /// On loopback addresses.
    #[default]
    Auto,
    /// Not at all: the service is treated as a deployment.
    None,
    /// Everywhere, with this token.
    Token(T),
}
