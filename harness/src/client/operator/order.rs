//! An order to an operator, as arguments of a command and as a request to a person.

use crate::scenario::model::OperatorOrder;

impl OperatorOrder {
    /// Verb and values, as arguments of a command. A token is left out, because other users can read it in the list of
    /// processes.
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

    /// The request to a person, after "Please".
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
