//! What values of a result are called in every report.

use moot_fixtures::contract::Level;

use crate::exchange::Trouble;
use crate::result::{ExpectedFailure, ExpectedState, Outcome, RunResult};

/// Why there is no answer.
pub(super) fn trouble_text(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Unreachable(why) => format!("no connection: {why}"),
        Trouble::Tls(why) => format!("TLS failed: {why}"),
        Trouble::Deadline(why) => format!("no answer in time: {why}"),
        Trouble::Broken(why) => format!("the connection broke: {why}"),
        Trouble::Withheld(why) => format!("not sent: {why}"),
    }
}

/// As in the register.
pub(crate) const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Stated => "stated",
        Level::Inherited => "inherited",
        Level::Example => "example",
        Level::Open => "open",
    }
}

/// The numbers of a section, by which sections are ordered: `4.10` comes after `4.9`.
pub(crate) fn section_order(section: &str) -> Vec<u32> {
    section.split('.').map(|number| number.parse().unwrap_or(u32::MAX)).collect()
}

/// As in DESIGN §8.
pub(super) const fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Conformant => "conformant",
        Outcome::NonConformant => "non-conformant",
        Outcome::Error => "error",
        Outcome::Inconclusive => "inconclusive",
        Outcome::Drifted => "drifted",
    }
}

/// What the exit code of a run means, a clause (DESIGN §8); says so where known failures happened.
pub(super) fn meaning_of(result: &RunResult) -> &'static str {
    let is_known = |one: &ExpectedFailure| one.state == ExpectedState::Happened;
    if result.exit_code == 0 && result.expected.iter().any(is_known) {
        return "nothing failed but what was expected, and everything selected ran or is tolerated \
                by name";
    }
    meaning(result.exit_code)
}

const fn meaning(exit_code: u8) -> &'static str {
    match exit_code {
        0 => "nothing failed, and everything selected ran or is tolerated by name",
        1 => "the target violates the specification",
        2 => "the command or a file given to it is wrong; nothing was sent",
        3 => "not everything could be checked, and not all of that is tolerated",
        4 => "the target could not be reached, or refused the credentials",
        5 => "a snapshot or a pinned answer differs, or an expected failure did not happen",
        _ => "a fault of this program",
    }
}

#[cfg(test)]
mod tests {
    use super::section_order;

    #[test]
    fn sections_are_ordered_by_their_numbers() {
        assert!(section_order("4.9") < section_order("4.10"));
        assert!(section_order("4") < section_order("4.1"));
        assert!(section_order("4.14") < section_order("5"));
    }
}
