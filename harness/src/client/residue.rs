//! What a run left on its target.

use serde::Serialize;

/// Something left behind on the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Residue {
    /// `legal_request`, `repository_document`, `webhook`.
    pub kind: String,
    /// Its id, where the answer told it.
    pub id: Option<String>,
    /// The tag it carries.
    pub tag: String,
    /// The scenario that made it.
    pub scenario: String,
}
