//! A legal request (§2.1) and the values that created it (§4.5).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus, RequestName};
use serde::{Deserialize, Serialize};

use crate::value::message::content::Content;
use crate::value::message::json::ResourceJson;
use crate::value::sent_json::SentJson;
use crate::world::state::resource::activity::Activity;
use crate::world::state::resource::progression_plan::{Pace, ProgressionPlan};
use crate::world::state::resource::workflow::Workflow;

/// A legal request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LegalRequest {
    pub(crate) row: u32,
    pub(crate) id: String,
    /// Index of its company.
    pub(crate) company: u32,
    /// Index of its workflow.
    pub(crate) workflow: u32,
    pub(crate) created_at: Timestamp,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) status: LegalRequestStatus,
    pub(crate) submission: Arc<Submission>,
    /// Oldest first.
    pub(crate) activity: Vec<Activity>,
    /// The number of entries that were ever logged.
    pub(crate) logged: u64,
    /// How its status changes automatically; `None` if it does not.
    #[serde(rename = "course")]
    pub(crate) progression: Option<ProgressionPlan>,
    /// The repository document that was created when the request was archived.
    pub(crate) document: Option<u32>,
}

/// `attributes` of a request. The response to its creation has no `description` (§2.1).
#[derive(Debug, Serialize)]
pub(crate) struct LegalRequestAttributes<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Option<&'a str>>,
    status: LegalRequestStatus,
}

/// The values that created a request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Submission {
    /// Every text field except `variables` and the signers, by name.
    pub(crate) texts: BTreeMap<Cow<'static, str>, String>,
    pub(crate) variables: BTreeMap<String, SentJson>,
    /// In signing order.
    pub(crate) signers: Vec<String>,
    pub(crate) files: Vec<StoredFile>,
    pub(crate) merge: bool,
}

/// A file of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub(crate) name: String,
    pub(crate) content_type: Option<String>,
    pub(crate) content: Content,
    pub(crate) role: FileRole,
    pub(crate) disposition: FileDisposition,
}

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileRole {
    /// The third-party document.
    Document,
    /// A support document.
    Support,
}

/// Whether a file is part of the PDF of the request (§8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileDisposition {
    /// It is part of the PDF.
    Merged,
    /// It is a separate file.
    Attached,
}

impl LegalRequest {
    /// The time of its next automatic step, if the step depends on time.
    pub(crate) fn next_step_at(&self) -> Option<Timestamp> {
        match self.progression?.pace {
            Pace::Timed { next_at, .. } => Some(next_at),
            Pace::OnRead { .. } => None,
        }
    }

    /// Its JSON (§2.1).
    pub(crate) fn json(&self) -> ResourceJson<'_, LegalRequestAttributes<'_>> {
        let attributes = LegalRequestAttributes {
            name: &self.name,
            description: Some(self.description.as_deref()),
            status: self.status,
        };
        ResourceJson { id: &self.id, resource_type: "legal_request", attributes }
    }

    /// Its JSON in the response to its creation.
    pub(crate) fn created_json(&self) -> ResourceJson<'_, LegalRequestAttributes<'_>> {
        let mut json = self.json();
        json.attributes.description = None;
        json
    }
}

/// The name of a request (question `request_name`).
pub(crate) fn name(answers: &Answers, workflow: &Workflow, counterparty: Option<&str>) -> String {
    match (answers.request_name, counterparty) {
        (RequestName::WorkflowAndOrganisation, Some(organisation)) => {
            format!("{} — {organisation}", workflow.seed.name)
        }
        (RequestName::WorkflowAndOrganisation, None) | (RequestName::Workflow, _) => {
            workflow.seed.name.clone()
        }
    }
}
