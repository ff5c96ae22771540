//! A token request that the target refused.

/// A response of the token endpoint without a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenRequestRefusal {
    pub(crate) status: u16,
    /// Its `error` (RFC 6749 §5.2), or the `type` of a problem.
    pub(crate) error: Option<String>,
    /// Its `Location`.
    pub(crate) redirect: Option<String>,
}

impl TokenRequestRefusal {
    /// Whether the reason is the credentials or the scopes of the target file, and not the request.
    pub(crate) fn is_about_credentials(&self) -> bool {
        let errors = ["invalid_client", "unauthorized_client", "access_denied", "invalid_scope"];
        match &self.error {
            Some(error) => errors.contains(&error.as_str()) || self.status == 401,
            None => self.status == 401,
        }
    }

    /// Whether a gateway responded because it could not reach the service.
    pub(crate) fn is_gateway(&self) -> bool {
        matches!(self.status, 502..=504)
    }
}

impl std::fmt::Display for TokenRequestRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.error {
            Some(error) => write!(f, "{} ({error})", self.status),
            None => write!(f, "{} (no token in it)", self.status),
        }
    }
}
