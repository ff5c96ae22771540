//! What a client should not do, since it ends badly on a real deployment.
//!
//! One row a habit. A test that provokes an error once is no habit: where only the repetition tells,
//! [`REPEATED_MIN`] calls have to show it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::{Operation, TOKEN_LIFETIME_SECONDS};
use serde::{Serialize, Serializer};

use super::call::{Call, World};

/// From here on it is no accident.
const REPEATED_MIN: usize = 3;

/// A habit. Text form: kebab case, `token-per-call`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Habit {
    /// Calls without a token, or with one that is none.
    NoToken,
    /// Hardly a token is used for more than one call.
    TokenPerCall,
    /// A token that has expired or was revoked is sent again and again.
    DeadToken,
    /// Called again before the time that `Retry-After` named.
    ImpatientRetry,
    /// Of a list of several pages only the first was ever read.
    FirstPageOnly,
    /// The same refused call is sent again and again.
    RefusedRepeated,
    /// A creation whose answer was lost is sent again, without a look at whether it was done.
    BlindRepeat,
    /// A request was created, and no schema was read before.
    SchemaUnread,
}

/// A habit that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which.
    pub habit: Habit,
    /// How many calls show it.
    pub times: usize,
    /// Number of the first of them.
    pub first_call: u64,
    /// The sandbox where that was; `None` is the main world.
    pub sandbox: Option<String>,
    /// In how many worlds it was seen, just so.
    pub worlds: usize,
    /// What was seen.
    pub seen: String,
    /// What to do instead.
    pub instead: String,
    /// The clause that it rests on.
    pub section: &'static str,
}

impl Habit {
    /// Every habit, in the order told.
    pub const ALL: [Self; 8] = [
        Self::NoToken,
        Self::TokenPerCall,
        Self::DeadToken,
        Self::ImpatientRetry,
        Self::FirstPageOnly,
        Self::RefusedRepeated,
        Self::BlindRepeat,
        Self::SchemaUnread,
    ];

    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoToken => "no-token",
            Self::TokenPerCall => "token-per-call",
            Self::DeadToken => "dead-token",
            Self::ImpatientRetry => "impatient-retry",
            Self::FirstPageOnly => "first-page-only",
            Self::RefusedRepeated => "refused-repeated",
            Self::BlindRepeat => "blind-repeat",
            Self::SchemaUnread => "schema-unread",
        }
    }

    /// The clause that it rests on.
    pub const fn section(self) -> &'static str {
        match self {
            Self::NoToken => "5.2",
            Self::TokenPerCall | Self::DeadToken => "5.3",
            Self::ImpatientRetry => "8",
            Self::FirstPageOnly => "2.7",
            Self::RefusedRepeated => "7",
            Self::BlindRepeat => "4.5",
            Self::SchemaUnread => "4.4",
        }
    }

    fn found(self, calls: &[Call]) -> Vec<Finding> {
        match self {
            Self::NoToken => one(no_token(calls)),
            Self::TokenPerCall => one(token_per_call(calls)),
            Self::DeadToken => one(dead_token(calls)),
            Self::ImpatientRetry => one(impatient_retry(calls)),
            Self::FirstPageOnly => first_page_only(calls),
            Self::RefusedRepeated => refused_repeated(calls),
            Self::BlindRepeat => one(blind_repeat(calls)),
            Self::SchemaUnread => one(schema_unread(calls)),
        }
    }

    fn finding(
        self,
        shown_by: &[&Call],
        seen: String,
        instead: impl Into<String>,
    ) -> Option<Finding> {
        let first = shown_by.first()?;
        Some(Finding {
            habit: self,
            times: shown_by.len(),
            first_call: first.serial,
            sandbox: None,
            worlds: 1,
            seen,
            instead: instead.into(),
            section: self.section(),
        })
    }
}

impl Serialize for Habit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// All that is found in each of these worlds; what is the same in several is told once.
pub(super) fn find(worlds: &[World]) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for habit in Habit::ALL {
        for world in worlds {
            for found in habit.found(&world.calls) {
                let same = all.iter_mut().find(|one| one.habit == habit && one.seen == found.seen);
                match same {
                    Some(one) => {
                        one.times += found.times;
                        one.worlds += 1;
                    }
                    None => all.push(Finding { sandbox: world.sandbox.clone(), ..found }),
                }
            }
        }
    }
    all
}

fn one(finding: Option<Finding>) -> Vec<Finding> {
    finding.into_iter().collect()
}

fn no_token(calls: &[Call]) -> Option<Finding> {
    let without: Vec<&Call> = calls
        .iter()
        .filter(|call| call.status == 401 && call.problem.as_deref() == Some("invalid_token"))
        .collect();
    let seen = format!("{} without a valid access token", counted(without.len(), "call"));
    let instead = "send `Authorization: Bearer <ACCESS_TOKEN>` with every call but the one that \
                   asks for the token";
    Habit::NoToken.finding(&without, seen, instead)
}

fn token_per_call(calls: &[Call]) -> Option<Finding> {
    let issued: Vec<&Call> =
        calls.iter().filter(|call| call.did(Operation::CreateAccessToken)).collect();
    let served = calls.iter().filter(|call| call.application.is_some()).count();
    if issued.len() < REPEATED_MIN || served >= 2 * issued.len() {
        return None;
    }
    let seen = format!("{} tokens for {}", issued.len(), counted(served, "call"));
    let instead = format!(
        "keep a token: it works for {TOKEN_LIFETIME_SECONDS} s; get the next one shortly \
         before `expires_in` is over, or on a 401 `token_expired`"
    );
    Habit::TokenPerCall.finding(&issued, seen, instead)
}

fn dead_token(calls: &[Call]) -> Option<Finding> {
    let is_dead =
        |call: &Call| matches!(call.problem.as_deref(), Some("token_expired" | "token_revoked"));
    let mut longest: Vec<&Call> = Vec::new();
    let mut run: Vec<&Call> = Vec::new();
    for call in calls {
        if is_dead(call) {
            run.push(call);
        } else if call.did(Operation::CreateAccessToken) {
            run.clear();
        }
        if run.len() > longest.len() {
            longest.clone_from(&run);
        }
    }
    if longest.len() < REPEATED_MIN {
        return None;
    }
    let seen = format!("{} calls with a token that was over, and no new one", longest.len());
    let instead = "on a 401 `token_expired` or `token_revoked` get a new token, then repeat the \
                   call once";
    Habit::DeadToken.finding(&longest, seen, instead)
}

/// Waiting is by the clock of the world, as `Retry-After` is. Where none was told, it is impatient to
/// call again and be refused again.
fn impatient_retry(calls: &[Call]) -> Option<Finding> {
    let mut waits: BTreeMap<IpAddr, Option<Timestamp>> = BTreeMap::new();
    let (mut again, mut is_told) = (Vec::new(), false);
    for call in calls {
        let is_limited = call.decision == "limit";
        let is_early = waits.get(&call.client).is_some_and(|until| match until {
            Some(until) => call.at < *until,
            None => is_limited,
        });
        if is_early {
            again.push(call);
            is_told |= matches!(waits.get(&call.client), Some(Some(_)));
        }
        let seconds = call.response.retry_after_seconds;
        if is_limited || (seconds.is_some() && call.fault.is_some()) {
            let until = seconds.map(|seconds| {
                let wait = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
                call.at.saturating_add(wait).unwrap_or(Timestamp::MAX)
            });
            waits.insert(call.client, until);
        } else if !is_early {
            waits.remove(&call.client);
        }
    }
    // One more may have been under way already.
    if again.len() + 1 < REPEATED_MIN {
        return None;
    }
    let when = if is_told {
        "before the time that `Retry-After` named"
    } else {
        "right after one beyond the rate limit"
    };
    let seen = format!("{} more calls {when}", again.len());
    let instead = "send nothing for as many seconds as the header `Retry-After` says, then the \
                   same call again";
    Habit::ImpatientRetry.finding(&again, seen, instead)
}

fn first_page_only(calls: &[Call]) -> Vec<Finding> {
    let mut lists: BTreeMap<Operation, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        if let (Some(operation), Some(_)) = (call.operation, call.response.page) {
            lists.entry(operation).or_default().push(call);
        }
    }
    let is_first = |call: &&Call| call.response.page == Some(1);
    let finding = |(operation, read): (Operation, Vec<&Call>)| {
        let pages = read.iter().filter_map(|call| call.response.pages).max()?;
        if pages < 2 || !read.iter().all(is_first) {
            return None;
        }
        let seen = format!("{}: page 1 of {pages}, and no other", operation.as_str());
        let instead = "go on with `page=2` until `current_page` is `total_pages`";
        Habit::FirstPageOnly.finding(&read, seen, instead)
    };
    lists.into_iter().filter_map(finding).collect()
}

fn refused_repeated(calls: &[Call]) -> Vec<Finding> {
    let mut refused: BTreeMap<_, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        // Tokens and the limit have habits of their own.
        let is_of_others = matches!(call.decision.as_str(), "served" | "limit" | "token");
        if (400..500).contains(&call.status) && !is_of_others && call.fault.is_none() {
            let key = (&call.method, &call.path, call.status, &call.detail);
            refused.entry(key).or_default().push(call);
        }
    }
    let mut found: Vec<Finding> = refused
        .into_values()
        .filter(|repeated| repeated.len() >= REPEATED_MIN)
        .filter_map(|repeated| {
            let first = repeated.first()?;
            let seen = format!(
                "{} {} refused {} times for the same reason ({})",
                first.method,
                first.path,
                repeated.len(),
                first.status
            );
            let instead =
                "read `detail`: what it names has to change before the call is sent again";
            Habit::RefusedRepeated.finding(&repeated, seen, instead)
        })
        .collect();
    found.sort_by_key(|finding| finding.first_call);
    found
}

fn blind_repeat(calls: &[Call]) -> Option<Finding> {
    let mut is_lost = false;
    let mut blind = Vec::new();
    for call in calls {
        match call.operation {
            Some(Operation::CreateLegalRequest) => {
                if is_lost {
                    blind.push(call);
                }
                is_lost = call.status >= 500 || call.fault.is_some();
            }
            Some(Operation::ListLegalRequests) => is_lost = false,
            Some(_) | None => {}
        }
    }
    let seen =
        format!("{} right after one whose answer was lost", counted(blind.len(), "creation"));
    let instead = "list the requests first: a creation may have been done although its answer was \
                   lost, and then the next one makes a second";
    Habit::BlindRepeat.finding(&blind, seen, instead)
}

fn schema_unread(calls: &[Call]) -> Option<Finding> {
    let until = calls.iter().position(|call| call.did(Operation::GetWorkflowSchema));
    let before = &calls[..until.unwrap_or(calls.len())];
    let created: Vec<&Call> = before
        .iter()
        .filter(|call| {
            call.operation == Some(Operation::CreateLegalRequest) && call.application.is_some()
        })
        .collect();
    let seen =
        format!("{} before any workflow schema was read", counted(created.len(), "creation"));
    let instead = "get the workflow's schema first: it names the required fields, the variables \
                   and the signers to choose from";
    Habit::SchemaUnread.finding(&created, seen, instead)
}

fn counted(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}
