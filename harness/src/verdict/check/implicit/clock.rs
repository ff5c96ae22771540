//! Is the creation time of a resource the time of its creation, and does it stay the same (§2, §2.8)?
//!
//! The time now is the `Date` of the response. If there is none, it is the time of this machine, and a time that differs
//! from it is a warning at most.

use std::collections::HashMap;

use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::AnsweredExchange;
use super::context::{CreationClock, FirstCreation};
use super::new_id::{self, DOCUMENT};
use crate::exchange::date_seconds;
use crate::verdict::check::{Judgement, MismatchKind, as_count};

pub(super) const VERIFIES: &[&str] = &[MADE_NOW, TELLS_TIMES_APART, STAYS, LOGGED_NOW];

const MADE_NOW: &str = "timestamps.made-now";
const TELLS_TIMES_APART: &str = "timestamps.tell-times-apart";
const STAYS: &str = "timestamps.stay";
const LOGGED_NOW: &str = "timestamps.logged-now";

/// The largest difference between two clocks of one service. Time zones differ by 15 minutes or more.
const SKEW_SECONDS_MAX: i64 = 300;
/// Two resources that are created this far apart have different times, to the second.
const APART_SECONDS_MIN: i64 = 3;
/// A timestamp may have the precision of a minute.
const MINUTE_SECONDS: i64 = 60;
/// The largest difference between a rounded time and a truncated one.
const ROUNDING_SECONDS_MAX: i64 = 1;

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    let Some(body) = answered.response.json.as_deref().filter(|_| answered.is_success()) else {
        return Vec::new();
    };
    match answered.operation() {
        Some(Operation::CreateAccessToken) => creation(
            answered,
            "",
            &body["access_token"],
            as_count(&body["created_at"]).and_then(|at| at.try_into().ok()),
        ),
        Some(Operation::CreateRepositoryDocument) => {
            let data = &body["data"];
            let at = seconds_of(&data["created_at"]);
            let mut findings = creation(answered, "/data", &data["id"], at);
            if !new_id::is_of_another(answered, DOCUMENT, &data["id"]) {
                findings.extend(stays(answered, [("/data".to_owned(), &data["id"], at)]));
            }
            findings
        }
        Some(Operation::CreateLegalRequest) => {
            if let Some(id) = body["data"]["id"].as_str() {
                let created =
                    CreationClock { at: now(answered), is_date: date(answered).is_some() };
                answered.context.legal_requests.or_remember(answered.base(), id, created);
            }
            Vec::new()
        }
        Some(Operation::GetRepositoryDocument | Operation::ListRepositoryDocuments) => {
            stays(answered, members(body)).into_iter().collect()
        }
        Some(Operation::GetLegalRequestActivity) => {
            stays(answered, members(body)).into_iter().chain(logged_now(answered, body)).collect()
        }
        _ => Vec::new(),
    }
}

/// The `Date` of the response in seconds since 1970.
fn date(answered: &AnsweredExchange<'_>) -> Option<i64> {
    date_seconds(&answered.header("date")?)
}

/// The `Date` of the response, or else the time of this machine, in seconds since 1970.
fn now(answered: &AnsweredExchange<'_>) -> i64 {
    date(answered).unwrap_or(answered.exchange.sent_at_seconds)
}

/// The members of a list, or the single resource: place, id, creation time.
fn members(body: &Value) -> impl Iterator<Item = (String, &Value, Option<i64>)> {
    let data = &body["data"];
    let listed = data.as_array().map(Vec::as_slice).unwrap_or_default();
    let single = data.is_object().then_some(("/data".to_owned(), data));
    let listed = listed.iter().enumerate().map(|(at, item)| (format!("/data/{at}"), item));
    listed.chain(single).map(|(place, item)| {
        let at = seconds_of(&item["attributes"]["created_at"]);
        (format!("{place}/attributes"), &item["id"], at)
    })
}

/// Judges the creation time of a resource that was just created.
fn creation(
    answered: &AnsweredExchange<'_>,
    place: &str,
    made: &Value,
    at: Option<i64>,
) -> Vec<(&'static str, Judgement)> {
    let (Some(made), Some(at)) = (made.as_str(), at) else { return Vec::new() };
    let place = format!("{place}/created_at");
    let mut findings = vec![made_now(answered, &place, at)];
    findings.extend(tells_times_apart(answered, &place, made, at));
    findings
}

fn made_now(answered: &AnsweredExchange<'_>, place: &str, at: i64) -> (&'static str, Judgement) {
    let now = now(answered);
    let judgement = if (now - SKEW_SECONDS_MAX..=latest(answered, now)).contains(&at) {
        Judgement::Holds
    } else {
        let message = match at > now && answered.context.has_movable_clock {
            true => {
                "the creation time is ahead of the time of the creation; if an earlier run moved the clock of the \
                     service, set it back"
            }
            false => "the creation time is not the time of the creation",
        };
        let expected = format!("{} within {SKEW_SECONDS_MAX} s", time_text(now));
        let fails = Judgement::fails(MismatchKind::TooFar, message, expected, time_text(at));
        let fails = fails.at(place);
        if date(answered).is_some() { fails } else { fails.tolerated() }
    };
    (MADE_NOW, judgement)
}

/// Two resources that were created one after the other have different times.
fn tells_times_apart(
    answered: &AnsweredExchange<'_>,
    place: &str,
    made: &str,
    at: i64,
) -> Option<(&'static str, Judgement)> {
    let sent_at = answered.exchange.sent_at_seconds;
    let date = date(answered);
    // An operator may have stopped the clock of the service, which only `Date` would show.
    if date.is_none() && answered.context.has_movable_clock {
        return None;
    }
    let ended_at = answered.ended_at();
    let key = format!("{} {at}", answered.operation()?.as_str());
    let first = FirstCreation { made: made.to_owned(), date, answered_at: ended_at };
    let first = answered.context.creations.or_remember(answered.base(), &key, first);
    // By the clock of the service, the request began after the first resource existed.
    let is_to_the_minute = at % MINUTE_SECONDS == 0;
    let apart = APART_SECONDS_MIN + if is_to_the_minute { MINUTE_SECONDS } else { 0 };
    let by_own_clock = sent_at - first.answered_at;
    let dates = date.zip(first.date);
    let by_date = dates.map_or(by_own_clock, |(date, first)| date - (ended_at - sent_at) - first);
    // A busy server may send the `Date` of some seconds ago. If the difference is larger, its clock was moved.
    let is_sure = by_own_clock >= apart || by_date > SKEW_SECONDS_MAX;
    let is_later = by_date >= apart && is_sure;
    let judgement = if first.made == made || !is_later {
        Judgement::Holds
    } else {
        let message = "resources that were created at different times have the same creation time";
        let expected = format!("a time after {}", time_text(at));
        Judgement::fails(MismatchKind::Duplicate, message, expected, time_text(at)).at(place)
    };
    Some((TELLS_TIMES_APART, judgement))
}

/// Each resource has the creation time that it had before.
fn stays<'a>(
    answered: &AnsweredExchange<'_>,
    members: impl IntoIterator<Item = (String, &'a Value, Option<i64>)>,
) -> Option<(&'static str, Judgement)> {
    let kind = match answered.operation() {
        Some(Operation::GetLegalRequestActivity) => answered.path(),
        _ => "document",
    };
    let members: Vec<_> = members
        .into_iter()
        .filter_map(|(place, id, at)| Some((place, id.as_str()?, at?)))
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, id, _) in &members {
        *counts.entry(id).or_default() += 1;
    }
    let mut judgement = None;
    // Entries that share an id are judged by `activity.entry-id-unique`, documents by the checks of their list.
    for (place, id, at) in members.iter().filter(|(_, id, _)| counts[id] == 1) {
        let key = format!("{kind} {id}");
        let first = answered.context.creation_times.or_remember(answered.base(), &key, *at);
        if (first - at).abs() <= ROUNDING_SECONDS_MAX {
            judgement.get_or_insert(Judgement::Holds);
            continue;
        }
        let message = format!("the creation time of {id} is not the one it had before");
        let (expected, actual) = (time_text(first), time_text(*at));
        let fails = Judgement::fails(MismatchKind::Value, message, expected, actual);
        judgement = Some(fails.at(format!("{place}/created_at")));
        break;
    }
    judgement.map(|judgement| (STAYS, judgement))
}

/// The times in the log of a legal request of this run are between its creation and now.
fn logged_now(answered: &AnsweredExchange<'_>, body: &Value) -> Option<(&'static str, Judgement)> {
    let id = answered.path().rsplit('/').nth(1)?;
    let created = answered.context.legal_requests.get(answered.base(), id)?;
    let now = now(answered);
    let times: Vec<_> = members(body).filter_map(|(place, _, at)| Some((place, at?))).collect();
    if times.is_empty() {
        return None;
    }
    let is_right = |at: i64| (created.at - SKEW_SECONDS_MAX..=latest(answered, now)).contains(&at);
    let judgement = match times.into_iter().find(|(_, at)| !is_right(*at)) {
        None => Judgement::Holds,
        Some((place, at)) => {
            let message = "the entry's time is not between the creation of the request and now";
            let expected = format!("{} to {}", time_text(created.at), time_text(now));
            let fails = Judgement::fails(MismatchKind::TooFar, message, expected, time_text(at));
            let fails = fails.at(format!("{place}/created_at"));
            let has_dates = created.is_date && date(answered).is_some();
            if has_dates { fails } else { fails.tolerated() }
        }
    };
    Some((LOGGED_NOW, judgement))
}

/// The latest time that the clock of the service may show. An operator may have moved it forward.
fn latest(answered: &AnsweredExchange<'_>, now: i64) -> i64 {
    now.saturating_add(answered.context.moved_seconds()).saturating_add(SKEW_SECONDS_MAX)
}

/// A timestamp in seconds since 1970. `None` if it is not a timestamp.
fn seconds_of(value: &Value) -> Option<i64> {
    value.as_str()?.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second)
}

fn time_text(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |at| at.to_string())
}
