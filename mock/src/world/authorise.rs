//! Authentication and authorisation by bearer token (§5, RFC 6750).

use http::HeaderMap;
use http::header::AUTHORIZATION;
use jiff::Timestamp;
use moot_fixtures::contract::{Answers, Operation, ReadScope, Scope, TokenNeed};

use crate::value::message::call::Principal;
use crate::value::message::problem::Problem;
use crate::value::token::Grant;
use crate::world::World;

const SCHEME: &str = "Bearer";

/// The token that `operation` needs. For a download it depends on the answer `agreement_download`.
pub(crate) fn need(operation: Operation, answers: &Answers) -> TokenNeed {
    match operation {
        Operation::DownloadAgreement if answers.agreement_download.token => TokenNeed::Read,
        _ => operation.token(),
    }
}

/// The caller of a token that is valid now.
///
/// # Errors
/// 401: missing, invalid, expired or revoked.
pub(crate) fn authenticate(
    world: &World,
    now: Timestamp,
    headers: &HeaderMap,
) -> Result<Principal, Problem> {
    let grant = world
        .sealer
        .open(bearer_token(headers)?)
        .ok_or_else(|| Problem::token_invalid("The access token is none of this service."))?;
    check_life(world, now, &grant)?;
    let application = world
        .seed_data()
        .application(grant.application)
        .filter(|_| world.seed_data().has_application(grant.application))
        .ok_or_else(|| Problem::token_invalid("The application of this token does not exist."))?;
    Ok(Principal {
        application: grant.application,
        company: application.company,
        scopes: grant.scopes,
    })
}

/// Checks that the token has the scope that the operation needs.
///
/// # Errors
/// 403 `insufficient_scope`.
pub(crate) fn authorise(
    need: TokenNeed,
    principal: &Principal,
    answers: &Answers,
) -> Result<(), Problem> {
    let needed = match (need, answers.read_scope) {
        (TokenNeed::None, _) | (TokenNeed::Read, ReadScope::Any) => return Ok(()),
        (TokenNeed::Read, ReadScope::Read) => Scope::Read,
        (TokenNeed::Write, _) => Scope::Write,
    };
    if principal.scopes.contains(needed) {
        Ok(())
    } else {
        Err(Problem::insufficient_scope(needed))
    }
}

/// Expiry is checked before revocation, so a token that is both is reported as expired.
fn check_life(world: &World, now: Timestamp, grant: &Grant) -> Result<(), Problem> {
    let marks = &world.state().token_marks;
    if grant.is_expired(now) || marks.is_expired(grant.serial) {
        return Err(Problem::token_expired());
    }
    if marks.is_revoked(grant) {
        return Err(Problem::token_revoked());
    }
    Ok(())
}

fn bearer_token(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Err(Problem::token_missing()),
        (Some(value), None) => value,
        (Some(_), Some(_)) => {
            return Err(Problem::token_invalid("More than one `Authorization` header was sent."));
        }
    };
    let malformed =
        || Problem::token_invalid("The `Authorization` header must be `Bearer <ACCESS_TOKEN>`.");
    let text = value.to_str().map_err(|_| malformed())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(malformed)?;
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return Err(malformed());
    }
    Ok(token.trim_matches(' '))
}
