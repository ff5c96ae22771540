//! What the rules of all themes share.

use super::finding::ConductEvidence;

/// This many refused calls make a habit. A test that provokes an error once or twice has none.
pub(super) const REPEATED_MIN: usize = 3;

pub(super) fn one(evidence: Option<ConductEvidence<'_>>) -> Vec<ConductEvidence<'_>> {
    evidence.into_iter().collect()
}
