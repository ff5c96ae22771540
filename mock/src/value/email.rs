//! Syntax of e-mail addresses (§4.5), and reserved addresses that decide on the end of a request.

use moot_fixtures::contract::LegalRequestStatus;

use crate::value::limits::EMAIL_LENGTH_MAX;

const LOCAL_LENGTH_MAX: usize = 64;
/// The top-level domain for tests (RFC 2606).
const TEST: &str = ".test";

/// Whether this is an address of the form `local@domain.name`. Comments, quotes and literals are not
/// accepted.
pub(crate) fn is_well_formed(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= EMAIL_LENGTH_MAX
        && (1..=LOCAL_LENGTH_MAX).contains(&local.len())
        && local.split('.').all(is_atom)
        && domain.contains('.')
        && domain.split('.').all(is_label)
}

fn is_atom(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| {
            letter.is_ascii_alphanumeric()
                || "!#$%&'*+-/=?^_`{|}~".contains(letter)
                || (!letter.is_ascii() && letter.is_alphanumeric())
        })
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
}

/// The status to which a reserved counterparty brings a request, without the control plane: `sign@….test` signs it,
/// `decline@….test` declines it, and `expire@….test` lets it expire. `None` for other addresses.
pub(crate) fn reserved_goal(email: &str) -> Option<LegalRequestStatus> {
    let (local, domain) = email.rsplit_once('@')?;
    if !domain.to_ascii_lowercase().ends_with(TEST) {
        return None;
    }
    match local.to_ascii_lowercase().as_str() {
        "sign" => Some(LegalRequestStatus::Archived),
        "decline" => Some(LegalRequestStatus::Declined),
        "expire" => Some(LegalRequestStatus::Expired),
        _ => None,
    }
}
