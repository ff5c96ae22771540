//! Why a question that was observed has no answer in the file.

use moot_fixtures::answers;

/// Why a run leaves the answer to this question open, though it saw something of it: a clause.
pub fn why_not_imitated(id: &str) -> &'static str {
    match id {
        "agreement_download" => "an address does not tell whether the download asks for a token",
        "workflow_schema_endpoint" | "webhook_create_endpoint" => {
            "a status does not tell method and path: `endpoints` of the target file names them"
        }
        "activity_actions" | "event_kinds" | "webhook_auth_types" => {
            "stored rows show some of the values, not all that there are"
        }
        "transitions" => "a log shows the changes that happened, not those that may",
        "upload_size_max" | "token_rate_limit" => "a status beyond a limit does not tell the limit",
        "upload_types" => "a refused type does not tell which others are supported",
        "other_errors" => "a status does not tell which of the four conditions it answered",
        "token_revocation" => "a revoked token does not tell whether a newer one revokes it too",
        "delivery_retries" => "deliveries that came do not tell when the next would",
        other if answers::is_choice(other) => "what was seen fits no answer, or several",
        _ => "the mock has one way to do it, and no choice",
    }
}
