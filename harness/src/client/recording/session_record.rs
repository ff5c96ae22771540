//! The record of one session: its exchanges and the results of its other calls, in order. A replay takes them out
//! again.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Scopes;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::target_file::model::ApplicationCredentials;
use crate::exchange::masks::Secrets;
use crate::exchange::{Exchange, Trouble};

/// One session of a scenario. In its HAR file it is the member `_moot`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SessionRecord {
    /// `stem/id[row]`.
    pub(crate) scenario: String,
    /// Start of the session: seconds since 1970 by the clock of this machine.
    pub(crate) started_seconds: i64,
    #[serde(rename = "venue")]
    pub(crate) destination: DestinationRow,
    #[serde(rename = "calls")]
    pub(crate) log: SessionLog,
}

/// Everything that a session received.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SessionLog {
    /// The exchanges of the scenario.
    #[serde(skip)]
    pub(crate) exchanges: Vec<Exchange>,
    /// The results of all other calls: tokens, the control plane, deliveries, and the numbers of the exchanges of a
    /// burst.
    pub(crate) calls: Vec<RecordedOutcome>,
}

/// The result of a call that is not a request of the scenario.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordedOutcome {
    /// Names the call: `token main read`, `admin POST /clock`, `deliveries inbox`.
    pub(crate) key: String,
    pub(crate) outcome: Result<Value, Trouble>,
}

/// A destination in a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DestinationRow {
    pub(crate) base_url: String,
    pub(crate) applications: BTreeMap<String, CredentialsRow>,
    pub(crate) bindings: Map<String, Value>,
    /// `METHOD /path` of the operations whose endpoint the target names.
    pub(crate) endpoints: BTreeMap<String, String>,
    pub(crate) has_admin: bool,
    /// Default values of the harness that the target accepted. Older recordings have none.
    #[serde(default)]
    pub(crate) accepted_defaults: BTreeSet<String>,
}

/// Credentials in a recording, where the secret is a placeholder, or in the description of a sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CredentialsRow {
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) scopes: Scopes,
}

impl From<CredentialsRow> for ApplicationCredentials {
    fn from(row: CredentialsRow) -> Self {
        Self {
            client_id: row.client_id,
            client_secret: SecretString::from(row.client_secret),
            scopes: row.scopes,
            variables: Vec::new(),
        }
    }
}

impl SessionRecord {
    /// Replaces the secrets everywhere except in the exchanges.
    pub(super) fn mask(&mut self, secrets: &Secrets) {
        self.scenario = secrets.mask(&self.scenario);
        for credentials in self.destination.applications.values_mut() {
            credentials.client_secret = secrets.mask(&credentials.client_secret);
        }
        for bound in self.destination.bindings.values_mut() {
            *bound = secrets.mask_value(bound);
        }
        for call in &mut self.log.calls {
            call.key = secrets.mask(&call.key);
            call.outcome = match &call.outcome {
                Ok(value) => Ok(secrets.mask_value(value)),
                Err(trouble) => Err(trouble.masked(secrets)),
            };
        }
    }
}

impl SessionLog {
    /// Removes and returns the next exchange of this method and path.
    pub(crate) fn exchange(&mut self, method: &str, path: &str) -> Option<Exchange> {
        let fits = |it: &Exchange| it.request.method == method && it.request.path == path;
        let at = self.exchanges.iter().position(fits)?;
        Some(self.exchanges.remove(at))
    }

    /// Removes and returns the exchange of this number.
    pub(crate) fn numbered(&mut self, number: u64) -> Option<Exchange> {
        let at = self.exchanges.iter().position(|it| it.number == number)?;
        Some(self.exchanges.remove(at))
    }

    /// Removes and returns the next result of this call.
    ///
    /// # Errors
    /// The recorded trouble. [`Trouble::Withheld`] if the recording has no further result.
    pub(crate) fn call(&mut self, key: &str) -> Result<Value, Trouble> {
        match self.calls.iter().position(|call| call.key == key) {
            Some(at) => self.calls.remove(at).outcome,
            None => Err(absent(key)),
        }
    }
}

/// The trouble of a replay that has nothing more for `what`.
pub(crate) fn absent(what: &str) -> Trouble {
    Trouble::Withheld(format!("the recording has nothing more for `{what}`; record again"))
}
