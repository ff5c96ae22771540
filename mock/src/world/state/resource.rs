//! The resources of §2. Each file has a record and its JSON. Resources contain no rules and decide no changes.

pub(crate) mod activity;
pub(crate) mod delivery;
pub(crate) mod legal_request;
pub(crate) mod progression_plan;
pub(crate) mod repository_document;
pub(crate) mod signed_document;
pub(crate) mod status_way;
pub(crate) mod webhook;
pub(crate) mod workflow;
pub(crate) mod workflow_fields;
pub(crate) mod workflow_schema;

pub use delivery::{Delivery, DeliveryProgress};
pub use legal_request::LegalRequest;
pub use repository_document::RepositoryDocument;
pub use webhook::Webhook;
