//! The description of a target for reports.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

/// The target of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetDescription {
    /// The name in the target file, or `mock`.
    pub name: String,
    /// Base address.
    pub base_url: String,
    /// The kind of service.
    pub class: TargetClass,
}

/// A kind of service.
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
    /// A mock over HTTP.
    #[serde(rename = "moot mock")]
    #[strum(serialize = "moot mock")]
    MootMock,
    /// Another service.
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

    /// Whether the addresses of its requests exist after a run. On a mock they are those of a sandbox, which the run
    /// deletes.
    pub const fn keeps_addresses(self) -> bool {
        !matches!(self, Self::InProcess | Self::MootMock)
    }
}
