//! Mistakes of new users. Each has a rule, and `moot selftest --conduct` shows that the rule finds it.

use moot_harness::grading::misbehaving_client;

const MISTAKES: [(&str, &str); 27] = [
    ("the token is forgotten", "no-token"),
    ("the token is in the query", "token-in-address"),
    ("the token is in the query and in the header", "two-token-ways"),
    ("the secret is in the query", "secret-in-address"),
    ("the OAuth library sends HTTP Basic and the form", "two-client-ways"),
    ("the token request is JSON", "token-call-form"),
    ("each call gets a token", "token-per-call"),
    ("the token is never renewed", "dead-token"),
    ("a wrong secret is tried again and again", "token-endpoint-hammered"),
    ("a call is repeated that the token is not good for", "forbidden-repeated"),
    ("the token is sent along to agreement_url", "token-to-download"),
    ("`Retry-After` is ignored", "impatient-retry"),
    ("a failed call is repeated at once", "no-back-off"),
    ("a failed call is repeated without end", "retry-storm"),
    ("a refused call is repeated unchanged", "refused-repeated"),
    ("a creation is repeated blindly", "blind-repeat"),
    ("three creations, because only 200 counts as success", "creation-repeated"),
    ("the file was read already when the upload is repeated", "emptied-repeat"),
    ("150 polls in a second", "polls-fast"),
    ("polling goes on after `declined`", "polls-the-dead"),
    ("only the first page is read", "first-page-only"),
    ("a query parameter is misspelt", "unknown-parameter"),
    ("a field is misspelt", "unknown-field"),
    ("the schema is not read", "schema-unread"),
    ("`variables` holds a Python dictionary", "bad-json-field"),
    ("a webhook is answered late", "hook-slow"),
    ("a webhook is answered with a redirect", "hook-redirects"),
];

#[test]
fn each_typical_mistake_has_a_rule_that_a_client_breaks() {
    for (mistake, rule) in MISTAKES {
        assert!(misbehaving_client::rule(rule).is_some(), "{mistake}: no client breaks `{rule}`");
    }
}
