//! Which scenarios may be walked side by side on a target that they share.
//!
//! In a sandbox of its own a scenario disturbs nobody. On a deployment what one of them makes or
//! deletes is seen by the others: whoever sends anything but GET is walked while nothing else is. A
//! token that is asked for makes nothing that others see, but where a newer token ends the older ones
//! of its application it disturbs whoever holds one: who asks for tokens is walked beside others only
//! where that was tried, and the older ones stayed good.

use moot_fixtures::contract::Operation;
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::scenario::model::{
    RequestLine, RequestShape, RequestStep, Scenario, Step, StepAction, Text, TextPiece,
};

use crate::scenario::declared;

/// The turns of a walk.
pub(super) struct Turns {
    /// `None` where each scenario has a sandbox.
    shared: Option<RwLock<()>>,
    /// What may be walked beside others.
    beside: ScenarioEffect,
}

/// Held while a scenario is walked.
pub(super) enum Turn<'a> {
    /// In a sandbox.
    Free,
    /// Beside others that change nothing.
    Beside { _guard: RwLockReadGuard<'a, ()> },
    /// While nothing else is walked.
    Alone { _guard: RwLockWriteGuard<'a, ()> },
}

/// What a scenario does to what others see, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScenarioEffect {
    /// It sends nothing but GET.
    Reads,
    /// It asks for tokens, too, and keeps none of them.
    AsksForTokens,
    /// Anything else.
    Changes,
}

impl Turns {
    /// For a target whose scenarios have sandboxes.
    pub(super) fn free() -> Self {
        Self { shared: None, beside: ScenarioEffect::Changes }
    }

    /// For scenarios that share one company; up to this effect they are walked beside others.
    pub(super) fn shared(beside: ScenarioEffect) -> Self {
        Self { shared: Some(RwLock::default()), beside }
    }

    /// Waits until this scenario may be walked.
    pub(super) async fn take(&self, scenario: &Scenario) -> Turn<'_> {
        match &self.shared {
            None => Turn::Free,
            Some(shared) if effect(scenario) <= self.beside => {
                Turn::Beside { _guard: shared.read().await }
            }
            Some(shared) => Turn::Alone { _guard: shared.write().await },
        }
    }
}

/// The effect of a whole scenario.
pub(super) fn effect(scenario: &Scenario) -> ScenarioEffect {
    // An operator may have to act for such a token.
    let is_spent = |need: &String| need == "expired_token" || need == "revoked_token";
    let mut effect = match scenario.needs.iter().any(is_spent) {
        true => ScenarioEffect::Changes,
        false => ScenarioEffect::Reads,
    };
    declared::collect(&scenario.steps, &mut |step| effect = effect.max(effect_of(step)));
    effect
}

fn effect_of(step: &Step) -> ScenarioEffect {
    match &step.action {
        StepAction::Request(request) => {
            let RequestStep { shape, control, capture, .. } = request.as_ref();
            let control = control.as_ref().filter(|control| control.shape.line.is_some());
            let sent = effect_of_shape(shape).max(
                control.map_or(ScenarioEffect::Reads, |control| effect_of_shape(&control.shape)),
            );
            // Whoever keeps a token relies on it while others ask for theirs.
            let keeps_token = sent == ScenarioEffect::AsksForTokens && !capture.is_empty();
            if keeps_token { ScenarioEffect::Changes } else { sent }
        }
        StepAction::ForEach(..) | StepAction::Let(_) | StepAction::Assume(_) => {
            ScenarioEffect::Reads
        }
        StepAction::Burst(_)
        | StepAction::Receive(_)
        | StepAction::Admin(_)
        | StepAction::Operator(_) => ScenarioEffect::Changes,
    }
}

fn effect_of_shape(shape: &RequestShape) -> ScenarioEffect {
    let is_get = match &shape.line {
        Some(RequestLine::Path { method, .. }) => is_literal(method, "GET"),
        Some(RequestLine::Operation { known: Some(operation), .. }) => operation.method() == "GET",
        Some(RequestLine::Operation { known: None, .. }) | None => false,
    };
    match (is_get, asks_for_token(shape)) {
        (true, _) => ScenarioEffect::Reads,
        (false, true) => ScenarioEffect::AsksForTokens,
        (false, false) => ScenarioEffect::Changes,
    }
}

/// Whether it is a token request.
pub(super) fn asks_for_token(shape: &RequestShape) -> bool {
    let token = Operation::CreateAccessToken;
    match &shape.line {
        Some(RequestLine::Path { method, path }) => {
            is_literal(method, token.method().as_str()) && is_literal(path, token.path())
        }
        Some(RequestLine::Operation { known, .. }) => *known == Some(token),
        None => false,
    }
}

fn is_literal(text: &Text, expected: &str) -> bool {
    matches!(text.pieces.as_slice(), [TextPiece::Literal(literal)] if literal == expected)
}

#[cfg(test)]
mod tests {
    use super::{ScenarioEffect, effect};
    use crate::scenario::load;
    use crate::scenario::model::{Scenario, StepAction};

    #[test]
    fn a_bundled_scenario_is_walked_beside_others_exactly_where_it_changes_nothing() {
        let files = load::bundled().expect("the bundled suite is sound");
        let scenarios = || files.iter().flat_map(|file| &file.scenarios);
        let effect_of =
            |id: &str| effect(scenarios().find(|it| it.id == id).expect("it is bundled"));
        assert_eq!(effect_of("pagination-partition"), ScenarioEffect::Reads);
        assert_eq!(effect_of("document-without-file-or-url"), ScenarioEffect::Changes);
        assert_eq!(effect_of("token-outlived-by-a-newer-one"), ScenarioEffect::Changes);
        let asking = |it: &&Scenario| effect(it) == ScenarioEffect::AsksForTokens;
        assert!(scenarios().filter(asking).count() > 3);
        let sends_bursts =
            |it: &Scenario| it.steps.iter().any(|step| matches!(step.action, StepAction::Burst(_)));
        assert!(!scenarios().any(|it| sends_bursts(it) && effect(it) < ScenarioEffect::Changes));
        let changes =
            |needs: &[String]| needs.iter().any(|need| need == "delete" || need == "load");
        let aside: Vec<_> = scenarios()
            .filter(|it| changes(&it.needs) && effect(it) < ScenarioEffect::Changes)
            .map(|it| &it.id)
            .collect();
        assert!(aside.is_empty(), "{aside:?}");
    }
}
