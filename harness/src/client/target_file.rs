//! The target file: its keys, its checks and the sources of its secrets.
//!
//! Reading a target file sends nothing. Every mistake has its line and column.

pub(crate) mod address;
pub(crate) mod check;
pub(crate) mod endpoint;
pub(crate) mod model;
pub(crate) mod operator;
pub(crate) mod places;
pub(crate) mod private_file;
pub(crate) mod read;
mod schema;
pub(crate) mod secret;
pub(crate) mod shape;
mod text_or_keys;

pub(crate) use check::check_rate;
pub use endpoint::{Endpoints, created_kind};
pub use model::{AdminChoice, ApplicationCredentials, Consent, FileLimits, TargetFile};
pub use operator::{FileOperator, OperatorCommand};
pub(crate) use operator::{check_tolerated, tolerates};
pub use read::{from_text, from_url, read};
pub use schema::schema;
pub use secret::Variables;
