//! The result of a token endpoint that refuses the request of §4.1.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::register;

use crate::exchange::Exchange;
use crate::scenario::model::Location;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::Verdict;
use crate::verdict::check::{Judgement, MismatchKind};
use crate::verdict::result::{ScenarioResult, StepResult};

use super::judge::CheckOrigin;

/// The requirement that such an endpoint violates.
const REQUIREMENT: &str = "token.form-encoded";
/// The name in reports, in place of a scenario: `opening/first-token`.
const NAME: (&str, &str) = ("opening", "first-token");
/// The name of its step.
const STEP: &str = "POST /oauth/token";

/// The result of the refused first token request.
pub(super) fn result(exchange: &Arc<Exchange>) -> ScenarioResult {
    let (name, step) = (ScenarioName::new(NAME.0, NAME.1), StepName::new(STEP, &[]));
    let origin = CheckOrigin {
        scenario: Arc::new(name.clone()),
        step: Arc::new(step.clone()),
        strict: false,
        own_rows: Arc::default(),
    };
    let status = exchange.outcome.as_ref().map_or(0, |response| response.status);
    let judgement = Judgement::fails(
        MismatchKind::Value,
        "the token endpoint refuses the documented request",
        "a token",
        status.to_string(),
    );
    let check = origin.result(REQUIREMENT, None, judgement, Some(Arc::clone(exchange)));
    let step = StepResult {
        duration: exchange.duration,
        exchanges: vec![Arc::clone(exchange)],
        ..StepResult::new(step, vec![check])
    };
    ScenarioResult {
        at: Location { file: name.to_string().into(), line: 1, column: 1 },
        name,
        title: "The first token request is granted".to_owned(),
        section: register::get(REQUIREMENT).map(|row| row.section.clone()).unwrap_or_default(),
        verdict: Verdict::Fail,
        not_run: None,
        known: None,
        duration: Duration::ZERO,
        steps: vec![step],
        answers: Vec::new(),
    }
}
