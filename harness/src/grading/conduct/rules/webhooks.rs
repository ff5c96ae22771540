//! Rules about the receiver of webhooks, judged by its responses to deliveries.

use moot_fixtures::contract::Operation;
use moot_fixtures::journal::DeliveryState;

use super::super::evidence::{ConductEvidence, REPEATED_MIN, of_calls};
use super::super::journal::{JournalAttempt, JournalCall, JournalDelivery};
use super::super::world_journal::WorldJournal;
use crate::verdict::pluralize;

/// The longest acceptable time until a receiver responds.
const RESPONSE_MILLISECONDS_MAX: u64 = 10_000;

/// Evidence of the deliveries that `is_shown` selects, with the calls that queued them.
pub(super) fn of_deliveries<'j>(
    world: &'j WorldJournal,
    is_shown: impl Fn(&JournalDelivery) -> bool,
    what: &str,
) -> Vec<ConductEvidence<'j>> {
    let shown: Vec<_> = world.deliveries.iter().filter(|delivery| is_shown(delivery)).collect();
    if shown.is_empty() {
        return Vec::new();
    }
    let is_queued_by =
        |call: &&JournalCall| shown.iter().any(|it| call.deliveries.contains(&it.id));
    let calls = world.calls.iter().filter(is_queued_by).collect();
    let seen = format!("{} {what}", pluralize(shown.len(), "event"));
    vec![ConductEvidence { calls, times: Some(shown.len()), seen }]
}

fn any_attempt(delivery: &JournalDelivery, is: impl Fn(&JournalAttempt) -> bool) -> bool {
    delivery.attempts.iter().any(is)
}

pub(super) fn hook_slow(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_slow = |attempt: &JournalAttempt| {
        attempt.milliseconds.is_some_and(|lasted| lasted > RESPONSE_MILLISECONDS_MAX)
    };
    let what = format!("answered after more than {} s", RESPONSE_MILLISECONDS_MAX / 1_000);
    of_deliveries(world, |delivery| any_attempt(delivery, is_slow), &what)
}

pub(super) fn hook_refuses(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    // A receiver that accepts nothing. A run is mostly shorter than the time until the mock gives up.
    let deliveries = || world.deliveries.iter().filter(|delivery| !delivery.is_forged);
    let is_2xx = |attempt: &JournalAttempt| attempt.status.is_some_and(|it| it / 100 == 2);
    let is_5xx = |attempt: &JournalAttempt| attempt.status.is_some_and(|it| it >= 500);
    let accepts_nothing = !deliveries().any(|delivery| any_attempt(delivery, is_2xx))
        && deliveries().flat_map(|it| &it.attempts).filter(|it| is_5xx(it)).count() >= REPEATED_MIN;
    let refusal = |delivery: &JournalDelivery| {
        if delivery.is_forged {
            return None;
        }
        let statuses = || delivery.attempts.iter().map(|attempt| attempt.status);
        let is_4xx = |status: &u16| (400..500).contains(status);
        // Another status is a refusal if no later attempt got a 2xx.
        let last = || statuses().next_back().flatten().filter(|it| !(300..400).contains(it));
        statuses().flatten().find(is_4xx).or_else(|| {
            last().filter(|_| accepts_nothing || delivery.state == DeliveryState::Failed)
        })
    };
    let Some(status) = world.deliveries.iter().find_map(refusal) else { return Vec::new() };
    let what = format!("refused by the receiver, which answered {status}");
    of_deliveries(world, |delivery| refusal(delivery).is_some(), &what)
}

pub(super) fn hook_redirects(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_redirect = |attempt: &JournalAttempt| {
        attempt.status.is_some_and(|status| (300..400).contains(&status))
    };
    of_deliveries(world, |delivery| any_attempt(delivery, is_redirect), "answered with a redirect")
}

pub(super) fn hook_open(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let open = world.calls.iter().filter(|call| {
        call.did(Operation::CreateWebhook)
            && call.answer["data"]["attributes"]["auth_type"] == "none"
    });
    of_calls(open, "webhook", "without a credential")
}
