//! What a target is, for people and for reports.

use serde::{Deserialize, Serialize};

/// What the run was pointed at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetDescription {
    /// Name of the target file, or `mock`.
    pub name: String,
    /// Base address.
    pub base_url: String,
    /// What kind of service it is.
    pub class: TargetClass,
}

/// The kinds of services.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TargetClass {
    /// The mock in this process.
    #[serde(rename = "mock in process")]
    InProcess,
    /// A moot mock over HTTP.
    #[serde(rename = "moot mock")]
    MootMock,
    /// A service that is no moot mock.
    #[serde(rename = "deployment")]
    Deployment,
    /// The target was not opened.
    #[default]
    #[serde(rename = "unknown")]
    Unknown,
}

impl TargetClass {
    /// As reports show it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProcess => "mock in process",
            Self::MootMock => "moot mock",
            Self::Deployment => "deployment",
            Self::Unknown => "unknown",
        }
    }

    /// Whether each scenario has a sandbox there.
    pub const fn is_mock(self) -> bool {
        matches!(self, Self::InProcess | Self::MootMock)
    }
}

impl std::fmt::Display for TargetClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
