//! Questions that no run can answer for a mock, each with the reason.

use moot_fixtures::answers;

/// Choices of the mock that are observed, and that no observation tells: a closed list.
pub const NOT_TOLD: [(&str, &str); 5] = [
    ("check_order", "which of two faults is answered may differ from one operation to the next"),
    ("delivery_retries", "deliveries that came do not tell when the next would"),
    ("event_kinds", "stored rows show some of the values, not all that there are"),
    ("transitions", "a log shows the changes that happened, not those that may"),
    ("upload_size_max", "a size that is taken and one that is not tell a range, not the limit"),
];

/// Why a run leaves the answer to this question open, though it saw something of it: a clause.
pub fn why_not_imitated(id: &str) -> &'static str {
    match NOT_TOLD.iter().find(|(known, _)| *known == id) {
        Some((_, why)) => why,
        None if answers::is_choice(id) => "what was seen fits no answer, or several",
        None => "the mock has one way to do it, and no choice",
    }
}
