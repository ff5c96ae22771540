//! Tokens that the operator of a deployment made useless.

/// Tokens of a deployment that its operator let expire or revoked, by application. Each is made once in a run.
#[derive(Debug, Default)]
pub(crate) struct SpentTokens {
    pub(crate) expired: Vec<(String, String)>,
    pub(crate) revoked: Vec<(String, String)>,
}

/// The token of this application.
pub(crate) fn find(tokens: &[(String, String)], application: &str) -> Option<String> {
    tokens.iter().find(|(role, _)| role == application).map(|(_, token)| token.clone())
}
