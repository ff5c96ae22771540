//! The rules of conduct: one function for each rule, in a file for each theme.

mod drill_rules;
mod lists;
mod requests;
mod responses;
mod retries;
mod tokens;
mod transport;
mod webhooks;

use moot_fixtures::conduct;
use moot_fixtures::contract::ConductRule;

use super::evidence::ConductEvidence;
use super::finding::ConductFinding;
use super::world_journal::WorldJournal;

pub(crate) use tokens::TOKEN_TRIES_MAX;

/// The ids of rules that the judge of drills treats differently from others.
pub(crate) const ASSUMES_25: &str = "assumes-25";
pub(crate) const FIRST_PAGE_ONLY: &str = "first-page-only";
pub(crate) const NO_TIMEOUT: &str = "no-timeout";
pub(crate) const TOKEN_ENDPOINT_HAMMERED: &str = "token-endpoint-hammered";

/// Finds violations of a rule in the journal of one world.
type RuleFunction = fn(&WorldJournal) -> Vec<ConductEvidence<'_>>;

/// The function of each rule with `seen: traffic`, in the order of the register.
const RULES: [(&str, RuleFunction); 40] = [
    ("no-token", tokens::no_token),
    ("token-in-address", tokens::token_in_address),
    ("two-token-ways", tokens::two_token_ways),
    ("secret-in-address", tokens::secret_in_address),
    ("two-client-ways", tokens::two_client_ways),
    ("token-call-form", tokens::token_call_form),
    ("token-per-call", tokens::token_per_call),
    ("dead-token", tokens::dead_token),
    (TOKEN_ENDPOINT_HAMMERED, tokens::token_endpoint_hammered),
    ("wide-scope", tokens::wide_scope),
    ("forbidden-repeated", tokens::forbidden_repeated),
    ("token-to-download", tokens::token_to_download),
    ("impatient-retry", retries::impatient_retry),
    ("no-back-off", retries::no_back_off),
    ("retry-storm", retries::retry_storm),
    ("refused-repeated", retries::refused_repeated),
    ("blind-repeat", retries::blind_repeat),
    ("creation-repeated", retries::creation_repeated),
    ("emptied-repeat", retries::emptied_repeat),
    ("trusts-idempotency-key", retries::trusts_idempotency_key),
    ("over-the-limit", retries::over_the_limit),
    ("reads-id-shape", responses::reads_id_shape),
    ("unknown-address", responses::unknown_address),
    ("unknown-parameter", responses::unknown_parameter),
    (FIRST_PAGE_ONLY, lists::first_page_only),
    ("past-the-end", lists::past_the_end),
    ("polls-fast", lists::polls_fast),
    ("polls-the-dead", lists::polls_the_dead),
    ("schema-unread", requests::schema_unread),
    ("field-not-listed", requests::field_not_listed),
    ("unknown-field", requests::unknown_field),
    ("signer-not-offered", requests::signer_not_offered),
    ("unpublished-used", requests::unpublished_used),
    ("bad-json-field", requests::bad_json_field),
    ("connection-per-call", transport::connection_per_call),
    ("nameless", transport::nameless),
    ("hook-slow", webhooks::hook_slow),
    ("hook-refuses", webhooks::hook_refuses),
    ("hook-redirects", webhooks::hook_redirects),
    ("hook-open", webhooks::hook_open),
];

/// The functions of rules with `seen: drill`, in the order of the register. Other such rules have no function: a drill
/// judges them by the end of the command.
const DISTURBED: [(&str, RuleFunction); 6] = [
    ("renewal-stampede", drill_rules::renewal_stampede),
    (NO_TIMEOUT, drill_rules::no_timeout),
    ("too-short-timeout", drill_rules::too_short_timeout),
    (ASSUMES_25, drill_rules::assumes_25),
    ("stale-schema", drill_rules::stale_schema),
    ("hook-unknown-event", drill_rules::hook_unknown_event),
];

/// The ids of the rules that [`findings`] judges.
pub fn judged_rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(id, _)| *id)
}

/// Violations of the rules for any traffic, in the order of the register. Equal violations in several worlds are one
/// finding.
pub fn findings(worlds: &[WorldJournal]) -> Vec<ConductFinding> {
    judged(&RULES, worlds)
}

/// As [`findings`], by the rules that only a drill can judge.
pub fn disturbed_findings(worlds: &[WorldJournal]) -> Vec<ConductFinding> {
    judged(&DISTURBED, worlds)
}

fn judged(rules: &[(&str, RuleFunction)], worlds: &[WorldJournal]) -> Vec<ConductFinding> {
    let mut all: Vec<ConductFinding> = Vec::new();
    for (id, function) in rules {
        let Some(rule) = conduct::get(id) else { continue };
        for world in worlds {
            for found in of_world(rule, function, world) {
                match all.iter_mut().find(|one| one.rule == *id && one.seen == found.seen) {
                    Some(one) => {
                        one.times += found.times;
                        one.worlds += 1;
                    }
                    None => all.push(found),
                }
            }
        }
    }
    all
}

/// The violations of a rule in one world. Evidence with the same text is one finding.
fn of_world(
    rule: &ConductRule,
    function: &RuleFunction,
    world: &WorldJournal,
) -> Vec<ConductFinding> {
    let mut joined: Vec<ConductEvidence<'_>> = Vec::new();
    for evidence in function(world) {
        match joined.iter_mut().find(|one| one.seen == evidence.seen) {
            Some(one) => {
                one.calls.extend(evidence.calls);
                one.calls.sort_by_key(|call| call.serial);
            }
            None => joined.push(evidence),
        }
    }
    let sandbox = world.sandbox.as_deref();
    joined.iter().map(|evidence| ConductFinding::of(rule, evidence, sandbox)).collect()
}
