//! A record: all that one stage was told, in order; and the same handed out again.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Operation, Scopes};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::destination::Destination;
use crate::exchange::{Exchange, Trouble};
use crate::target_file::endpoint::{Endpoint, Endpoints};
use crate::target_file::model::ApplicationCredentials;

/// What one stage was told.
#[derive(Debug, Default)]
pub(crate) struct SessionRecord {
    /// Requests of the scenario.
    pub(crate) exchanges: Vec<Exchange>,
    /// All else: tokens, the control plane, deliveries, which exchanges were one burst.
    pub(crate) calls: Vec<RecordedAnswer>,
}

/// One question that was no request of the scenario, and its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordedAnswer {
    /// What was asked: `token main read`, `admin POST /clock`, `deliveries inbox`.
    pub(crate) key: String,
    /// The answer.
    pub(crate) outcome: Result<Value, Trouble>,
}

/// A destination as a record keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DestinationRow {
    pub(crate) base_url: String,
    pub(crate) applications: BTreeMap<String, CredentialsRow>,
    pub(crate) bindings: Map<String, Value>,
    /// `METHOD /path` by operation.
    pub(crate) endpoints: BTreeMap<String, String>,
    pub(crate) has_admin: bool,
}

/// An application as a record keeps it; its secret is a placeholder once it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CredentialsRow {
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) scopes: Scopes,
}

impl SessionRecord {
    /// The next exchange of this method and path; it is not handed out again.
    pub(crate) fn exchange(&mut self, method: &str, path: &str) -> Option<Exchange> {
        let fits = |it: &Exchange| it.request.method == method && it.request.path == path;
        let at = self.exchanges.iter().position(fits)?;
        Some(self.exchanges.remove(at))
    }

    /// The exchange of this number; it is not handed out again.
    pub(crate) fn numbered(&mut self, number: u64) -> Option<Exchange> {
        let at = self.exchanges.iter().position(|it| it.number == number)?;
        Some(self.exchanges.remove(at))
    }

    /// The next answer to this question; it is not handed out again.
    ///
    /// # Errors
    /// The trouble that was the answer; [`Trouble::Withheld`] where it was not asked.
    pub(crate) fn call(&mut self, key: &str) -> Result<Value, Trouble> {
        match self.calls.iter().position(|call| call.key == key) {
            Some(at) => self.calls.remove(at).outcome,
            None => Err(absent(key)),
        }
    }
}

/// Nobody asked that when the recording was made.
pub(crate) fn absent(what: &str) -> Trouble {
    Trouble::Withheld(format!("the recording has no further answer to `{what}`; record again"))
}

impl DestinationRow {
    /// What a record keeps of `destination`.
    pub(crate) fn of(destination: &Destination) -> Self {
        let application = |application: &ApplicationCredentials| CredentialsRow {
            client_id: application.client_id.clone(),
            client_secret: application.client_secret.expose_secret().to_owned(),
            scopes: application.scopes,
        };
        let endpoint = |operation: Operation| {
            let endpoint = destination.endpoints.get(operation);
            (operation.as_str().to_owned(), format!("{} {}", endpoint.method, endpoint.path))
        };
        Self {
            base_url: destination.base.as_str().to_owned(),
            applications: destination
                .applications
                .iter()
                .map(|(role, known)| (role.clone(), application(known)))
                .collect(),
            bindings: destination.bindings.clone(),
            endpoints: Operation::ALL.into_iter().map(endpoint).collect(),
            has_admin: destination.admin.is_some(),
        }
    }

    /// The applications, by role.
    pub(crate) fn applications(&self) -> BTreeMap<String, ApplicationCredentials> {
        let application = |row: &CredentialsRow| ApplicationCredentials {
            client_id: row.client_id.clone(),
            client_secret: SecretString::from(row.client_secret.clone()),
            scopes: row.scopes,
        };
        self.applications.iter().map(|(role, row)| (role.clone(), application(row))).collect()
    }

    /// Where each operation is; one that the recording does not know is where the contract has it.
    ///
    /// # Errors
    /// A row that is none.
    pub(crate) fn endpoints(&self) -> Result<Endpoints, String> {
        let mut given = BTreeMap::new();
        for operation in Operation::ALL {
            if let Some(text) = self.endpoints.get(operation.as_str()) {
                given.insert(operation, Endpoint::parse(text, "GET")?);
            }
        }
        Ok(Endpoints::new(&given))
    }
}
