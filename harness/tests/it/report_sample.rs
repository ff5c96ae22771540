//! A result for tests of reports: every verdict except `error`, exchanges, an answer, residue. Its ids are not in the
//! register, so the reports do not change with it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moot_fixtures::contract::Level;
use moot_harness::exchange::masks::{Masks, Secrets};
use moot_harness::exchange::{
    Exchange, ObservedAnswer, ReceivedResponse, Residue, SentRequest, TargetClass,
    TargetDescription, Trouble,
};
use moot_harness::report::terminal::Detail;
use moot_harness::report::{Format, RenderError, ndjson, render};
use moot_harness::scenario::StepName;
use moot_harness::scenario::model::Location;
use moot_harness::verdict::result::{
    CheckResult, Event, ExpectedFailure, ExpectedState, RepeatCommand, RunOutcome, RunResult,
    ScenarioResult, SnapshotFindings, StepResult, Subject,
};
use moot_harness::verdict::{NotRun, NotRunKind, Verdict};
use serde_json::{Value, json};

/// The secret of the sample's application.
pub(crate) const SECRET: &str = "sample-secret-0123456789";

/// A place in a file of the sample.
pub(crate) fn at(file: &str, line: u32) -> Location {
    Location { file: format!("scenarios/{file}.yaml").into(), line, column: 9 }
}

/// An exchange with this response.
pub(crate) fn exchange(
    masks: &Arc<Masks>,
    number: u64,
    outcome: Result<(u16, &str), Trouble>,
) -> Arc<Exchange> {
    let outcome = outcome.map(|(status, body)| ReceivedResponse {
        status,
        headers: vec![("content-type".to_owned(), "application/problem+json".to_owned())],
        body: Bytes::from(body.to_owned()),
        json: serde_json::from_str::<Value>(body).ok().map(Arc::new),
        is_cut: false,
        digest: None,
        peer: None,
    });
    Arc::new(Exchange {
        number,
        request: SentRequest {
            method: "POST".to_owned(),
            url: "http://127.0.0.1:4010/v1/requests".to_owned(),
            path: "/v1/requests".to_owned(),
            operation: None,
            headers: vec![("authorization".to_owned(), "Bearer [main read write]".to_owned())],
            body_shown: "workflow_id=none\nfile=(agreement.pdf, 812 bytes)".to_owned(),
            body_length: 900,
            curl: "curl -sS -X POST -H \"Authorization: Bearer $TOKEN\" \
                   -F workflow_id=none http://127.0.0.1:4010/v1/requests"
                .to_owned(),
        },
        outcome,
        sent_at_seconds: 1_772_721_000,
        duration: Duration::from_micros(3_140),
        masks: Arc::clone(masks),
    })
}

/// A check of the sample's first scenario.
pub(crate) fn check(
    subject: Subject,
    verdict: Verdict,
    message: &str,
    exchange: Option<Arc<Exchange>>,
) -> CheckResult {
    let scenario = "04_05_create_legal_request/unknown-workflow[no such id]";
    let step = "POST /v1/requests";
    let level = match &subject {
        Subject::Requirement(_) => Some(Level::Stated),
        Subject::Question(_) => Some(Level::Open),
        Subject::Snapshot(_) => None,
    };
    CheckResult {
        subject,
        own: None,
        section: "4.5".into(),
        level,
        verdict,
        scenario: Arc::new(scenario.into()),
        step: Arc::new(StepName::new(step, &[])),
        mismatch: None,
        part: None,
        not_run: None,
        message: message.to_owned(),
        expected: String::new(),
        actual: String::new(),
        pointer: None,
        place: Some(at("04_05_create_legal_request", 17)),
        exchange,
        curl: None,
        known: None,
        changes: Vec::new(),
    }
}

fn requirement(id: &str) -> Subject {
    Subject::Requirement(id.to_owned().into())
}

fn checks(masks: &Arc<Masks>) -> Vec<CheckResult> {
    let problem = json!({"type": "request_not_found", "status": 404, "detail": ""}).to_string();
    let refused = exchange(masks, 1, Ok((404, &problem)));
    let broken = exchange(masks, 2, Err(Trouble::Timeout("30 s for the headers".to_owned())));
    let mut fail = check(
        requirement("sample.detail-is-text"),
        Verdict::Fail,
        "the text is empty",
        Some(Arc::clone(&refused)),
    );
    fail.expected = "length: { min: 1 }".to_owned();
    fail.actual = "\"\"".to_owned();
    fail.pointer = Some("/detail".to_owned());
    let mut drift = check(
        Subject::Snapshot("04_05_create_legal_request/unknown-workflow__post".into()),
        Verdict::Drift,
        "the response differs from its snapshot",
        Some(Arc::clone(&refused)),
    );
    drift.actual = "--- accepted\n+++ new\n@@ -1,2 +1,2 @@\n-HTTP 422\n+HTTP 404\n x\n".to_owned();
    let mut warn = check(
        requirement("sample.media-type"),
        Verdict::Warn,
        "the media type is another",
        Some(Arc::clone(&refused)),
    );
    warn.level = Some(Level::Inherited);
    vec![
        check(requirement("sample.member-type"), Verdict::Pass, "", Some(Arc::clone(&refused))),
        fail,
        drift,
        warn,
        check(
            Subject::Question("sample_question".into()),
            Verdict::Observed,
            "answered 404",
            Some(refused),
        ),
        check(
            requirement("sample.status-201"),
            Verdict::NotRun,
            "the control did not succeed",
            Some(broken),
        ),
        check(requirement("sample.member-title"), Verdict::NotApplicable, "no body", None),
    ]
}

/// The whole result. Its base address is that of a mock.
pub(crate) fn result() -> RunResult {
    let masks = Arc::new(Masks::default());
    masks.hide(SECRET, "main.client_secret");
    let checks = checks(&masks);
    let exchanges = checks.iter().filter_map(|check| check.exchange.clone());
    let mut exchanges: Vec<Arc<Exchange>> = exchanges.collect();
    exchanges.dedup_by_key(|exchange| exchange.number);
    let judged = ScenarioResult {
        name: "04_05_create_legal_request/unknown-workflow[no such id]".into(),
        title: "A request for an unknown workflow is refused".to_owned(),
        section: "4.5".to_owned(),
        verdict: Verdict::Fail,
        answers: Vec::new(),
        steps: vec![StepResult {
            exchanges,
            duration: Duration::from_millis(12),
            ..StepResult::new(StepName::new("POST /v1/requests", &[]), checks)
        }],
        not_run: None,
        known: None,
        duration: Duration::from_millis(14),
        at: at("04_05_create_legal_request", 5),
    };
    let skipped = ScenarioResult {
        name: "05_isolation/other-company".into(),
        title: "What another company owns is not found".to_owned(),
        section: "5".to_owned(),
        verdict: Verdict::NotRun,
        steps: Vec::new(),
        answers: Vec::new(),
        not_run: Some(NotRun {
            kind: NotRunKind::NeedNotMet,
            reason: "the target has no second company".to_owned(),
            setting: Some("applications.other_company in the target file".to_owned()),
            tolerate_as: "second_company".to_owned(),
            is_tolerated: true,
        }),
        known: None,
        duration: Duration::ZERO,
        at: at("05_isolation", 5),
    };
    RunResult {
        repeat: RepeatCommand::default(),
        outcome: RunOutcome::NonConformant,
        target: TargetDescription {
            name: "staging.yaml".to_owned(),
            base_url: "http://127.0.0.1:4010".to_owned(),
            class: TargetClass::Deployment,
        },
        seed: 42,
        scenarios: vec![judged, skipped],
        own_rows: BTreeMap::new(),
        answers: BTreeMap::from([(
            "sample_question".to_owned(),
            ObservedAnswer {
                question: "sample_question".to_owned(),
                section: "7".to_owned(),
                answers: vec![(json!(404), 3), (json!(422), 1)],
                seen_in: vec!["04_05_create_legal_request/unknown-workflow".to_owned()],
            },
        )]),
        snapshots: SnapshotFindings::default(),
        expected: vec![ExpectedFailure {
            id: "05_isolation/*".to_owned(),
            outcome: Verdict::Fail,
            reason: "a sample".to_owned(),
            expires: Some("2027-01-31".to_owned()),
            state: ExpectedState::Unjudged,
            note: None,
            names: Vec::new(),
        }],
        residue: vec![Residue {
            kind: "legal_request".to_owned(),
            id: Some("k3b9".to_owned()),
            tag: "moot-7f3a".to_owned(),
            scenario: "04_05_create_legal_request/from-schema".into(),
        }],
        trouble: None,
        reproduce: "moot run --target staging.yaml --seed 42".to_owned(),
        started_at: "2026-03-05T14:30:00Z".to_owned(),
        duration: Duration::from_millis(3_210),
        requests_sent: 2,
        unanswered: 0,
        long_lists: BTreeMap::new(),
        masks,
    }
}

/// A result without any scenario, because of trouble.
pub(crate) fn unreachable() -> RunResult {
    RunResult {
        outcome: RunOutcome::Unreachable,
        scenarios: Vec::new(),
        answers: BTreeMap::new(),
        residue: Vec::new(),
        trouble: Some("no connection to http://127.0.0.1:4010: refused".to_owned()),
        requests_sent: 0,
        ..result()
    }
}

/// The report in this format. An event stream has the lines of all scenarios.
pub(crate) fn rendered(
    format: Format,
    result: &RunResult,
    detail: Detail,
) -> Result<String, RenderError> {
    let mut lines = String::new();
    if format == Format::Ndjson {
        let secrets = Secrets::of(&result.masks);
        let mut events = vec![Event::Planned { scenarios: result.scenarios.len() }];
        for scenario in &result.scenarios {
            events.push(Event::Started { name: scenario.name.clone() });
            events.push(Event::Ended(Arc::new(scenario.clone())));
        }
        for event in events {
            lines.push_str(&ndjson::line(&event, &secrets)?);
        }
    }
    Ok(lines + &render(format, result, detail)?)
}
