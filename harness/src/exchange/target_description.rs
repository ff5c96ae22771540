//! What a target is, for people and for reports.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

/// What the run was pointed at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetDescription {
    /// Name of the target file, or `mock`.
    pub name: String,
    /// Base address.
    pub base_url: String,
    /// What kind of service it is.
    pub class: TargetClass,
}

/// The kinds of services.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TargetClass {
    /// The mock in this process.
    #[serde(rename = "mock in process")]
    #[strum(serialize = "mock in process")]
    InProcess,
    /// A moot mock over HTTP.
    #[serde(rename = "moot mock")]
    #[strum(serialize = "moot mock")]
    MootMock,
    /// A service that is not a moot mock.
    Deployment,
    /// The target was not opened.
    #[default]
    Unknown,
}

impl TargetClass {
    /// As reports show it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
