//! Rules about access tokens and the credentials of an application.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use moot_fixtures::contract::{Operation, ProblemType, TokenNeed};
use moot_fixtures::journal::{AuthorizationScheme, FaultKind, RuleGroup, WireRecord};

use super::super::evidence::{ConductEvidence, REPEATED_MIN, grouped, of_calls, of_groups};
use super::super::journal::{JournalCall, is_form};
use super::super::world_journal::WorldJournal;
use crate::verdict::pluralize;

/// A token with fewer calls is not judged by its scope.
const SCOPE_CALLS_MIN: usize = 10;

/// Equal refused token requests that are allowed for each process.
pub(crate) const TOKEN_TRIES_MAX: usize = 3;

pub(super) fn no_token(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let refused = |call: &&JournalCall| {
        call.is_refused()
            && call.problem_type() == Some(ProblemType::InvalidToken)
            && !has_token_in_address(call)
    };
    let (mut without, wrong): (Vec<_>, Vec<_>) =
        world.calls.iter().filter(refused).partition(|call| call.request.authorization.is_none());
    // A first call without a token may be a health check.
    let asks_later = world.calls.iter().any(|call| call.did(Operation::CreateAccessToken));
    if asks_later
        && without.first().map(|call| call.serial) == world.calls.first().map(|it| it.serial)
    {
        without.remove(0);
    }
    if wrong.len() >= REPEATED_MIN {
        without.extend(wrong);
    }
    of_calls(without, "call", "without a valid access token")
}

fn has_token_in_address(call: &JournalCall) -> bool {
    let is_token = |(name, _): &(String, String)| name == "access_token";
    call.parameters().iter().any(|pair| is_token(pair) || pair.0 == "token")
        || call.form().iter().any(is_token)
        || call.request.parts.iter().any(|part| part.name == "access_token")
}

pub(super) fn token_in_address(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let calls = world.calls.iter();
    let calls =
        calls.filter(|call| call.request.authorization.is_none() && has_token_in_address(call));
    of_calls(calls, "call", "with the token in the query or a form")
}

pub(super) fn two_token_ways(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let calls = world.calls.iter().filter(|call| {
        let credentials = call.request.credentials;
        credentials > 1 || (credentials == 1 && has_token_in_address(call))
    });
    of_calls(calls, "call", "with a token in two ways")
}

pub(super) fn secret_in_address(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_secret = |(name, _): &(String, String)| name == "client_secret";
    let calls = world.calls.iter().filter(|call| call.parameters().iter().any(is_secret));
    of_calls(calls, "call", "with `client_secret` in the query")
}

fn token_calls(world: &WorldJournal) -> impl Iterator<Item = &JournalCall> {
    world.calls.iter().filter(|call| call.operation == Some(Operation::CreateAccessToken))
}

pub(super) fn two_client_ways(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let calls = token_calls(world).filter(|call| {
        call.request.scheme == Some(AuthorizationScheme::Basic)
            && call.form().iter().any(|(name, _)| name == "client_secret")
    });
    of_calls(calls, "call", "with the secret in HTTP Basic and in the form")
}

pub(super) fn token_call_form(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let shown = |call: &&JournalCall| {
        let request = &call.request;
        let is_other = request.length > 0 && !request.content_type.as_deref().is_some_and(is_form);
        !request.expects_refusal
            && (is_other || request.scheme == Some(AuthorizationScheme::Bearer))
    };
    let calls: Vec<_> = token_calls(world).filter(shown).collect();
    let Some(first) = calls.first() else { return Vec::new() };
    let seen = match (first.request.scheme, &first.request.content_type) {
        (Some(AuthorizationScheme::Bearer), _) => "a token request with a bearer token".to_owned(),
        (_, Some(content_type)) => format!("a token request as `{content_type}`"),
        (_, None) => "a token request without a content type".to_owned(),
    };
    vec![ConductEvidence::new(calls, seen)]
}

/// Each issued token: its request, and its fingerprint.
fn issued(world: &WorldJournal) -> impl Iterator<Item = (&JournalCall, &str)> {
    let tokens = token_calls(world).filter(|call| call.did(Operation::CreateAccessToken));
    tokens.filter_map(|call| Some((call, call.answer["access_token"].as_str()?)))
}

/// The accepted calls with each token, by its fingerprint.
pub(super) fn calls_by_token(world: &WorldJournal) -> BTreeMap<&str, Vec<&JournalCall>> {
    let accepted = world.calls.iter().filter(|call| call.application.is_some());
    grouped(accepted, |call| Some(call.request.authorization.as_deref().unwrap_or_default()))
}

pub(super) fn token_per_call(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let uses = calls_by_token(world);
    let mut fetched: BTreeMap<_, Vec<(&JournalCall, usize)>> = BTreeMap::new();
    for (call, token) in issued(world) {
        if !follows_bare_call(world, call) {
            let of_caller = fetched.entry((call.caller(), call.request.text.as_deref()));
            of_caller.or_default().push((call, uses.get(token).map_or(0, Vec::len)));
        }
    }
    let found = fetched.into_values().filter_map(|tokens| {
        let calls: usize = tokens.iter().map(|(_, calls)| calls).sum();
        let mut seen = format!("{} tokens for {}", tokens.len(), pluralize(calls, "call"));
        let at_once = tokens.iter().filter(|(call, calls)| {
            *calls <= 1 && tokens.iter().any(|(other, _)| are_at_once(call, other))
        });
        let at_once = at_once.count();
        if at_once >= REPEATED_MIN {
            let _ =
                write!(seen, "; {at_once} requested at the same time, each for one call or none");
        } else if tokens.len() < REPEATED_MIN || calls >= 2 * tokens.len() {
            return None;
        }
        Some(ConductEvidence::new(tokens.into_iter().map(|(call, _)| call).collect(), seen))
    });
    found.collect()
}

/// Whether two token requests began before either was answered.
fn are_at_once(one: &JournalCall, other: &JournalCall) -> bool {
    let (Some(wire), Some(other_wire)) = (one.wire, other.wire) else { return false };
    let began_within =
        |wire: WireRecord, of: WireRecord| of.ended_us.is_some_and(|ended| wire.began_us <= ended);
    one.serial != other.serial && began_within(wire, other_wire) && began_within(other_wire, wire)
}

/// Whether the client asked for a token because its last call had none. `no-token` judges that.
fn follows_bare_call(world: &WorldJournal, issue: &JournalCall) -> bool {
    let earlier = world.calls.iter().take_while(|call| call.serial < issue.serial);
    let last = earlier.filter(|call| call.caller() == issue.caller()).last();
    last.is_some_and(|call| call.status == 401 && call.request.authorization.is_none())
}

pub(super) fn dead_token(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut dead: BTreeMap<&str, Vec<&JournalCall>> = BTreeMap::new();
    for call in &world.calls {
        let token = call.request.authorization.as_deref().filter(|_| call.has_dead_token());
        let Some(token) = token.filter(|_| !was_renewed_before(world, call)) else { continue };
        let again = dead.entry(token).or_default();
        if again.first().is_none_or(|first| !call.was_in_flight(first)) {
            again.push(call);
        }
    }
    of_groups(dead.into_values(), |calls| {
        let count = calls.len();
        (count >= REPEATED_MIN).then(|| format!("{count} calls with an expired or revoked token"))
    })
}

/// Whether another task of the client had a new token already, with which this call was repeated at once. Then the call
/// waited with the old token.
fn was_renewed_before(world: &WorldJournal, call: &JournalCall) -> bool {
    let next = world.calls.iter().find(|next| {
        next.serial > call.serial
            && next.caller() == call.caller()
            && next.intent() == call.intent()
    });
    let Some(next) = next else { return false };
    let token = next.request.authorization.as_deref();
    token != call.request.authorization.as_deref()
        && issued(world).any(|(issue, new)| Some(new) == token && issue.serial < call.serial)
}

pub(super) fn token_endpoint_hammered(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let refused = token_calls(world).filter(|call| call.is_refused() && call.status != 429);
    let tries = grouped(refused, |call| {
        Some((call.caller(), call.intent(), call.request.authorization.as_deref()))
    });
    of_groups(tries.into_values(), |calls| {
        let problem = calls[0].problem.as_deref().unwrap_or("no problem");
        let count = calls.len();
        (count > TOKEN_TRIES_MAX)
            .then(|| format!("{count} equal token requests, all refused ({problem})"))
    })
}

pub(super) fn wide_scope(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let uses = calls_by_token(world);
    let (mut asked, mut calls, mut needs_write) = (Vec::new(), 0, false);
    for (call, token) in issued(world) {
        let scope = call.answer["scope"].as_str().unwrap_or_default();
        if !scope.split(' ').any(|scope| scope == "write") {
            continue;
        }
        let used = uses.get(token).map(Vec::as_slice).unwrap_or_default();
        let is_write = |call: &&JournalCall| {
            call.operation.is_some_and(|operation| operation.token() == TokenNeed::Write)
        };
        asked.push(call);
        calls += used.iter().filter(|call| call.status < 300).count();
        needs_write |= used.iter().any(is_write);
    }
    if needs_write || calls < SCOPE_CALLS_MIN {
        return Vec::new();
    }
    let seen = format!("scope `write`, and {calls} calls that need only `read`");
    vec![ConductEvidence::new(asked, seen)]
}

pub(super) fn forbidden_repeated(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    // A drill takes the scope away with a fault.
    let is_forbidden = |call: &&JournalCall| {
        let is_scope = call.refused_by == Some(RuleGroup::Scope) && call.faults.is_empty();
        let is_fault = call.status == 403 && call.faults == [FaultKind::Status];
        (is_scope || is_fault) && !call.request.expects_refusal
    };
    let refused = world.calls.iter().filter(is_forbidden);
    let refused = grouped(refused, |call| {
        Some((call.caller(), call.intent(), call.request.authorization.as_deref()))
    });
    of_groups(refused.into_values(), |calls| {
        let (name, count) = (calls[0].name(), calls.len());
        (count >= REPEATED_MIN)
            .then(|| format!("{name} {count} times with a token that lacks the scope"))
    })
}

pub(super) fn token_to_download(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut asked = BTreeSet::new();
    let mut unasked = Vec::new();
    let downloads =
        world.calls.iter().filter(|call| call.operation == Some(Operation::DownloadAgreement));
    for call in downloads {
        if call.status == 401 && call.request.authorization.is_none() {
            asked.insert(&call.path);
        } else if call.request.scheme == Some(AuthorizationScheme::Bearer)
            && !asked.contains(&call.path)
        {
            unasked.push(call);
        }
    }
    of_calls(unasked, "download", "with the token")
}
