//! The order in which scenarios run. Results always have the order of the files.

use crate::scenario::declared;
use crate::scenario::model::{OperatorAction, Rhythm, Scenario, StepAction};

/// The order in which scenarios run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The order of the files.
    Files,
    /// A random order with this seed.
    Drawn(u64),
}

impl Order {
    pub(super) fn arrange<T>(self, items: &mut [T]) {
        let Self::Drawn(number) = self else { return };
        // xorshift64, whose state must not be 0.
        let mut state = number.wrapping_mul(2).wrapping_add(1);
        for last in (1..items.len()).rev() {
            for _ in 0..4 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }
            let drawn = usize::try_from(state % (last as u64 + 1)).unwrap_or(last);
            items.swap(last, drawn);
        }
    }
}

/// The time of a scenario on a target that all scenarios share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It uses up the rate limit at once. Later it would have to wait for the limit to reset.
    First,
    Middle,
    /// It restarts the service, after which there may be no tokens.
    Restart,
    /// It moves the clock, which cannot be moved back.
    Last,
}

impl Phase {
    pub(super) fn of(scenario: &Scenario, lets_tokens_expire: bool) -> Self {
        let has = |need: &str| scenario.needs.iter().any(|known| known == need);
        let mut uses_up_limit = false;
        declared::collect(&scenario.steps, &mut |step| {
            uses_up_limit |= matches!(
                &step.action,
                StepAction::Burst(burst)
                    if !burst.plan.is_few() && matches!(burst.plan.rhythm, Rhythm::InFlight(_))
            );
        });
        if has(OperatorAction::AdvanceClock.need()) || lets_tokens_expire && has("expired_token") {
            Self::Last
        } else if has(OperatorAction::Restart.need()) {
            Self::Restart
        } else if uses_up_limit {
            Self::First
        } else {
            Self::Middle
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, Phase};
    use crate::scenario::load;

    #[test]
    fn a_used_up_limit_comes_first_restarts_late_and_moves_of_the_clock_last() {
        let files = load::bundled().expect("the bundled suite is sound");
        let phase = |id: &str, expires: bool| {
            let mut all = files.iter().flat_map(|file| &file.scenarios);
            Phase::of(all.find(|it| it.id == id).expect("it is bundled"), expires)
        };
        assert_eq!(phase("fifteen-hundred", true), Phase::First);
        assert_eq!(phase("evenly-spaced", true), Phase::Middle);
        assert_eq!(phase("each-status-is-reported", true), Phase::Middle);
        assert_eq!(phase("restart-keeps-revocations", true), Phase::Restart);
        assert_eq!(phase("token-lives-two-hours", false), Phase::Last);
        assert_eq!(phase("token-expired-for-reading", true), Phase::Last);
        assert_eq!(
            phase("token-expired-for-reading", false),
            Phase::Middle,
            "the target file has a token"
        );
        assert!(Phase::First < Phase::Middle && Phase::Middle < Phase::Restart);
        assert!(Phase::Restart < Phase::Last);
    }

    #[test]
    fn an_order_is_drawn_from_its_number_alone_and_loses_nothing() {
        let arranged = |order: Order| {
            let mut items: Vec<u32> = (0..100).collect();
            order.arrange(&mut items);
            items
        };
        let all: Vec<u32> = (0..100).collect();
        assert_eq!(arranged(Order::Files), all);
        for number in [0, 1, 7, u64::MAX] {
            let drawn = arranged(Order::Drawn(number));
            assert_eq!(drawn, arranged(Order::Drawn(number)));
            assert_ne!(drawn, arranged(Order::Drawn(number.wrapping_add(1))));
            assert_ne!(drawn, all);
            let mut sorted = drawn;
            sorted.sort_unstable();
            assert_eq!(sorted, all);
        }
        Order::Drawn(3).arrange::<u32>(&mut []);
    }
}
