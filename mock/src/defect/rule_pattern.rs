//! Names for the rules of the core in the files of defects.

use serde::Deserialize;

use crate::value::address::AddressFault;
use crate::value::message::rule::Rule;

/// A broken rule. In YAML it is `workflow_exists` or `{required: workflow_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RulePattern {
    /// At least one required field is missing.
    AnyRequired,
    /// Only this required field is missing.
    Required(String),
    /// The value of this field is invalid.
    Field(String),
    VariableRequired,
    WorkflowExists,
    WorkflowPublished,
    RequesterIsUser,
    DocumentType,
    SupportDocumentSize,
    UploadSource,
    OneUploadSource,
    UploadAddress(AddressFault),
}

impl RulePattern {
    /// Whether this pattern names a broken rule.
    pub(super) fn matches(&self, rule: &Rule) -> bool {
        match (self, rule) {
            (Self::AnyRequired, Rule::Required(_))
            | (Self::VariableRequired, Rule::VariableRequired)
            | (Self::WorkflowExists, Rule::WorkflowExists)
            | (Self::WorkflowPublished, Rule::WorkflowPublished)
            | (Self::RequesterIsUser, Rule::RequesterIsUser)
            | (Self::DocumentType, Rule::DocumentType)
            | (Self::SupportDocumentSize, Rule::SupportDocumentSize)
            | (Self::UploadSource, Rule::UploadSource)
            | (Self::OneUploadSource, Rule::OneUploadSource) => true,
            (Self::Required(name), Rule::Required(names)) => names.as_slice() == [name.as_str()],
            (Self::Field(name), Rule::Field(field)) => name == field,
            (Self::UploadAddress(fault), Rule::UploadAddress(broken)) => fault == broken,
            _ => false,
        }
    }
}
