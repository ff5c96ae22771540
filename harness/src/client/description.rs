//! What a target is, and what a run left on it.

/// What the run was pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetDescription {
    /// Name of the target file, or `mock`.
    pub name: String,
    /// Base address.
    pub base_url: String,
    /// `mock in process`, `moot mock`, `deployment`.
    pub class: String,
}

/// Something left behind on the target.
#[derive(Debug, Clone, PartialEq, Eq)]
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
