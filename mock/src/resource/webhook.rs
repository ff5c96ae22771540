//! A webhook (§2.6). Its credential is used in deliveries and shown nowhere.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::message::rendered::Rendered;

/// A webhook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Webhook {
    pub(crate) id: String,
    /// Index of its company.
    pub(crate) company: u32,
    pub(crate) url: String,
    pub(crate) events: Vec<String>,
    pub(crate) credential: Credential,
    pub(crate) rendered: Rendered,
}

/// How deliveries authenticate to the destination.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Credential {
    /// Not at all.
    None,
    /// `Authorization: Bearer …`
    Bearer(String),
    /// `Authorization: Basic …`
    Basic { username: String, password: String },
}

impl fmt::Debug for Credential {
    /// The kind, never the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic { .. } => "Basic(…)",
        })
    }
}

impl Credential {
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

/// All that a webhook is made of.
pub(crate) struct Draft<'a> {
    pub(crate) id: String,
    pub(crate) company: u32,
    pub(crate) name: &'a str,
    pub(crate) url: String,
    pub(crate) auth_type: &'a str,
    pub(crate) events: Vec<String>,
    pub(crate) credential: Credential,
}

/// JSON of a webhook.
#[derive(Serialize)]
struct View<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    resource_type: &'static str,
    attributes: Attributes<'a>,
}

#[derive(Serialize)]
struct Attributes<'a> {
    name: &'a str,
    url: &'a str,
    auth_type: &'a str,
    events: &'a [String],
}

impl Webhook {
    /// Renders the webhook.
    pub(crate) fn new(draft: Draft<'_>) -> Self {
        let rendered = Rendered::plain(&View {
            id: &draft.id,
            resource_type: "webhook",
            attributes: Attributes {
                name: draft.name,
                url: &draft.url,
                auth_type: draft.auth_type,
                events: &draft.events,
            },
        });
        let Draft { id, company, url, events, credential, .. } = draft;
        Self { id, company, url, events, credential, rendered }
    }
}
