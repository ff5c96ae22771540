//! A stage: what one scenario plays on.

use moot_fixtures::contract::{Operation, Scopes};
use serde_json::Value;

use super::Prepared;
use crate::exchange::{Exchange, Trouble};

/// What one scenario plays on: a sandbox of its own on a mock, elsewhere the shared deployment.
pub struct Stage {}

/// An address that listens for deliveries.
pub struct Receiver {}

impl Receiver {
    /// The address to register.
    pub fn url(&self) -> &str {
        ""
    }
    /// The bearer credential to register.
    pub fn secret(&self) -> &str {
        ""
    }
    /// What came so far: `{method, headers: {name: value}, body, json}`.
    pub fn deliveries(&self) -> Vec<Value> {
        Vec::new()
    }
}

fn soon() -> Trouble {
    Trouble::Withheld("is being written".to_owned())
}

impl Stage {
    /// The root names: `run`, `target`, `bindings`, `contract`.
    pub fn roots(&self) -> Vec<(String, Value)> {
        Vec::new()
    }
    /// A shared token of this application (`main`, …) with exactly these scopes.
    pub async fn token(&self, _application: &str, _scopes: Scopes) -> Result<String, Trouble> {
        Err(soon())
    }
    /// A token of this application that expired.
    pub async fn expired_token(&self, _application: &str) -> Result<String, Trouble> {
        Err(soon())
    }
    /// A token of this application that was revoked.
    pub async fn revoked_token(&self, _application: &str) -> Result<String, Trouble> {
        Err(soon())
    }
    /// Sends one request: consent, pace, repeat of a GET after trouble, masks, ledger.
    pub async fn send(&self, _prepared: Prepared) -> Exchange {
        std::future::pending().await
    }
    /// As [`Stage::send`], but unpaced and never repeated: one call of a burst (consent `load`).
    pub async fn send_in_burst(&self, _prepared: Prepared) -> Exchange {
        std::future::pending().await
    }
    /// Waits until a burst starts in a fresh window of the limit; at once on a mock.
    pub async fn fresh_window(&self) {}
    /// Asks the control plane; `path` is below `/__admin`. Its answer must be 2xx.
    pub async fn admin(
        &self,
        _method: &str,
        _path: &str,
        _json: Option<Value>,
    ) -> Result<Value, Trouble> {
        Err(soon())
    }
    /// Whether there is a control plane.
    pub fn has_admin(&self) -> bool {
        false
    }
    /// Method and path template (with `{id}`) of an operation on this target.
    pub fn endpoint(&self, operation: Operation) -> (String, String) {
        (operation.method().to_string(), operation.path().to_owned())
    }
    /// A receiver of this name.
    pub async fn receiver(&self, _name: &str) -> Result<Receiver, Trouble> {
        Err(soon())
    }
    /// Ends it: a sandbox is deleted.
    pub async fn close(self) {}
}
