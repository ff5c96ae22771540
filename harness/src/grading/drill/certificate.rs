//! The certificate: every drill with its evidence, and the grade.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::conduct::{self, DrillEnd};
use moot_fixtures::contract::{Operation, Severity};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use super::judge::{self, DrillResult};
use super::recording::DrillRecording;
use super::table::{self, CALM};
use super::waiver::{Waiver, WaiverUse};
use crate::run::part_files::fingerprint;
use crate::verdict::pluralize;

/// Version of the file format.
const SCHEMA_VERSION: u32 = 1;
/// A grade needs this many drills that held.
const HELD_MIN: usize = 8;

/// The grade of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Grade {
    /// All applicable drills held.
    Ready,
    /// As `Ready`, with waivers or with a broken `should`.
    ReadyWithRemarks,
    /// A drill failed, the calm run broke a `must`, or a waiver is expired or not needed.
    NotReady,
    /// The calm run or a drill did not reach a result, drills were left out, the mock had a defect, or too few held.
    Inconclusive,
}

/// The graded client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrilledClient {
    /// The command.
    pub command: Vec<String>,
    /// `--client-version`.
    pub version: Option<String>,
    /// Its `User-Agent`s, of all runs.
    pub user_agents: BTreeSet<String>,
    /// The operations that it called in the calm run.
    pub operations: BTreeSet<String>,
    /// Its calls of the control plane in all runs: method and route.
    pub control: BTreeSet<String>,
}

/// The result of `moot drill`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// The version of this format.
    pub schema_version: u32,
    /// The version of Moot.
    pub moot_version: String,
    /// SHA-256 of the drills of this version.
    pub drills_digest: String,
    /// SHA-256 of the rules of conduct of this version; empty in older certificates.
    #[serde(default)]
    pub rules_digest: String,
    /// `--seed`.
    pub seed: u64,
    /// The defects of the mock (`--defect`). With one, the client is never ready.
    #[serde(default)]
    pub defects: Vec<String>,
    /// The grade.
    pub grade: Grade,
    /// The reasons why the grade is not better, a sentence each.
    pub reasons: Vec<String>,
    /// The client.
    pub client: DrilledClient,
    /// The calm run first, then every drill that was run.
    pub drills: Vec<DrillResult>,
    /// The waivers, with their effect.
    pub waivers: Vec<WaiverUse>,
    /// The recordings that the results were computed from, by drill.
    pub recordings: BTreeMap<String, DrillRecording>,
}

/// The values that a certificate is computed from, besides the recordings.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateInput {
    /// `--seed`.
    pub seed: u64,
    /// The command.
    pub command: Vec<String>,
    /// `--client-version`.
    pub version: Option<String>,
    /// The defects of the mock.
    #[serde(default)]
    pub defects: Vec<String>,
    /// Whether drills were left out.
    #[serde(skip)]
    pub is_partial: bool,
    /// The waivers.
    pub waivers: Vec<Waiver>,
    /// The date of today, such as `2026-11-22`.
    #[serde(skip)]
    pub today: String,
}

impl Grade {
    /// As in a report for people: `ready with remarks`.
    pub fn shown(self) -> String {
        <&str>::from(self).replace('_', " ")
    }

    /// The exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Ready | Self::ReadyWithRemarks => 0,
            Self::NotReady => 1,
            Self::Inconclusive => 3,
        }
    }
}

impl Certificate {
    /// Judges the recordings, and grades the client.
    pub fn of(input: CertificateInput, recordings: BTreeMap<String, DrillRecording>) -> Self {
        let calm = recordings.get(CALM).cloned().unwrap_or_default();
        let calm_result = judge::calm(&calm);
        let is_calm = calm_result.end == DrillEnd::Held;
        let mut drills = vec![calm_result];
        if is_calm {
            let run = table::all().iter().filter_map(|drill| {
                let recording = recordings.get(&drill.id)?;
                Some(judge::judge(drill, &calm, recording))
            });
            drills.extend(run);
            name_missing_retry(&mut drills, &recordings);
        }
        let waivers: Vec<WaiverUse> =
            input.waivers.iter().map(|it| it.apply(&drills, &input.today)).collect();
        let (grade, reasons) = grade(&drills, &waivers, &input.defects, input.is_partial);
        Self {
            schema_version: SCHEMA_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            drills_digest: table::digest(),
            rules_digest: fingerprint(&moot_fixtures::conduct::all()),
            seed: input.seed,
            defects: input.defects,
            grade,
            reasons,
            client: DrilledClient {
                command: input.command,
                version: input.version,
                user_agents: recordings.values().flat_map(user_agents).collect(),
                operations: operations(&calm),
                control: recordings.values().flat_map(control).collect(),
            },
            drills,
            waivers,
            recordings,
        }
    }

    /// Computes the certificate again from its recordings. Returns the differences, a sentence each.
    pub fn differences(&self) -> Vec<String> {
        let again = Self::of(
            CertificateInput {
                seed: self.seed,
                command: self.client.command.clone(),
                version: self.client.version.clone(),
                defects: self.defects.clone(),
                is_partial: self.is_partial(),
                waivers: self.waivers.iter().map(|it| it.waiver.clone()).collect(),
                today: self.waivers.first().map_or_else(String::new, |it| it.judged_on.clone()),
            },
            self.recordings.clone(),
        );
        let mut found = Vec::new();
        if self.drills_digest != again.drills_digest {
            found.push("this version of Moot has other drills".to_owned());
        }
        if self.rules_digest != again.rules_digest {
            found.push("this version of Moot has other rules of conduct".to_owned());
        }
        let by_id = |all: &[DrillResult], id: &str| all.iter().find(|it| it.drill == id).cloned();
        let shown = |result: &Option<DrillResult>| match result {
            None => "nothing".to_owned(),
            Some(it) => format!("{}, {}", it.end.shown(), it.why),
        };
        let ids: BTreeSet<&str> =
            self.drills.iter().chain(&again.drills).map(|it| it.drill.as_str()).collect();
        for id in ids {
            let (stated, computed) = (by_id(&self.drills, id), by_id(&again.drills, id));
            if stated != computed {
                let (stated, computed) = (shown(&stated), shown(&computed));
                found.push(format!("{id}: the file says {stated}; the recording shows {computed}"));
            }
        }
        if (&self.grade, &self.waivers) != (&again.grade, &again.waivers) {
            let (stated, computed) = (self.grade.shown(), again.grade.shown());
            found.push(format!("the file says {stated}; the recording shows {computed}"));
        }
        if self.client != again.client {
            found.push("the file names another client than the recordings".to_owned());
        }
        found
    }

    fn is_partial(&self) -> bool {
        table::all().iter().any(|drill| !self.recordings.contains_key(&drill.id))
    }
}

/// A client that does not retry a GET after a plain 503 does not retry one after an unusual failure either. Whether it
/// understands that failure does not show, so the finding names the missing retry.
fn name_missing_retry(drills: &mut [DrillResult], recordings: &BTreeMap<String, DrillRecording>) {
    let unavailable = table::get(table::UNAVAILABLE);
    let Some(rule) = unavailable.and_then(|it| conduct::get(it.breaks.as_deref()?)) else { return };
    let has_failed =
        |id: &str| recordings.get(id).is_some_and(|it| !it.is_timed_out && it.exit_code != Some(0));
    let ends_at_once = drills.iter().any(|it| {
        it.drill == table::UNAVAILABLE
            && it.met_by.len() == 1
            && it.findings.iter().any(|finding| finding.rule == rule.id)
    });
    if !ends_at_once || !has_failed(table::UNAVAILABLE) {
        return;
    }
    for result in drills.iter_mut().filter(|it| has_failed(&it.drill)) {
        let drill = table::get(&result.drill).filter(|it| it.takes_retry);
        let Some(breaks) = drill.and_then(|it| it.breaks.as_deref()) else { continue };
        for finding in result.findings.iter_mut().filter(|it| it.rule == breaks) {
            *finding = finding.clone().of_rule(rule);
        }
    }
}

/// The JSON Schema of a certificate.
pub fn schema() -> Value {
    let mut schema = schema_for!(Certificate).to_value();
    schema["title"] = "Certificate of `moot drill`".into();
    schema
}

fn grade(
    drills: &[DrillResult],
    waivers: &[WaiverUse],
    defects: &[String],
    is_partial: bool,
) -> (Grade, Vec<String>) {
    if let Some(calm) = drills.first().filter(|it| it.end != DrillEnd::Held) {
        return (Grade::Inconclusive, vec![format!("the calm run does not hold: {}", calm.why)]);
    }
    let excused: BTreeSet<&str> =
        waivers.iter().filter(|it| it.fault.is_none()).map(|it| it.waiver.drill.as_str()).collect();
    let unexcused = |end: DrillEnd| {
        let ids = drills.iter().filter(|it| it.end == end).map(|it| it.drill.as_str());
        ids.filter(|id| !excused.contains(id)).collect::<Vec<_>>().join(", ")
    };
    let mut reasons: Vec<String> = waivers.iter().filter_map(|it| it.fault.clone()).collect();
    let add = |reasons: &mut Vec<String>, label: &str, ids: String| {
        if !ids.is_empty() {
            reasons.push(format!("{label}: {ids}"));
        }
    };
    add(&mut reasons, "broken in the calm run", broken(&drills[..1], Severity::Must));
    add(&mut reasons, "failed", unexcused(DrillEnd::Failed));
    if !reasons.is_empty() {
        return (Grade::NotReady, reasons);
    }
    for end in [DrillEnd::NotReached, DrillEnd::Disturbed] {
        add(&mut reasons, &end.shown(), unexcused(end));
    }
    if is_partial {
        reasons.push("not all drills were run".to_owned());
    }
    add(&mut reasons, "the mock had defects", defects.join(", "));
    let held = drills.iter().filter(|it| it.end == DrillEnd::Held && it.drill != CALM).count();
    if held < HELD_MIN {
        reasons.push(format!("{} held; a grade needs {HELD_MIN}", pluralize(held, "drill")));
    }
    if !reasons.is_empty() {
        return (Grade::Inconclusive, reasons);
    }
    reasons.extend(excused.iter().map(|drill| format!("waived: {drill}")));
    add(&mut reasons, "a client should do better", broken(drills, Severity::Should));
    let grade = if reasons.is_empty() { Grade::Ready } else { Grade::ReadyWithRemarks };
    (grade, reasons)
}

/// The broken rules of this severity.
fn broken(drills: &[DrillResult], severity: Severity) -> String {
    let findings = drills.iter().flat_map(|drill| &drill.findings);
    let rules: BTreeSet<&str> =
        findings.filter(|it| it.severity == severity).map(|it| it.rule.as_str()).collect();
    rules.into_iter().collect::<Vec<_>>().join(", ")
}

fn user_agents(run: &DrillRecording) -> Vec<String> {
    let worlds = run.worlds().unwrap_or_default();
    let calls = worlds.into_iter().flat_map(|world| world.calls);
    calls.filter_map(|call| call.request.user_agent).collect()
}

fn control(run: &DrillRecording) -> Vec<String> {
    run.control_uses().iter().map(|it| format!("{} {}", it.method, it.path)).collect()
}

fn operations(calm: &DrillRecording) -> BTreeSet<String> {
    let worlds = calm.worlds().unwrap_or_default();
    let used = worlds.iter().flat_map(|world| &world.calls).filter_map(|call| call.operation);
    used.map(Operation::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use moot_fixtures::conduct::DrillEnd;

    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::{Certificate, CertificateInput, Grade, HELD_MIN, grade};
    use crate::grading::drill::judge::{self, DrillResult};
    use crate::grading::drill::recording::DrillRecording;
    use crate::grading::drill::table::{self, calm};

    /// A run whose reads of a list have these statuses, by a fault from 400 on.
    fn listing(statuses: &[u16], exit_code: i32) -> DrillRecording {
        let call = |(serial, status): (usize, &u16)| {
            json!({
                "serial": serial, "at": "2026-03-05T14:30:00Z", "client": "127.0.0.1", "method": "GET",
                "path": "/v1/requests", "operation": "list_legal_requests", "application": "demo-main",
                "status": status, "problem": null, "detail": null, "response": {},
                "decision": "served", "fault": (*status >= 400).then_some("status"),
            })
        };
        let calls: Vec<Value> = (1..).zip(statuses).map(call).collect();
        let world =
            json!({ "sandbox": null, "forgotten": 0, "exchanges": calls, "deliveries": [] });
        let journal = json!({ "worlds": [world], "control": [] });
        DrillRecording { exit_code: Some(exit_code), journal, ..DrillRecording::default() }
    }

    #[test]
    fn a_client_without_any_retry_is_not_blamed_for_the_kind_of_the_failure() {
        for (unavailable, expected) in [
            (listing(&[503], 1), "gives-up"),
            (listing(&[503, 503, 503], 1), "breaks-on-problem-type"),
            (listing(&[503, 200], 0), "breaks-on-problem-type"),
        ] {
            let recordings = BTreeMap::from([
                ("calm".to_owned(), listing(&[200], 0)),
                ("unavailable".to_owned(), unavailable),
                ("unknown-problem".to_owned(), listing(&[503], 1)),
            ]);
            let certificate = Certificate::of(CertificateInput::default(), recordings);
            let result = certificate.drills.iter().find(|it| it.drill == "unknown-problem");
            let rules: Vec<&str> =
                result.iter().flat_map(|it| &it.findings).map(|it| it.rule.as_str()).collect();
            assert_eq!(rules, [expected]);
        }
    }

    #[test]
    fn a_client_is_not_ready_if_drills_were_left_out_or_the_mock_had_a_defect() {
        let nothing = DrillRecording::default();
        let held = std::iter::once(calm()).chain(table::all()).take(1 + HELD_MIN).map(|drill| {
            let result = judge::judge(drill, &nothing, &nothing);
            DrillResult { end: DrillEnd::Held, findings: Vec::new(), ..result }
        });
        let held: Vec<DrillResult> = held.collect();
        let defect = ["token.lifetime-3600".to_owned()];
        for (defects, is_partial, expected, reasons) in [
            (&[][..], false, Grade::Ready, &[][..]),
            (&[], true, Grade::Inconclusive, &["not all drills were run"]),
            (&defect, false, Grade::Inconclusive, &["the mock had defects: token.lifetime-3600"]),
        ] {
            let found = grade(&held, &[], defects, is_partial);
            let reasons = reasons.iter().copied().map(str::to_owned).collect();
            assert_eq!(found, (expected, reasons), "{defects:?} {is_partial}");
        }
    }
}
