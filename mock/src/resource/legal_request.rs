//! A legal request (§2.1) and what was submitted to create it (§4.5).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus, RequestName};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::content::Content;
use crate::message::rendered::{Rendered, append_text};
use crate::resource::activity::Activity;
use crate::resource::course::{Course, Pace};
use crate::resource::workflow::Workflow;

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
    pub(crate) shown: Shown,
    pub(crate) submission: Arc<Submission>,
    /// Oldest first.
    pub(crate) activity: Vec<Activity>,
    /// Entries that were ever logged.
    pub(crate) logged: u64,
    /// Where it goes by itself; `None` where it stays until it is moved.
    pub(crate) course: Option<Course>,
    /// The repository document that archiving it made.
    pub(crate) document: Option<u32>,
}

/// The members that the API shows, with their JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) status: LegalRequestStatus,
    pub(crate) rendered: Rendered,
}

/// What creating it submitted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Submission {
    /// Every text field but `variables` and the signers, by name.
    pub(crate) texts: BTreeMap<Cow<'static, str>, String>,
    pub(crate) variables: Map<String, Value>,
    /// In signing order.
    pub(crate) signers: Vec<String>,
    pub(crate) files: Vec<StoredFile>,
    pub(crate) merge: bool,
}

/// A file that a request has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub(crate) name: String,
    pub(crate) content_type: Option<String>,
    pub(crate) content: Content,
    pub(crate) role: FileRole,
    pub(crate) disposition: Disposition,
}

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileRole {
    /// The third-party document.
    Document,
    /// A support document.
    Support,
}

/// What becomes of a file in the PDF of the request (§8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Disposition {
    /// It is part of it.
    Merged,
    /// It stands beside it.
    Attached,
}

impl Shown {
    /// Renders the members.
    pub(crate) fn new(
        id: &str,
        name: String,
        description: Option<String>,
        status: LegalRequestStatus,
    ) -> Self {
        let single = json(id, &name, Some(description.as_deref()), status);
        let rendered = Rendered::of_single(single);
        Self { name, description, status, rendered }
    }

    /// The members of a request that was just created.
    pub(crate) fn draft(id: &str, name: String) -> Self {
        Self::new(id, name, None, LegalRequestStatus::Draft)
    }

    /// The same with another status.
    pub(crate) fn with_status(&self, id: &str, status: LegalRequestStatus) -> Self {
        Self::new(id, self.name.clone(), self.description.clone(), status)
    }
}

impl LegalRequest {
    /// Its status.
    pub const fn status(&self) -> LegalRequestStatus {
        self.shown.status
    }

    /// When it moves on by itself, where time moves it.
    pub(crate) fn next_step_at(&self) -> Option<Timestamp> {
        match self.course?.pace {
            Pace::Timed { next_at, .. } => Some(next_at),
            Pace::OnRead { .. } => None,
        }
    }

    /// The body that creating it answers: `attributes` has `name` and `status` only.
    pub(crate) fn created_body(&self) -> Vec<u8> {
        json(&self.id, &self.shown.name, None, self.shown.status)
    }
}

/// The name of a request (question `request_name`).
pub(crate) fn name(answers: &Answers, workflow: &Workflow, counterparty: Option<&str>) -> String {
    match (answers.request_name, counterparty) {
        (RequestName::WorkflowAndOrganisation, Some(organisation)) => {
            format!("{} — {organisation}", workflow.name)
        }
        (RequestName::WorkflowAndOrganisation, None) | (RequestName::Workflow, _) => {
            workflow.name.clone()
        }
    }
}

/// JSON of a request, `{"data":…}`; `description` is absent from the create response (§2.1). Written by
/// hand, since a world may have a million.
fn json(
    id: &str,
    name: &str,
    description: Option<Option<&str>>,
    status: LegalRequestStatus,
) -> Vec<u8> {
    // As long as it gets where nothing needs an escape.
    let described = description.map_or(0, |text| 15 + text.map_or(4, |text| text.len() + 2));
    let length = 78 + id.len() + name.len() + described + status.as_str().len();
    let mut json = Vec::with_capacity(length);
    json.extend_from_slice(br#"{"data":{"id":"#);
    append_text(id, &mut json);
    json.extend_from_slice(br#","type":"legal_request","attributes":{"name":"#);
    append_text(name, &mut json);
    if let Some(description) = description {
        json.extend_from_slice(br#","description":"#);
        match description {
            Some(text) => append_text(text, &mut json),
            None => json.extend_from_slice(b"null"),
        }
    }
    json.extend_from_slice(br#","status":"#);
    append_text(status.as_str(), &mut json);
    json.extend_from_slice(b"}}}");
    json
}
