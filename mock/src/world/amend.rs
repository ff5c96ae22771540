//! Answers, users, applications and workflows that change while a world runs.

use std::sync::Arc;

use moot_fixtures::contract::REQUESTS_PER_MINUTE_MAX;

use super::lag::LaggingLists;
use super::{World, first_state, limiters};

impl World {
    /// Lets the amendments take effect. [`SeedData::amended`] has accepted them before they became changes.
    pub(super) fn amend(&mut self) {
        let Ok(amended) = self.seed_data.amended(&self.state.amendments) else { return };
        let (old, new) = (self.answers(), amended.answers());
        let is_other_lag = old.list_lag != new.list_lag;
        if old.rate_limit_window != new.rate_limit_window
            || old.token_rate_limit != new.token_rate_limit
        {
            let calls_max = self.hook.as_ref().map(|hook| hook.requests_per_minute_max());
            (self.limiter, self.token_limiter) =
                limiters(new, calls_max.unwrap_or(REQUESTS_PER_MINUTE_MAX));
        }
        if is_other_lag {
            self.lagging = LaggingLists::of(new, || {
                let mut replica = first_state(&self.seed_data, &self.settings);
                self.state.changes().into_iter().for_each(|change| replica.apply(change));
                replica
            });
        }
        self.amended = Some(Arc::new(amended));
    }
}
