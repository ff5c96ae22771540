//! The members that change a workflow.

use moot_fixtures::contract::WorkflowStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What changes of a workflow; what is absent stays. A new one needs `name`, `kind` and
/// `signer_options`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkflowUpdate {
    /// `published` or `unpublished`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("enum" = WorkflowStatus::ALL))]
    pub status: Option<WorkflowStatus>,
    /// its name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// its description
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `generated` or `third_party`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `single` or `multiple`: how the internal signers are named
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signers: Option<String>,
    /// the internal signers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer_options: Option<Vec<String>>,
    /// the required fields of a creation
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_fields: Option<Vec<String>>,
    /// the optional fields of a creation
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_fields: Option<Vec<String>>,
    /// its variables by name, each with `type`, `required`, `options` and `suggestions`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Map<String, Value>>,
    /// of a new one: the name of the company; the first one if absent
    #[serde(skip_serializing)]
    pub company: Option<String>,
}
