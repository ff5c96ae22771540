//! The kinds of acts that a target allows, each with its weight.

use proptest::prelude::Strategy;
use proptest::strategy::{BoxedStrategy, Union};
use serde_json::Value;

use crate::explore::act::Act;
use crate::explore::means::Means;

/// Collects the kinds of acts.
pub(super) struct Menu {
    means: Means,
    kinds: Vec<(u32, BoxedStrategy<Act>)>,
}

impl Menu {
    pub(super) fn new(means: Means) -> Self {
        Self { means, kinds: Vec::new() }
    }

    /// Whether the target meets the needs of an act.
    pub(super) fn allows(&self, act: &Act) -> bool {
        self.means.meet(&act.needs)
    }

    /// Adds acts that any readable target allows.
    pub(super) fn add(&mut self, weight: u32, acts: impl Strategy<Value = Act> + 'static) {
        self.kinds.push((weight, acts.boxed()));
    }

    /// Adds acts that only read.
    pub(super) fn add_reading(
        &mut self,
        weight: u32,
        steps: impl Strategy<Value = Vec<Value>> + 'static,
    ) {
        self.add(weight, steps.prop_map(Act::reading));
    }

    /// Adds acts that may create one object, where the target meets these needs.
    pub(super) fn add_creating(
        &mut self,
        weight: u32,
        needs: &[&'static str],
        steps: impl Strategy<Value = Vec<Value>> + 'static,
    ) {
        let needs = [&["read", "write"], needs].concat();
        if self.means.meet(&needs) {
            let act =
                move |steps| Act { needs: needs.clone(), creations: 1, ..Act::reading(steps) };
            self.add(weight, steps.prop_map(act));
        }
    }

    /// One of all that were added.
    pub(super) fn act(self) -> BoxedStrategy<Act> {
        Union::new_weighted(self.kinds).boxed()
    }
}
