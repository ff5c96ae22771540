//! The target file: the keys that it may have, reading and checking it, where its secrets come from.
//!
//! Reading sends nothing. Every mistake is reported with line and column, before a request is sent.

pub(crate) mod address;
pub(crate) mod check;
pub(crate) mod endpoint;
pub(crate) mod model;
pub(crate) mod operator;
pub(crate) mod places;
pub(crate) mod read;
mod schema;
pub(crate) mod secret;
pub(crate) mod shape;
mod text_or_keys;

pub(crate) use check::check_rate;
pub use endpoint::{Endpoints, created_kind};
pub use model::{
    AdminChoice, ApplicationCredentials, Consent, FileBindings, FileHeader, FileLimits, TargetFile,
};
pub(crate) use operator::tolerates;
pub use operator::{FileOperator, OperatorCommand};
pub use read::{from_text, from_url, read};
pub use schema::schema;
pub use secret::Variables;
