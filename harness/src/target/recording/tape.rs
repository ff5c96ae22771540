//! A tape: all that one stage was told, in order; and the same handed out again.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Operation, Scopes};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::exchange::{Exchange, Trouble};
use crate::target::endpoint::{Endpoint, Endpoints};
use crate::target::file::Application;
use crate::target::venue::Venue;

/// What one stage was told.
#[derive(Debug, Default)]
pub(in crate::target) struct Tape {
    /// Requests of the scenario.
    pub(in crate::target) exchanges: Vec<Exchange>,
    /// All else: tokens, the control plane, deliveries, which exchanges were one burst.
    pub(in crate::target) calls: Vec<Call>,
}

/// One question that was no request of the scenario, and its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::target) struct Call {
    /// What was asked: `token main read`, `admin POST /clock`, `deliveries inbox`.
    pub(in crate::target) key: String,
    /// The answer.
    pub(in crate::target) outcome: Result<Value, Trouble>,
}

/// A venue as a tape keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::target) struct VenueRow {
    pub(in crate::target) base_url: String,
    pub(in crate::target) applications: BTreeMap<String, ApplicationRow>,
    pub(in crate::target) bindings: Map<String, Value>,
    /// `METHOD /path` by operation.
    pub(in crate::target) endpoints: BTreeMap<String, String>,
    pub(in crate::target) has_admin: bool,
}

/// An application as a tape keeps it; its secret is a placeholder once it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::target) struct ApplicationRow {
    pub(in crate::target) client_id: String,
    pub(in crate::target) client_secret: String,
    pub(in crate::target) scopes: Scopes,
}

impl Tape {
    /// The next exchange of this method and path; it is not handed out again.
    pub(in crate::target) fn exchange(&mut self, method: &str, path: &str) -> Option<Exchange> {
        let fits = |it: &Exchange| it.request.method == method && it.request.path == path;
        let at = self.exchanges.iter().position(fits)?;
        Some(self.exchanges.remove(at))
    }

    /// The exchange of this number; it is not handed out again.
    pub(in crate::target) fn numbered(&mut self, number: u64) -> Option<Exchange> {
        let at = self.exchanges.iter().position(|it| it.number == number)?;
        Some(self.exchanges.remove(at))
    }

    /// The next answer to this question; it is not handed out again.
    ///
    /// # Errors
    /// The trouble that was the answer; [`Trouble::Withheld`] where it was not asked.
    pub(in crate::target) fn call(&mut self, key: &str) -> Result<Value, Trouble> {
        match self.calls.iter().position(|call| call.key == key) {
            Some(at) => self.calls.remove(at).outcome,
            None => Err(absent(key)),
        }
    }
}

/// Nobody asked that when the recording was made.
pub(in crate::target) fn absent(what: &str) -> Trouble {
    Trouble::Withheld(format!("the recording has no further answer to `{what}`; record again"))
}

impl VenueRow {
    /// What a tape keeps of `venue`.
    pub(in crate::target) fn of(venue: &Venue) -> Self {
        let application = |application: &Application| ApplicationRow {
            client_id: application.client_id.clone(),
            client_secret: application.client_secret.expose_secret().to_owned(),
            scopes: application.scopes,
        };
        let endpoint = |operation: Operation| {
            let endpoint = venue.endpoints.get(operation);
            (operation.as_str().to_owned(), format!("{} {}", endpoint.method, endpoint.path))
        };
        Self {
            base_url: venue.base.as_str().to_owned(),
            applications: venue
                .applications
                .iter()
                .map(|(role, known)| (role.clone(), application(known)))
                .collect(),
            bindings: venue.bindings.clone(),
            endpoints: Operation::ALL.into_iter().map(endpoint).collect(),
            has_admin: venue.admin.is_some(),
        }
    }

    /// The applications, by role.
    pub(in crate::target) fn applications(&self) -> BTreeMap<String, Application> {
        let application = |row: &ApplicationRow| Application {
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
    pub(in crate::target) fn endpoints(&self) -> Result<Endpoints, String> {
        let mut given = BTreeMap::new();
        for operation in Operation::ALL {
            if let Some(text) = self.endpoints.get(operation.as_str()) {
                given.insert(operation, Endpoint::parse(text, "GET")?);
            }
        }
        Ok(Endpoints::new(&given))
    }
}
