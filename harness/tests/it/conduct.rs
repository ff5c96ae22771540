//! The account of a client is derived from the journal: the operations that it used, and the errors that it received.

use moot_harness::grading::conduct::Account;
use serde_json::json;

use crate::conduct_support::{call, journal};

#[test]
fn an_account_counts_operations_and_joins_errors_of_a_kind() {
    let list = call("list_legal_requests", 200, &json!({}));
    let expired = json!({ "problem": "token_expired", "detail": "What would have worked." });
    let expired = call("list_legal_requests", 401, &expired);
    let missing =
        call("create_repository_document", 400, &json!({ "problem": "parameter_missing" }));
    let token = call("create_access_token", 200, &json!({}));
    let account = Account::of(&[journal(&[token, list, expired.clone(), expired, missing])]);
    let used: Vec<(Option<&str>, usize)> =
        account.operations.iter().map(|one| (one.operation.as_deref(), one.calls)).collect();
    let expected = [
        (Some("create_access_token"), 1),
        (Some("list_legal_requests"), 3),
        (Some("create_repository_document"), 1),
    ];
    assert_eq!(used, expected);
    let errors: Vec<(&str, u16, usize, u64)> = account
        .errors
        .iter()
        .map(|error| (error.problem.as_str(), error.status, error.times, error.first_call))
        .collect();
    assert_eq!(errors, [("token_expired", 401, 2, 3), ("parameter_missing", 400, 1, 5)]);
    assert_eq!(account.errors[0].detail, "What would have worked.");
}
