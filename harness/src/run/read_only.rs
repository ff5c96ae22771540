//! Decides which scenarios may run at the same time on a target that they share.
//!
//! In a sandbox of its own, a scenario affects no other. On a deployment, scenarios see the changes of others, and a
//! newer token may end the older ones of its application. So a scenario that sends anything but GET runs alone.

use moot_fixtures::contract::Operation;

use crate::scenario::declared;
use crate::scenario::model::{RequestLine, RequestShape, Scenario, Step, StepAction};

/// Whether the scenario sends only GET.
pub(super) fn only_reads(scenario: &Scenario) -> bool {
    // An operator may have to make such a token.
    let mut reads = !scenario.needs("expired_token") && !scenario.needs("revoked_token");
    declared::collect(&scenario.steps, &mut |step| reads &= step_only_reads(step));
    reads
}

fn step_only_reads(step: &Step) -> bool {
    match &step.action {
        StepAction::Request(request) => {
            let control = request.control.as_ref().map(|control| &control.shape);
            let premise = request.premise.as_ref().map(|premise| &premise.request);
            is_get(&request.shape)
                && premise.is_none_or(is_get_line)
                && control.is_none_or(|shape| shape.line.is_none() || is_get(shape))
        }
        StepAction::ForEach(..) | StepAction::Let(_) | StepAction::Assume(_) => true,
        StepAction::Burst(_)
        | StepAction::Receive(_)
        | StepAction::Admin(_)
        | StepAction::Operator(_) => false,
    }
}

fn is_get(shape: &RequestShape) -> bool {
    shape.line.as_ref().is_some_and(is_get_line)
}

fn is_get_line(line: &RequestLine) -> bool {
    line.is_get() == Some(true)
}

/// Whether the request is a token request.
pub(super) fn asks_for_token(shape: &RequestShape) -> bool {
    let token = Operation::CreateAccessToken;
    match &shape.line {
        Some(RequestLine::Path { method, path }) => {
            method.as_literal() == Some(token.method().as_str())
                && path.as_literal() == Some(token.path())
        }
        Some(RequestLine::Operation { known, .. }) => *known == Some(token),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::only_reads;
    use crate::scenario::load;
    use crate::scenario::model::{Scenario, StepAction};

    #[test]
    fn a_bundled_scenario_runs_with_others_only_if_it_sends_only_get() {
        let files = load::bundled().expect("the bundled suite is sound");
        let scenarios = || files.iter().flat_map(|file| &file.scenarios);
        let reads =
            |id: &str| only_reads(scenarios().find(|it| it.id == id).expect("it is bundled"));
        assert!(reads("pagination-partition"));
        assert!(!reads("document-without-file-or-url"));
        assert!(!reads("token-outlived-by-a-newer-one"));
        assert!(!reads("scope-granted-is-scope-asked"));
        let sends_bursts =
            |it: &Scenario| it.steps.iter().any(|step| matches!(step.action, StepAction::Burst(_)));
        let must_run_alone =
            ["delete", "load", "expired_token", "revoked_token"].map(str::to_owned);
        let needs = |it: &Scenario| it.needs.iter().any(|need| must_run_alone.contains(need));
        let wrong: Vec<_> = scenarios()
            .filter(|it| only_reads(it) && (sends_bursts(it) || needs(it)))
            .map(|it| &it.id)
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
