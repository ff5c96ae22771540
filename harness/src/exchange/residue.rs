//! What a run left on its target.

use serde::{Deserialize, Serialize};

/// Something left behind on the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residue {
    /// `legal_request`, `repository_document`, `webhook`.
    pub kind: String,
    /// Its id, if the answer had it.
    pub id: Option<String>,
    /// The tag of the run, which is part of its name.
    pub tag: String,
    /// The scenario that made it.
    pub scenario: String,
}
