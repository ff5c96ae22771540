//! What an act needs of its target, and what a target has: consents, tokens, other companies.

use http::Method;

use super::act::{Act, Address, Hidden, Odd, Unusable};

/// What the target lets an act do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Means {
    /// Consent to write, with a token that may.
    pub write: bool,
    /// Consent to delete.
    pub delete: bool,
    /// Consent to let the service fetch, with an address that it may.
    pub fetch: bool,
    /// It is a moot mock, with its control plane.
    pub admin: bool,
    /// There is another company.
    pub second_company: bool,
    /// There is an expired token.
    pub expired_token: bool,
    /// There is a revoked token.
    pub revoked_token: bool,
}

impl Act {
    /// The needs (DESIGN §6) of a scenario with this act.
    pub fn needs(&self) -> Vec<&'static str> {
        match self {
            Self::Page { .. }
            | Self::Read { .. }
            | Self::Unknown { .. }
            | Self::Whole { .. }
            | Self::Filtered { .. }
            | Self::Log { .. }
            | Self::Altered
            | Self::Token { .. } => vec!["read"],
            Self::Hide { hidden: Hidden::Document } => vec!["read", "write", "second_company"],
            Self::Hide { hidden: Hidden::Webhook } => {
                vec!["read", "write", "delete", "second_company"]
            }
            Self::Spy { .. } => vec!["read", "second_company"],
            Self::Request { .. } | Self::Upload { .. } => vec!["read", "write"],
            Self::Address { address: Address::Registered(_) } => {
                vec!["read", "write", "fetch", "admin"]
            }
            Self::Address { .. } => vec!["read", "write", "fetch"],
            Self::Webhook { .. } | Self::DeleteUnknown { .. } => vec!["read", "write", "delete"],
            Self::Denied { operation, token } => {
                let mut needs = vec!["read"];
                needs.extend(consents(operation.method().as_str()));
                match token {
                    Unusable::Expired => needs.push("expired_token"),
                    Unusable::Revoked => needs.push("revoked_token"),
                    Unusable::Missing
                    | Unusable::Unknown(_)
                    | Unusable::Malformed(_)
                    | Unusable::ReadOnly => {}
                }
                needs
            }
            Self::Odd { odd: Odd::Query(..) | Odd::Path(_) } => vec!["read"],
            Self::Odd { odd: Odd::Method(method, _) } | Self::Stray { method, .. } => {
                let mut needs = vec!["read"];
                needs.extend(consents(method));
                needs
            }
        }
    }

    /// Calls of it that may create something.
    pub fn creations(&self) -> u32 {
        match self {
            Self::Request { .. }
            | Self::Upload { .. }
            | Self::Address { .. }
            | Self::Hide { .. }
            | Self::Webhook { .. } => 1,
            // What is refused creates nothing, where the target is sound.
            Self::Denied { operation, .. } => u32::from(operation.method() == Method::POST),
            Self::Page { .. }
            | Self::Read { .. }
            | Self::Whole { .. }
            | Self::Filtered { .. }
            | Self::Log { .. }
            | Self::Spy { .. }
            | Self::Unknown { .. }
            | Self::DeleteUnknown { .. }
            | Self::Token { .. }
            | Self::Altered
            | Self::Odd { .. }
            | Self::Stray { .. } => 0,
        }
    }

    /// Whether what others change meanwhile could look like a fault of it: it must show twice.
    pub fn compares(&self) -> bool {
        matches!(self, Self::Whole { .. } | Self::Filtered { .. } | Self::Log { .. })
    }
}

/// What a call by this method needs beside a token that reads.
fn consents(method: &str) -> &'static [&'static str] {
    match method {
        "GET" => &[],
        "DELETE" => &["write", "delete"],
        _ => &["write"],
    }
}

impl Means {
    /// Whether an act with these needs may be drawn.
    pub(super) fn meet(&self, needs: &[&str]) -> bool {
        needs.iter().all(|need| match *need {
            "write" => self.write,
            "delete" => self.delete,
            "fetch" => self.fetch,
            "admin" => self.admin,
            "second_company" => self.second_company,
            "expired_token" => self.expired_token,
            "revoked_token" => self.revoked_token,
            _ => true,
        })
    }
}
