//! A webhook (§2.6). Its credential is only sent with deliveries, and never shown.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::value::message::json::ResourceJson;

/// A webhook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Webhook {
    pub(crate) id: String,
    /// Index of its company.
    pub(crate) company: u32,
    pub(crate) name: String,
    pub(crate) url: String,
    /// How deliveries authenticate, as the API shows it.
    pub(crate) auth_type: String,
    pub(crate) events: Vec<String>,
    pub(crate) credential: Credential,
}

/// How deliveries authenticate to the destination.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Credential {
    /// No authentication.
    None,
    /// `Authorization: Bearer …`
    Bearer(String),
    /// `Authorization: Basic …`
    Basic { username: String, password: String },
}

impl fmt::Debug for Credential {
    /// The kind of the credential, without its secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic { .. } => "Basic(…)",
        })
    }
}

impl Credential {
    /// `authorization` headers of forged deliveries: no header, and a wrong one. Empty without a credential.
    pub(crate) fn forgeries(&self) -> Vec<Option<String>> {
        match self {
            Self::None => Vec::new(),
            Self::Bearer(_) => vec![None, Some("Bearer moot-forged".to_owned())],
            // `moot:forged`
            Self::Basic { .. } => vec![None, Some("Basic bW9vdDpmb3JnZWQ=".to_owned())],
        }
    }

    /// The `authorization` header of a delivery.
    pub(crate) fn header(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Bearer(token) => Some(format!("Bearer {token}")),
            Self::Basic { username, password } => {
                Some(format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))))
            }
        }
    }
}

impl Webhook {
    /// Its JSON (§2.6).
    pub(crate) fn json(&self) -> ResourceJson<'_, Value> {
        let attributes = json!({
            "name": self.name,
            "url": self.url,
            "auth_type": self.auth_type,
            "events": self.events,
        });
        ResourceJson { id: &self.id, resource_type: "webhook", attributes }
    }
}
