//! Drawing cases: the same seed, number and means give the same case.

use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::act::Act;
use super::acts::act;
use super::means::Means;

/// Acts of one case.
const ACTS_MAX: usize = 6;

/// The case of this number, which proptest can shrink. `None` where proptest rejects the draw.
pub(super) fn case(
    seed: u64,
    number: u64,
    means: &Means,
) -> Option<impl ValueTree<Value = Vec<Act>> + use<>> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    vec(act(means), 1..=ACTS_MAX).new_tree(&mut runner).ok()
}
