//! Decides which scenarios may run at the same time on a target that they share.
//!
//! In a sandbox of its own, a scenario affects no other. On a deployment, scenarios see the changes of others, so a
//! scenario that sends anything but GET runs alone. A token request changes nothing that others see. But where a newer
//! token ends the older ones of its application, it ends tokens that others use. So scenarios that ask for tokens run
//! at the same time as others only if a trial has shown that older tokens stay valid.

use moot_fixtures::contract::Operation;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::scenario::declared;
use crate::scenario::model::{
    RequestLine, RequestShape, RequestStep, Scenario, Step, StepAction, Text, TextPiece,
};

/// The lock that scenarios of one run hold while they run.
pub(super) struct Turns {
    /// `None` if each scenario has a sandbox. A scenario that runs alone takes all permits.
    shared: Option<Semaphore>,
    /// The greatest effect of scenarios that run at the same time.
    at_once: ScenarioEffect,
}

/// The number of scenarios that run at the same time at most; more than any number of jobs.
const PERMITS: u32 = 1 << 20;

/// The effect of a scenario on other scenarios, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScenarioEffect {
    /// It sends only GET.
    Reads,
    /// It also asks for tokens, and keeps none of them.
    AsksForTokens,
    /// Anything else.
    Changes,
}

impl Turns {
    /// For a target whose scenarios have sandboxes.
    pub(super) fn free() -> Self {
        Self { shared: None, at_once: ScenarioEffect::Changes }
    }

    /// For scenarios that share one company. Those up to this effect run at the same time.
    pub(super) fn shared(at_once: ScenarioEffect) -> Self {
        Self { shared: Some(Semaphore::new(PERMITS as usize)), at_once }
    }

    /// Waits until this scenario may run. It holds the permit until its end.
    pub(super) async fn take(&self, scenario: &Scenario) -> Option<SemaphorePermit<'_>> {
        let permits = if effect(scenario) <= self.at_once { 1 } else { PERMITS };
        // An error would mean that the semaphore is closed, which never happens.
        self.shared.as_ref()?.acquire_many(permits).await.ok()
    }
}

/// The effect of a scenario on other scenarios.
pub(super) fn effect(scenario: &Scenario) -> ScenarioEffect {
    // An operator may have to make such a token.
    let is_unusable = |need: &String| need == "expired_token" || need == "revoked_token";
    let mut worst = match scenario.needs.iter().any(is_unusable) {
        true => ScenarioEffect::Changes,
        false => ScenarioEffect::Reads,
    };
    declared::collect(&scenario.steps, &mut |step| worst = worst.max(effect_of(step)));
    worst
}

fn effect_of(step: &Step) -> ScenarioEffect {
    match &step.action {
        StepAction::Request(request) => {
            let RequestStep { shape, control, capture, .. } = request.as_ref();
            let control = control.as_ref().filter(|control| control.shape.line.is_some());
            let sent = effect_of_shape(shape).max(
                control.map_or(ScenarioEffect::Reads, |control| effect_of_shape(&control.shape)),
            );
            // A kept token must stay valid while other scenarios ask for theirs.
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

/// Whether the request is a token request.
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
    fn a_bundled_scenario_runs_with_others_only_if_it_changes_nothing() {
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
        let wrong: Vec<_> = scenarios()
            .filter(|it| changes(&it.needs) && effect(it) < ScenarioEffect::Changes)
            .map(|it| &it.id)
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
