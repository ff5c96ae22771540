//! Drawing cases: the same seed, number and needs give the same case.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::acts::act;
use super::case::Act;

/// The highest number of acts of one case.
const ACTS_MAX: usize = 6;

/// The case with this number for a target that meets these needs. proptest can shrink it. `None` if proptest rejects
/// the draw.
pub(super) fn case(
    seed: u64,
    number: u64,
    met_needs: &BTreeSet<&str>,
) -> Option<impl ValueTree<Value = Vec<Act>> + use<>> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    vec(act(met_needs), 1..=ACTS_MAX).new_tree(&mut runner).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use proptest::strategy::ValueTree;
    use serde_json::Value;

    use super::case;
    use crate::explore::case::{Case, text};
    use crate::scenario::model::NEEDS;

    proptest! {
        #[test]
        fn a_written_case_is_read_as_it_was_drawn(seed in any::<u64>()) {
            let tree = case(seed, 1, &NEEDS.into()).expect("it is drawn");
            let case = Case { number: 1, met_needs: NEEDS.into(), acts: tree.current() };
            let text = text(std::slice::from_ref(&case));
            let read: Value = serde_saphyr::from_str(&text).expect("it is YAML");
            assert_eq!(read["scenarios"][0], case.scenario());
        }
    }
}
