//! Questions that observations cannot answer, each with the reason.

use moot_fixtures::answers;

/// Choices of the mock that are observed, but that an observation cannot decide.
pub const UNDECIDABLE: [(&str, &str); 5] = [
    ("check_order", "operations may differ in the fault that they report first"),
    ("delivery_retries", "the received deliveries do not show the time of the next one"),
    ("event_kinds", "stored rows may not have all values"),
    ("transitions", "a log shows only the transitions that happened"),
    ("upload_size_max", "an accepted and a refused size show a range, not the limit"),
];

/// The reason why a run leaves the answer to this question open despite observations, as a clause.
pub fn why_not_imitated(id: &str) -> &'static str {
    match UNDECIDABLE.iter().find(|(known, _)| *known == id) {
        Some((_, why)) => why,
        None if answers::is_choice(id) => "the observations fit no answer, or several",
        None => "the mock has no choice here",
    }
}
