//! Watching a world: its events.

use jiff::Timestamp;

use super::Service;
use crate::control::{ControlEvent, EventWatcher, ExchangeFilter};

impl Service {
    /// Somebody who watches this world from now on, and the first event.
    pub(crate) fn watcher(
        &self,
        filter: ExchangeFilter,
        last: Option<u64>,
    ) -> (EventWatcher, ControlEvent) {
        let world = self.0.world.read();
        let watcher = EventWatcher::new(&world, filter, last);
        let hello = watcher.hello(&world);
        (watcher, hello)
    }

    /// How many calls were recorded so far.
    pub(crate) fn recorded(&self) -> u64 {
        self.0.world.read().journal().recorded()
    }

    /// What is new to a watcher.
    pub(crate) fn news(
        &self,
        system_now: Timestamp,
        watcher: &mut EventWatcher,
    ) -> Vec<ControlEvent> {
        watcher.news(&self.0.world.read(), system_now)
    }
}
