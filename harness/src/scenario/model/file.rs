//! A file of scenarios, and a scenario without its steps.

use super::{Json, Location, Step};

/// A file of scenarios.
#[derive(Debug, Clone)]
pub struct ScenarioFile {
    /// File stem: `04_05_create_legal_request`.
    pub stem: String,
    /// The clause.
    pub section: String,
    /// For people.
    pub title: String,
    /// In the order written.
    pub scenarios: Vec<Scenario>,
}

/// One scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Slug, unique in the suite.
    pub id: String,
    /// The rule as a sentence.
    pub title: String,
    /// Capabilities of [`NEEDS`].
    pub needs: Vec<String>,
    /// Words for selecting.
    pub tags: Vec<String>,
    /// Settings of the sandbox on a mock target.
    pub sandbox: Sandbox,
    /// Names of receivers to listen with.
    pub receivers: Vec<String>,
    /// The scenario once per row.
    pub for_each: Option<ForEach>,
    /// A failure counts when it shows in two passes.
    pub confirm: bool,
    /// In order.
    pub steps: Vec<Step>,
    /// Of its `id`.
    pub at: Location,
}

/// Every capability that `needs` may name.
pub const NEEDS: [&str; 16] = [
    "read",
    "write",
    "delete",
    "load",
    "admin",
    "fetch",
    "second_company",
    "reader_application",
    "writer_application",
    "expired_token",
    "revoked_token",
    "receiver",
    "workflow_generated",
    "workflow_third_party",
    "workflow_single_signer",
    "workflow_multiple_signers",
];

/// Sandbox settings; absent is the mock's own default.
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    /// Name of a bundled world.
    pub world: Option<String>,
    /// Name of bundled answers, or `random:SEED`.
    pub answers: Option<String>,
    /// `real`, `frozen` or `frozen:TIME`.
    pub clock: Option<String>,
    /// `enforce`, `observe` or `off`.
    pub rate_limit: Option<String>,
    /// `manual`, `timed`, `timed:SECONDS`, `on-read:N` or `immediate`.
    pub progression: Option<String>,
}

/// `{name: list or <value>}`.
#[derive(Debug, Clone)]
pub struct ForEach {
    /// The name a row gets.
    pub name: String,
    /// A list, or a text that is one name.
    pub rows: Json,
}
