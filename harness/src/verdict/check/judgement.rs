//! The result of a check, and the rule that makes a verdict of it.

use moot_fixtures::contract::Level;

use super::{Mismatch, MismatchKind, ResponsePart};
use crate::verdict::Verdict;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// The response satisfies the check.
    Holds,
    /// The response does not satisfy the check.
    Fails(Mismatch),
    /// There was nothing to judge.
    NotApplicable {
        /// For people.
        reason: String,
    },
}

impl Judgement {
    /// A failure about the whole body.
    pub(crate) fn fails(
        kind: MismatchKind,
        message: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self::Fails(Mismatch {
            kind,
            part: ResponsePart::Body,
            message: message.into(),
            expected: expected.into(),
            actual: actual.into(),
            pointer: None,
            is_tolerable: false,
        })
    }

    /// A failure of a value. [`super::expectation`] knows its place and adds the sentence.
    pub(crate) fn differs(
        kind: MismatchKind,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self::fails(kind, String::new(), expected, actual)
    }

    /// Nothing to judge.
    pub(crate) fn not_applicable(reason: impl Into<String>) -> Self {
        Self::NotApplicable { reason: reason.into() }
    }

    /// Sets the JSON Pointer into the body, if it is a failure.
    pub(crate) fn at(self, pointer: impl Into<String>) -> Self {
        self.map_mismatch(|mismatch| mismatch.pointer = Some(pointer.into()))
    }

    /// Sets the part of the response that is wrong, if it is a failure.
    pub(crate) fn in_part(self, part: ResponsePart) -> Self {
        self.map_mismatch(|mismatch| mismatch.part = part)
    }

    /// Marks a failure that an open question allows. It becomes a warning at most.
    pub(crate) fn tolerated(self) -> Self {
        self.map_mismatch(|mismatch| mismatch.is_tolerable = true)
    }

    fn map_mismatch(mut self, change: impl FnOnce(&mut Mismatch)) -> Self {
        if let Self::Fails(mismatch) = &mut self {
            change(mismatch);
        }
        self
    }

    /// The more severe of two judgements: `Fails`, then `NotApplicable`, then `Holds`. So a check never passes
    /// because there was nothing to judge.
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Holds => other(),
            Self::Fails(_) => self,
            Self::NotApplicable { .. } => match other() {
                fails @ Self::Fails(_) => fails,
                Self::Holds | Self::NotApplicable { .. } => self,
            },
        }
    }
}

/// The verdict of a judgement on a requirement of this level.
///
/// `must` is true if an inherited requirement is a MUST of its standard. With `strict`, a mismatch with
/// such a requirement is a failure.
pub fn verdict_of(level: Level, must: bool, strict: bool, judgement: &Judgement) -> Verdict {
    match (judgement, level) {
        (Judgement::NotApplicable { .. }, _) => Verdict::NotApplicable,
        (Judgement::Holds | Judgement::Fails(_), Level::Open) => Verdict::Observed,
        (Judgement::Holds, Level::Stated | Level::Inherited | Level::Example) => Verdict::Pass,
        (Judgement::Fails(Mismatch { is_tolerable: true, .. }), _) => Verdict::Warn,
        (Judgement::Fails(_), Level::Stated) => Verdict::Fail,
        (Judgement::Fails(_), Level::Inherited) if must && strict => Verdict::Fail,
        (Judgement::Fails(_), Level::Inherited | Level::Example) => Verdict::Warn,
    }
}

#[cfg(test)]
mod tests {
    use moot_fixtures::contract::Level;

    use super::{Judgement, MismatchKind, verdict_of};
    use crate::verdict::Verdict;

    #[track_caller]
    fn check(level: Level, must: bool, strict: bool, judgement: &Judgement, expected: Verdict) {
        assert_eq!(verdict_of(level, must, strict, judgement), expected);
    }

    #[test]
    fn the_level_decides_what_a_mismatch_is() {
        let fails = Judgement::fails(MismatchKind::Value, "m", "e", "a");
        check(Level::Stated, false, false, &fails, Verdict::Fail);
        check(Level::Example, true, true, &fails, Verdict::Warn);
        check(Level::Open, false, true, &fails, Verdict::Observed);
        check(Level::Inherited, true, false, &fails, Verdict::Warn);
        check(Level::Inherited, false, true, &fails, Verdict::Warn);
        check(Level::Inherited, true, true, &fails, Verdict::Fail);
    }

    #[test]
    fn a_tolerated_mismatch_never_fails() {
        let tolerated = Judgement::fails(MismatchKind::Value, "m", "e", "a").tolerated();
        check(Level::Stated, false, true, &tolerated, Verdict::Warn);
        check(Level::Inherited, true, true, &tolerated, Verdict::Warn);
    }

    #[test]
    fn nothing_to_judge_is_not_applicable_at_any_level() {
        check(Level::Stated, false, false, &Judgement::not_applicable("r"), Verdict::NotApplicable);
        check(Level::Open, false, false, &Judgement::not_applicable("r"), Verdict::NotApplicable);
        check(Level::Stated, false, false, &Judgement::Holds, Verdict::Pass);
    }

    #[test]
    fn a_failure_wins_over_an_empty_judgement() {
        let fails = Judgement::fails(MismatchKind::Value, "m", "e", "a");
        let empty = Judgement::not_applicable("r");
        assert_eq!(empty.clone().and(|| fails.clone()), fails);
        assert_eq!(fails.clone().and(|| empty.clone()), fails);
        assert_eq!(empty.clone().and(|| Judgement::Holds), empty);
        assert_eq!(Judgement::Holds.and(|| empty.clone()), empty);
    }
}
