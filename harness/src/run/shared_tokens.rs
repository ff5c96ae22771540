//! The tokens that a scenario shares with others.

use std::collections::BTreeSet;

use moot_fixtures::contract::Scopes;

use crate::run::environment::application_of;
use crate::scenario::declared;
use crate::scenario::model::{RequestShape, Scenario, StepAction, Text, TokenChoice};

use super::control;

/// The shared tokens of a scenario: application and scopes.
pub(super) fn of(scenario: &Scenario) -> BTreeSet<(String, Scopes)> {
    // The application of a need is tried with its own token.
    let applications = scenario.needs.iter().filter_map(|need| application_of(need));
    let mut tokens: BTreeSet<_> =
        applications.map(|(role, scopes)| (role.to_owned(), scopes)).collect();
    declared::collect(&scenario.steps, &mut |step| match &step.action {
        StepAction::Request(request) => {
            if !request.unchanged.is_empty() || request.premise.is_some() {
                tokens.insert(("main".to_owned(), Scopes::READ));
            }
            let control = request.control.as_ref();
            let control = control.map(|control| control::merged(&request.shape, &control.shape));
            tokens.extend(control.as_ref().and_then(token));
            tokens.extend(token(&request.shape));
        }
        StepAction::Burst(burst) => tokens.extend(token(&burst.shape)),
        _ => {}
    });
    tokens
}

/// The shared token of a request. An application whose name is known only at run time counts as `main`.
fn token(shape: &RequestShape) -> Option<(String, Scopes)> {
    let Some(TokenChoice::Shared(scopes)) = shape.token else { return None };
    let role = shape.application.as_ref().and_then(Text::as_literal).unwrap_or("main");
    Some((role.to_owned(), scopes))
}

#[cfg(test)]
mod tests {
    use crate::scenario::load;

    #[test]
    fn a_read_shares_the_token_of_its_application() {
        let files = load::bundled().expect("the bundled suite is sound");
        let mut all = files.iter().flat_map(|file| &file.scenarios);
        let scenario = all.find(|it| it.id == "requests-filtered-by-status");
        let tokens = super::of(scenario.expect("it is bundled"));
        assert!(tokens.iter().any(|(role, scopes)| role == "main" && scopes.read), "{tokens:?}");
    }
}
