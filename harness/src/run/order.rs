//! The order in which scenarios run. Results always have the order of the files.

use super::read_only;
use crate::run::environment::text_hash;
use crate::scenario::declared;
use crate::scenario::model::{OperatorAction, Scenario, StepAction};

/// Brings the scenarios into an order that depends only on this seed.
pub(super) fn shuffle<T>(items: &mut [(usize, T)], seed: u64) {
    // The hash hardly mixes the last bytes of a text, so the number comes first.
    items.sort_by_cached_key(|(at, _)| text_hash(seed, &format!("{at} shuffled")));
}

/// The time of a scenario on a target that all scenarios share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It uses up the rate limit. Later it would have to wait for the limit to reset.
    First,
    Middle,
    /// It reads lists that others fill. On a new deployment they are empty until the others have run.
    Lists,
    /// It restarts the service, after which there may be no tokens.
    Restart,
    /// It moves the clock, which cannot be moved back.
    Last,
}

impl Phase {
    pub(super) fn of(scenario: &Scenario, lets_tokens_expire: bool) -> Self {
        let mut uses_up_limit = false;
        declared::collect(&scenario.steps, &mut |step| {
            uses_up_limit |= matches!(
                &step.action,
                StepAction::Burst(burst) if burst.plan.uses_up_limit()
            );
        });
        let moves_clock = scenario.needs(&OperatorAction::AdvanceClock.need());
        if moves_clock || lets_tokens_expire && scenario.needs("expired_token") {
            Self::Last
        } else if scenario.needs(&OperatorAction::Restart.need()) {
            Self::Restart
        } else if uses_up_limit {
            Self::First
        } else if scenario.confirm && read_only::only_reads(scenario) {
            Self::Lists
        } else {
            Self::Middle
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Phase, shuffle};
    use crate::scenario::load;

    #[test]
    fn a_used_up_limit_comes_first_lists_and_restarts_late_and_moves_of_the_clock_last() {
        let files = load::bundled().expect("the bundled suite is sound");
        let phase = |id: &str, expires: bool| {
            let mut all = files.iter().flat_map(|file| &file.scenarios);
            Phase::of(all.find(|it| it.id == id).expect("it is bundled"), expires)
        };
        assert_eq!(phase("fifteen-hundred", true), Phase::First);
        assert_eq!(phase("fifteen-hundred-spaced", true), Phase::First);
        assert_eq!(phase("evenly-spaced", true), Phase::Middle);
        assert_eq!(phase("each-status-is-reported", true), Phase::Middle);
        assert_eq!(phase("pagination-three-pages", true), Phase::Lists);
        assert_eq!(phase("restart-keeps-revocations", true), Phase::Restart);
        assert_eq!(phase("token-lives-two-hours", false), Phase::Last);
        assert_eq!(phase("token-expired-for-reading", true), Phase::Last);
        assert_eq!(
            phase("token-expired-for-reading", false),
            Phase::Middle,
            "the target file has a token"
        );
        let order = [Phase::First, Phase::Middle, Phase::Lists, Phase::Restart, Phase::Last];
        assert!(order.is_sorted());
    }

    #[test]
    fn an_order_depends_on_its_seed_alone_and_loses_nothing() {
        let all: Vec<(usize, ())> = (0..100).map(|at| (at, ())).collect();
        let shuffled = |seed: u64| {
            let mut items = all.clone();
            shuffle(&mut items, seed);
            items
        };
        for seed in [0, 1, 7, u64::MAX] {
            let mut items = shuffled(seed);
            assert_eq!(items, shuffled(seed));
            assert_ne!(items, shuffled(seed.wrapping_add(1)));
            assert_ne!(items, all);
            items.sort_unstable();
            assert_eq!(items, all);
        }
        shuffle::<()>(&mut [], 3);
    }
}
