//! The destination of requests: a sandbox of a mock, or a deployment, with its credentials.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;
use secrecy::ExposeSecret;
use serde_json::{Map, Value};
use url::Url;

use crate::client::control_plane::ControlPlane;
use crate::client::deployment_rules::DeploymentRules;
use crate::client::secret_forms;
use crate::client::target_file::endpoint::Endpoints;
use crate::client::target_file::model::ApplicationCredentials;
use crate::client::target_file::places::KeyPlaces;
use crate::client::token_refusal::TokenRequestRefusal;
use crate::client::tokens::Tokens;
use crate::exchange::Exchange;
use crate::exchange::masks::Masks;
use crate::scenario::model::UselessToken;

/// Workflow schemas that are remembered, each with the id of its workflow.
const FORMS_MAX: usize = 100;

/// The destination of requests.
pub(crate) struct RequestDestination {
    pub(crate) base: Url,
    /// The method and path of each operation.
    pub(crate) endpoints: Endpoints,
    /// By role: `main`, `reader`, `writer`, `other_company`.
    pub(crate) applications: BTreeMap<String, ApplicationCredentials>,
    /// The root name `bindings`.
    pub(crate) bindings: Map<String, Value>,
    pub(crate) control_plane: Option<ControlPlane>,
    pub(crate) tokens: tokio::sync::Mutex<Tokens>,
    /// Tokens that the operator of a deployment made useless, by application, or the reason why there is none.
    pub(crate) useless:
        tokio::sync::Mutex<BTreeMap<(UselessToken, String), Result<String, String>>>,
    /// Applications whose credentials were refused, with the response.
    pub(crate) refused: Mutex<BTreeMap<String, TokenRequestRefusal>>,
    /// The exchange of the token request of §4.1, if the target refuses it. Then HTTP Basic is used.
    pub(crate) refused_token_request: OnceLock<Arc<Exchange>>,
    /// The `scope` of each token, if its response has one.
    pub(crate) granted: Mutex<BTreeMap<String, String>>,
    /// Default values of the harness that the target accepted.
    pub(crate) accepted_defaults: Mutex<BTreeSet<String>>,
    /// Needs that were checked against the target, each with the mistake of the target file that this found.
    pub(crate) fit: tokio::sync::Mutex<BTreeMap<String, Option<FileMistake>>>,
    /// The lines of the keys of the target file.
    pub(crate) places: KeyPlaces,
    /// A part of every name that the run creates.
    pub(crate) run_tag: String,
    /// Schemas, each with the id of its workflow.
    pub(crate) forms: Mutex<Vec<(Arc<Value>, String)>>,
    /// The rules of a deployment. `None` for a sandbox of a mock, which has no rules.
    pub(crate) deployment: Option<DeploymentRules>,
}

/// A key of the target file whose value the target does not confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileMistake {
    /// `bindings.requester_email`.
    pub(crate) key: String,
    /// `staging.yaml:7: `, if there is a file.
    pub(crate) place: String,
    /// The observation that contradicts the value, as a clause.
    pub(crate) contradiction: String,
}

impl std::fmt::Display for FileMistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}`{}` does not fit the target: {}", self.place, self.key, self.contradiction)
    }
}

impl RequestDestination {
    /// A destination without tokens.
    pub(crate) fn new(
        base: Url,
        endpoints: Endpoints,
        applications: BTreeMap<String, ApplicationCredentials>,
        bindings: Map<String, Value>,
        control_plane: Option<ControlPlane>,
        deployment: Option<DeploymentRules>,
    ) -> Self {
        Self {
            base,
            endpoints,
            applications,
            bindings,
            control_plane,
            tokens: tokio::sync::Mutex::default(),
            useless: tokio::sync::Mutex::default(),
            refused: Mutex::default(),
            refused_token_request: OnceLock::new(),
            granted: Mutex::default(),
            accepted_defaults: Mutex::default(),
            fit: tokio::sync::Mutex::default(),
            places: KeyPlaces::default(),
            run_tag: String::new(),
            forms: Mutex::default(),
            deployment,
        }
    }

    /// `staging.yaml:4: `, if there is a file.
    pub(crate) fn place_of_application(&self, role: &str) -> String {
        self.places.of(&format!("applications.{role}"))
    }

    /// The rules of a deployment; `None` for a sandbox.
    pub(crate) fn deployment(&self) -> Option<&DeploymentRules> {
        self.deployment.as_ref()
    }

    /// A mistake in the value of this key of the target file.
    pub(crate) fn mistake(&self, key: &str, contradiction: String) -> FileMistake {
        FileMistake { key: key.to_owned(), place: self.places.of(key), contradiction }
    }

    /// Remembers the workflow of a schema.
    pub(crate) fn remember_form(&self, path: &str, schema: &Arc<Value>) {
        let Some(id) = self.endpoints.id_in(Operation::GetWorkflowSchema, path) else { return };
        let mut forms = self.forms.lock();
        if !forms.iter().any(|(known, owner)| *owner == id && known == schema) {
            if forms.len() >= FORMS_MAX {
                forms.remove(0);
            }
            forms.push((schema.clone(), id));
        }
    }

    /// The workflow of a schema, or of the value of its member `data`. The latest one counts.
    pub(crate) fn workflow_of(&self, schema: &Value) -> Option<String> {
        let forms = self.forms.lock();
        forms
            .iter()
            .rev()
            .find(|(known, _)| **known == *schema || known.get("data") == Some(schema))
            .map(|(_, id)| id.clone())
    }
}

/// Hides the secrets of applications in every form that a request can have.
pub(crate) fn hide(applications: &BTreeMap<String, ApplicationCredentials>, masks: &Masks) {
    for (role, application) in applications {
        let prefix = match role.as_str() {
            "main" => "MOOT".to_owned(),
            other => format!("MOOT_{}", other.to_ascii_uppercase()),
        };
        let secret = application.client_secret.expose_secret();
        for (form, label) in secret_forms::of_secret(&application.client_id, secret) {
            masks.hide(&form, &format!("{prefix}_{label}"));
        }
    }
}
