//! One action with its values.

use crate::scenario::model::OperatorAction;

/// What an operator is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OperatorOrder {
    /// A legal request gets another status.
    SetStatus { id: String, status: String },
    /// A legal request gets a comment.
    AddComment { id: String, comment: String },
    /// The service is stopped and started again.
    Restart,
    /// The clock of the service goes forward.
    AdvanceClock { seconds: u64 },
    /// An access token is revoked.
    RevokeToken { token: String },
}

impl OperatorOrder {
    /// Its action.
    pub(crate) fn action(&self) -> OperatorAction {
        match self {
            Self::SetStatus { .. } => OperatorAction::SetStatus,
            Self::AddComment { .. } => OperatorAction::AddComment,
            Self::Restart => OperatorAction::Restart,
            Self::AdvanceClock { .. } => OperatorAction::AdvanceClock,
            Self::RevokeToken { .. } => OperatorAction::RevokeToken,
        }
    }

    /// Verb and values, as a command takes them. A token is not among them: others could read it in the list
    /// of processes.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![self.action().to_string()];
        match self {
            Self::SetStatus { id, status } => words.extend([id.clone(), status.clone()]),
            Self::AddComment { id, comment } => words.extend([id.clone(), comment.clone()]),
            Self::AdvanceClock { seconds } => words.push(seconds.to_string()),
            Self::Restart | Self::RevokeToken { .. } => {}
        }
        words
    }

    /// The request to a person.
    pub(super) fn question(&self) -> String {
        match self {
            Self::SetStatus { id, status } => match status.as_str() {
                "signed" => format!("have the counterparty sign request {id} in your system"),
                "declined" => format!("have the counterparty decline request {id} in your system"),
                "changes_proposed" => {
                    format!("have the counterparty propose changes to request {id} in your system")
                }
                status => format!("give request {id} the status `{status}` in your system"),
            },
            Self::AddComment { id, comment } => {
                format!("add the comment \"{comment}\" to request {id} in your system")
            }
            Self::Restart => "restart the service, and wait until it is up again".to_owned(),
            Self::AdvanceClock { seconds } => {
                format!("move the clock of the service forward by {seconds} seconds")
            }
            Self::RevokeToken { token } => format!("revoke the access token {token}"),
        }
    }
}
