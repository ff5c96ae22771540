//! What a check found, and the one rule that makes a verdict of it.

use moot_fixtures::contract::Level;

use crate::verdict::Verdict;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails {
        /// One sentence, lower case, no full stop.
        message: String,
        /// For people, short.
        expected: String,
        /// For people, short, not masked.
        actual: String,
        /// JSON Pointer into the body, where one place is meant.
        pointer: Option<String>,
        /// Whether an open question allows it: it is a `warn` at most.
        is_tolerable: bool,
    },
    /// There was nothing to judge.
    Empty {
        /// Why.
        reason: String,
    },
}

impl Judgement {
    /// Does not hold, without a pointer.
    pub(crate) fn fails(
        message: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self::Fails {
            message: message.into(),
            expected: expected.into(),
            actual: actual.into(),
            pointer: None,
            is_tolerable: false,
        }
    }

    /// Nothing to judge.
    pub(crate) fn empty(reason: impl Into<String>) -> Self {
        Self::Empty { reason: reason.into() }
    }

    /// The same, where it fails, at a place of the body.
    pub(crate) fn at(mut self, place: impl Into<String>) -> Self {
        if let Self::Fails { pointer, .. } = &mut self {
            *pointer = Some(place.into());
        }
        self
    }

    /// The same, where it fails, as something that an open question allows.
    pub(crate) fn tolerated(mut self) -> Self {
        if let Self::Fails { is_tolerable, .. } = &mut self {
            *is_tolerable = true;
        }
        self
    }

    /// The worse of two: what fails before what was not judged before what holds, so that nothing
    /// passes by being empty.
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Holds => other(),
            Self::Fails { .. } => self,
            Self::Empty { reason } => match other() {
                Self::Fails { message, expected, actual, pointer, is_tolerable } => {
                    Self::Fails { message, expected, actual, pointer, is_tolerable }
                }
                Self::Holds | Self::Empty { .. } => Self::Empty { reason },
            },
        }
    }
}

/// The verdict of a judgement on a requirement of this level (DESIGN §5, §8).
///
/// `must` is whether the standard of an inherited requirement says MUST; only `strict` makes that
/// a failure.
pub fn verdict_of(level: Level, must: bool, strict: bool, judgement: &Judgement) -> Verdict {
    match (judgement, level) {
        (Judgement::Empty { .. }, _) => Verdict::NotApplicable,
        (Judgement::Holds | Judgement::Fails { .. }, Level::Open) => Verdict::Observed,
        (Judgement::Holds, Level::Stated | Level::Inherited | Level::Example) => Verdict::Pass,
        (Judgement::Fails { is_tolerable: true, .. }, _) => Verdict::Warn,
        (Judgement::Fails { .. }, Level::Stated) => Verdict::Fail,
        (Judgement::Fails { .. }, Level::Inherited) if must && strict => Verdict::Fail,
        (Judgement::Fails { .. }, Level::Inherited | Level::Example) => Verdict::Warn,
    }
}

#[cfg(test)]
mod tests {
    use moot_fixtures::contract::Level;

    use super::{Judgement, verdict_of};
    use crate::verdict::Verdict;

    #[track_caller]
    fn check(level: Level, must: bool, strict: bool, judgement: &Judgement, expected: Verdict) {
        assert_eq!(verdict_of(level, must, strict, judgement), expected);
    }

    #[test]
    fn the_level_decides_what_a_mismatch_is() {
        let fails = Judgement::fails("m", "e", "a");
        check(Level::Stated, false, false, &fails, Verdict::Fail);
        check(Level::Example, true, true, &fails, Verdict::Warn);
        check(Level::Open, false, true, &fails, Verdict::Observed);
        check(Level::Inherited, true, false, &fails, Verdict::Warn);
        check(Level::Inherited, false, true, &fails, Verdict::Warn);
        check(Level::Inherited, true, true, &fails, Verdict::Fail);
    }

    #[test]
    fn what_a_question_allows_never_fails() {
        let tolerated = Judgement::fails("m", "e", "a").tolerated();
        check(Level::Stated, false, true, &tolerated, Verdict::Warn);
        check(Level::Inherited, true, true, &tolerated, Verdict::Warn);
    }

    #[test]
    fn nothing_to_judge_is_not_applicable_at_any_level() {
        check(Level::Stated, false, false, &Judgement::empty("r"), Verdict::NotApplicable);
        check(Level::Open, false, false, &Judgement::empty("r"), Verdict::NotApplicable);
        check(Level::Stated, false, false, &Judgement::Holds, Verdict::Pass);
    }

    #[test]
    fn what_fails_wins_over_what_was_empty_over_what_holds() {
        let fails = Judgement::fails("m", "e", "a");
        let empty = Judgement::empty("r");
        assert_eq!(empty.clone().and(|| fails.clone()), fails);
        assert_eq!(fails.clone().and(|| empty.clone()), fails);
        assert_eq!(empty.clone().and(|| Judgement::Holds), empty);
        assert_eq!(Judgement::Holds.and(|| empty.clone()), empty);
    }
}
