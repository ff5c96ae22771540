//! Drawing cases: a strategy for each act, of what the contract names and of what it does not.
//!
//! No text holds `@` or `<`: an e-mail address is always below `.invalid`, and a name of the scenario
//! language never stands in what is drawn. The same seed and number give the same case.

mod access;
mod creating;
mod reading;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy};
use proptest::strategy::{BoxedStrategy, Union};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::act::{Act, Address, Hidden};
use super::means::Means;

/// Acts of one case.
const ACTS_MAX: usize = 6;

/// Rows of a list, and workflows, that are chosen among.
const ROWS: u8 = 4;

/// An id that nothing has: long enough to be no chance.
const PLAIN_ID: &str = "[a-z][A-Za-z0-9]{15,32}";
/// An id that needs care in a path; no separator, no escape.
const NASTY_ID: &str = "[A-Za-z0-9_.~ß漢😀'\"&+;:=!$*(),-]{3,60}";
/// A value of a query parameter.
const QUERY: &str = "[A-Za-z0-9 _.ß漢&+;:=%/?#-]{0,24}";
/// A text of a form.
const TEXT: &str = "[A-Za-z0-9 .,'\"ßé漢😀&+;:=(){}|~\\[\\]\\\\/-]{0,60}";
/// A short word.
const WORD: &str = "[a-z]{1,12}";

/// The runner from which the case of this number is drawn.
pub(super) fn runner(seed: u64, number: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Sequences of acts that a target with these means may be sent.
pub(super) fn case(means: Means) -> BoxedStrategy<Vec<Act>> {
    let all = [
        (5, reading::page().boxed()),
        (4, reading::read().boxed()),
        (2, reading::spy().boxed()),
        (3, reading::unknown().boxed()),
        (2, reading::compared().boxed()),
        (2, reading::odd_list().boxed()),
        (5, creating::request().boxed()),
        (3, creating::upload().boxed()),
        (2, creating::address().boxed()),
        (1, WORD.prop_map(|word| Act::Address { address: Address::Registered(word) }).boxed()),
        (2, creating::webhook().boxed()),
        (1, Just(Act::Hide { hidden: Hidden::Document }).boxed()),
        (1, Just(Act::Hide { hidden: Hidden::Webhook }).boxed()),
        (1, PLAIN_ID.prop_map(|id| Act::DeleteUnknown { id }).boxed()),
        (2, access::token().boxed()),
        (1, Just(Act::Altered).boxed()),
        (4, access::denied(means).boxed()),
        (2, access::stray(means).boxed()),
        (1, access::odd_method().boxed()),
    ];
    let allowed = all.into_iter().filter(|(_, strategy)| is_allowed(strategy, means)).collect();
    vec(Union::new_weighted(allowed), 1..=ACTS_MAX).boxed()
}

/// Whether the acts of a strategy need no more than there is; all of one strategy need the same, but
/// for those that are drawn by `means` themselves.
fn is_allowed(strategy: &BoxedStrategy<Act>, means: Means) -> bool {
    let drawn = strategy.new_tree(&mut runner(0, 0));
    drawn.is_ok_and(|tree| means.meet(&proptest::strategy::ValueTree::current(&tree).needs()))
}
