//! The order in which scenarios are walked. Results are told in that of the files, whatever it is.

use crate::scenario::model::{OperatorAction, Scenario};

/// An order of walking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// That of the files.
    Files,
    /// One that this number alone decides.
    Drawn(u64),
}

impl Order {
    /// Puts them in this order.
    pub(super) fn arrange<T>(self, items: &mut [T]) {
        let Self::Drawn(number) = self else { return };
        // xorshift64, which must not begin at 0.
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

/// How much a scenario disturbs whatever comes after it on a target that all scenarios share, least first. After a
/// restart there are no tokens, and a moved clock is never moved back: both are walked last.
pub(super) fn disturbance(scenario: &Scenario, lets_tokens_expire: bool) -> u8 {
    let has = |need: &str| scenario.needs.iter().any(|known| known == need);
    if has(OperatorAction::AdvanceClock.need()) || lets_tokens_expire && has("expired_token") {
        2
    } else {
        u8::from(has(OperatorAction::Restart.need()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, disturbance};
    use crate::scenario::load;

    #[test]
    fn restarts_come_late_and_moves_of_the_clock_last() {
        let files = load::bundled().expect("the bundled suite is sound");
        let rank = |id: &str, expires: bool| {
            let mut all = files.iter().flat_map(|file| &file.scenarios);
            disturbance(all.find(|it| it.id == id).expect("it is bundled"), expires)
        };
        assert_eq!(rank("each-status-is-reported", true), 0);
        assert_eq!(rank("restart-keeps-revocations", true), 1);
        assert_eq!(rank("token-lives-two-hours", false), 2);
        assert_eq!(rank("token-expired-for-reading", true), 2);
        assert_eq!(rank("token-expired-for-reading", false), 0, "the target file has a token");
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
