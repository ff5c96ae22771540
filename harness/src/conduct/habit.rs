//! Bad habits of clients, which cause trouble on a real deployment.
//!
//! A test that provokes an error once has no habit. So habits of repetition need [`REPEATED_MIN`] calls.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::{Operation, TOKEN_LIFETIME_SECONDS};
use serde::Serialize;
use strum::{EnumIter, IntoEnumIterator as _, IntoStaticStr};

use super::journal::{JournalCall, WorldJournal};
use crate::terminal::counted;

/// This many calls make a habit.
const REPEATED_MIN: usize = 3;

/// A bad habit. Its name is in kebab case: `token-per-call`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, EnumIter, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Habit {
    /// Calls without a token, or with an invalid one.
    NoToken,
    /// Most tokens are used for one call only.
    TokenPerCall,
    /// An expired or revoked token is sent repeatedly.
    DeadToken,
    /// A call before the time that `Retry-After` named.
    ImpatientRetry,
    /// Only the first of several pages is read.
    FirstPageOnly,
    /// The same refused call is sent repeatedly.
    RefusedRepeated,
    /// A creation whose answer was lost is sent again, without checking whether it was done.
    BlindRepeat,
    /// A request is created before any schema is read.
    SchemaUnread,
}

/// A habit that a client showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HabitFinding {
    /// The habit.
    pub habit: Habit,
    /// The number of calls that show it.
    pub times: usize,
    /// Number of the first of them.
    pub first_call: u64,
    /// The sandbox of the first call; `None` is the main world.
    pub sandbox: Option<String>,
    /// The number of worlds that show it in the same way.
    pub worlds: usize,
    /// What the client did.
    pub seen: String,
    /// What to do instead.
    pub instead: String,
    /// The clause that it is about.
    pub section: &'static str,
}

impl Habit {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The clause that it is about.
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

    fn found(self, calls: &[JournalCall]) -> Vec<HabitFinding> {
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
        shown_by: &[&JournalCall],
        seen: String,
        instead: impl Into<String>,
    ) -> Option<HabitFinding> {
        let first = shown_by.first()?;
        Some(HabitFinding {
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

/// The habits in all worlds. The same habit in several worlds is reported once.
pub(super) fn find(worlds: &[WorldJournal]) -> Vec<HabitFinding> {
    let mut all: Vec<HabitFinding> = Vec::new();
    for habit in Habit::iter() {
        for world in worlds {
            for found in habit.found(&world.calls) {
                let same = all.iter_mut().find(|one| one.habit == habit && one.seen == found.seen);
                match same {
                    Some(one) => {
                        one.times += found.times;
                        one.worlds += 1;
                    }
                    None => all.push(HabitFinding { sandbox: world.sandbox.clone(), ..found }),
                }
            }
        }
    }
    all
}

fn one(finding: Option<HabitFinding>) -> Vec<HabitFinding> {
    finding.into_iter().collect()
}

fn no_token(calls: &[JournalCall]) -> Option<HabitFinding> {
    let without: Vec<&JournalCall> = calls
        .iter()
        .filter(|call| call.status == 401 && call.problem.as_deref() == Some("invalid_token"))
        .collect();
    let seen = format!("{} without a valid access token", counted(without.len(), "call"));
    let instead = "send `Authorization: Bearer <ACCESS_TOKEN>` with every call but the one that \
                   asks for the token";
    Habit::NoToken.finding(&without, seen, instead)
}

fn token_per_call(calls: &[JournalCall]) -> Option<HabitFinding> {
    let issued: Vec<&JournalCall> =
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

fn dead_token(calls: &[JournalCall]) -> Option<HabitFinding> {
    let is_dead = |call: &JournalCall| {
        matches!(call.problem.as_deref(), Some("token_expired" | "token_revoked"))
    };
    let mut longest: Vec<&JournalCall> = Vec::new();
    let mut run: Vec<&JournalCall> = Vec::new();
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

/// Waiting is measured by the clock of the world, as for `Retry-After`. Without that header, a call that is
/// refused again is impatient.
fn impatient_retry(calls: &[JournalCall]) -> Option<HabitFinding> {
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
    // One more call may have been sent already.
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

fn first_page_only(calls: &[JournalCall]) -> Vec<HabitFinding> {
    let mut lists: BTreeMap<Operation, Vec<&JournalCall>> = BTreeMap::new();
    for call in calls {
        if let (Some(operation), Some(_)) = (call.operation, call.response.page) {
            lists.entry(operation).or_default().push(call);
        }
    }
    let is_first = |call: &&JournalCall| call.response.page == Some(1);
    let finding = |(operation, read): (Operation, Vec<&JournalCall>)| {
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

fn refused_repeated(calls: &[JournalCall]) -> Vec<HabitFinding> {
    let mut refused: BTreeMap<_, Vec<&JournalCall>> = BTreeMap::new();
    for call in calls {
        // Tokens and rate limits have habits of their own.
        let is_of_others = matches!(call.decision.as_str(), "served" | "limit" | "token");
        if (400..500).contains(&call.status) && !is_of_others && call.fault.is_none() {
            let key = (&call.method, &call.path, call.status, &call.detail);
            refused.entry(key).or_default().push(call);
        }
    }
    let mut found: Vec<HabitFinding> = refused
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

fn blind_repeat(calls: &[JournalCall]) -> Option<HabitFinding> {
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

fn schema_unread(calls: &[JournalCall]) -> Option<HabitFinding> {
    let until = calls.iter().position(|call| call.did(Operation::GetWorkflowSchema));
    let before = &calls[..until.unwrap_or(calls.len())];
    let created: Vec<&JournalCall> = before
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
