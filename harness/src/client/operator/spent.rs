//! Tokens that the operator of a deployment made useless.

/// A token that is expired or revoked now, or why the operator made none.
pub(crate) type SpentToken = Result<String, String>;

/// Tokens of a deployment that its operator let expire or revoked, by application. Each is tried once in a run: an
/// operator that failed is not asked again for every scenario.
#[derive(Debug, Default)]
pub(crate) struct SpentTokens {
    pub(crate) expired: Vec<(String, SpentToken)>,
    pub(crate) revoked: Vec<(String, SpentToken)>,
}

/// The token of this application, if it was tried.
pub(crate) fn find(tokens: &[(String, SpentToken)], application: &str) -> Option<SpentToken> {
    tokens.iter().find(|(role, _)| role == application).map(|(_, token)| token.clone())
}
