//! Labels of access tokens. A label is the shell variable that reports and curl lines show instead of the token.

use std::fmt;

use moot_fixtures::contract::Scopes;

const PREFIX: &str = "MOOT_TOKEN_";

/// The label of a text that differs in one place from a token.
pub(crate) const NEAR_MISS_LABEL: &str = "MOOT_TOKEN_NEAR_MISS";

/// The label of a token of an application. Its text is `MOOT_TOKEN_READER`, or `MOOT_TOKEN_MAIN_READ` if the
/// application has more scopes than the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenLabel {
    /// The name of the application in the target file, in lower case.
    pub(crate) role: String,
    /// Empty if the token has all scopes of the application.
    pub(crate) scopes: Scopes,
}

impl TokenLabel {
    /// The label of a token with `scopes` of an application that has the scopes `own`.
    pub(crate) fn new(role: &str, scopes: Scopes, own: Scopes) -> Self {
        let scopes = if scopes == own { Scopes::default() } else { scopes };
        Self { role: role.to_ascii_lowercase(), scopes }
    }

    /// The label with this text. `None` for another secret, which `moot token` cannot print.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let label = text.strip_prefix(PREFIX).filter(|_| text != NEAR_MISS_LABEL);
        let (mut role, mut scopes) = (label?, Scopes::default());
        if let Some(rest) = role.strip_suffix("_WRITE") {
            (role, scopes.write) = (rest, true);
        }
        if let Some(rest) = role.strip_suffix("_READ") {
            (role, scopes.read) = (rest, true);
        }
        Some(Self { role: role.to_ascii_lowercase(), scopes })
    }
}

impl fmt::Display for TokenLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.role.to_ascii_uppercase())?;
        for scope in self.scopes.as_str().split_whitespace() {
            write!(f, "_{}", scope.to_ascii_uppercase())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use moot_fixtures::contract::Scopes;

    use super::{NEAR_MISS_LABEL, TokenLabel};

    #[test]
    fn a_label_is_read_as_it_is_written() {
        for (role, scopes, text) in [
            ("reader", Scopes::default(), "MOOT_TOKEN_READER"),
            ("other_company", Scopes::default(), "MOOT_TOKEN_OTHER_COMPANY"),
            ("main", Scopes::READ, "MOOT_TOKEN_MAIN_READ"),
            ("main", Scopes::WRITE, "MOOT_TOKEN_MAIN_WRITE"),
            ("main", Scopes::READ_WRITE, "MOOT_TOKEN_MAIN_READ_WRITE"),
        ] {
            let label = TokenLabel { role: role.to_owned(), scopes };
            assert_eq!(label.to_string(), text);
            assert_eq!(TokenLabel::parse(text), Some(label));
        }
    }

    #[test]
    fn a_token_with_all_scopes_of_its_application_has_no_scopes_in_its_label() {
        let all = TokenLabel::new("main", Scopes::READ_WRITE, Scopes::READ_WRITE);
        assert_eq!(all.to_string(), "MOOT_TOKEN_MAIN");
        let some = TokenLabel::new("main", Scopes::READ, Scopes::READ_WRITE);
        assert_eq!(some.to_string(), "MOOT_TOKEN_MAIN_READ");
    }

    #[test]
    fn other_secrets_have_no_token_label() {
        for text in ["MOOT_TOKEN", "MOOT_MAIN_SECRET", NEAR_MISS_LABEL] {
            assert_eq!(TokenLabel::parse(text), None, "{text}");
        }
    }
}
