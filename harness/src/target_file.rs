//! The target file: the keys that it may have, reading and checking it, where its secrets come from.
//!
//! Reading sends nothing. Every mistake is reported with line and column, before a request is sent.

pub(crate) mod address;
pub(crate) mod check;
pub(crate) mod endpoint;
pub(crate) mod model;
pub(crate) mod read;
pub(crate) mod secret;
pub(crate) mod shape;

pub(crate) use check::check_rate;
pub use endpoint::{Endpoint, Endpoints};
pub use model::{
    AdminChoice, ApplicationCredentials, Consent, FileApplications, FileBindings, FileHeader,
    FileLimits, TargetFile,
};
pub use read::{FileError, from_text, from_url, read};
pub(crate) use read::{did_you_mean, syntax};
pub use secret::Variables;
