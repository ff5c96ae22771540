//! The fields of §4.5 that a workflow requires and accepts by default.

use moot_fixtures::world::{SeedWorkflow, SignerStyle, WorkflowKind};

/// The signer field of workflows with one signer (§4.5).
pub(crate) const SIGNER: &str = "internal_signer_email";
/// The signer field of workflows with several signers (§4.5).
pub(crate) const SIGNERS: &str = "internal_signer_emails[]";
/// The field of support documents (§4.5).
pub(crate) const SUPPORT_DOCUMENTS: &str = "support_documents[]";
/// The field that asks for merging (§4.5).
pub(crate) const MERGE: &str = "merge_documents_into_pdf";

/// The required and the optional fields, for a seed row that does not list them.
pub(crate) fn default_fields(seed: &SeedWorkflow, merges: bool) -> (Vec<String>, Vec<String>) {
    let mut required = vec!["workflow_id", "requester_email"];
    let mut optional = Vec::new();
    match seed.kind {
        WorkflowKind::Generated => required.extend([
            "counterparty_name",
            "counterparty_email",
            "counterparty_organization_name",
        ]),
        WorkflowKind::ThirdParty => required.extend([
            "counterparty_name",
            "counterparty_signer_name",
            "counterparty_signer_email",
            "file",
        ]),
    }
    if seed.variables.values().any(|variable| variable.required) {
        required.push("variables");
    } else if !seed.variables.is_empty() {
        optional.push("variables");
    }
    let signer_field = match seed.signers {
        SignerStyle::Single => SIGNER,
        SignerStyle::Multiple => SIGNERS,
    };
    match seed.signer_options.len() {
        0 => {}
        // A single configured signer is assigned automatically (§4.5).
        1 => optional.push(signer_field),
        _ => required.push(signer_field),
    }
    optional.push(SUPPORT_DOCUMENTS);
    if merges {
        optional.push(MERGE);
    }
    let owned = |fields: Vec<&str>| fields.into_iter().map(str::to_owned).collect();
    (owned(required), owned(optional))
}
