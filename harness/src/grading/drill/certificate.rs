//! The certificate: every drill with its evidence, and the grade.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{Operation, Severity};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use super::judge::{self, DrillEnd, DrillResult};
use super::recording::DrillRecording;
use super::table;
use super::waiver::{Waiver, WaiverUse};
use crate::run::part_files::fingerprint;

/// The version of the file format.
const SCHEMA_VERSION: u32 = 1;
/// A client that held fewer drills has shown too little.
const HELD_MIN: usize = 8;
/// The key of the recording of the calm run.
pub const CALM: &str = "calm";

/// The grade of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Grade {
    /// Every drill that applies was held.
    Ready,
    /// The same with waivers, or with findings in the calm run.
    ReadyWithRemarks,
    /// A drill failed, or a waiver is expired or unused.
    NotReady,
    /// Something was not reached or not run, or too little was held.
    Inconclusive,
}

/// The client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrilledClient {
    /// The command.
    pub command: Vec<String>,
    /// `--client-version`.
    pub version: Option<String>,
    /// The `User-Agent`s that were seen.
    pub user_agents: BTreeSet<String>,
    /// The operations that it used in the calm run.
    pub operations: BTreeSet<String>,
    /// What it used of the control plane, in any run: methods and routes.
    pub control: BTreeSet<String>,
}

/// The result of `moot drill`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// The version of this format.
    pub schema_version: u32,
    /// The version of Moot.
    pub moot_version: String,
    /// SHA-256 of the drills that were run with this version.
    pub drills_digest: String,
    /// SHA-256 of the rules of conduct by which it was judged; empty in older certificates.
    #[serde(default)]
    pub rules_digest: String,
    /// `--seed`.
    pub seed: u64,
    /// The grade.
    pub grade: Grade,
    /// Why it is not a better one, a sentence each.
    pub reasons: Vec<String>,
    /// The client.
    pub client: DrilledClient,
    /// The calm run first, then every drill that was run.
    pub drills: Vec<DrillResult>,
    /// The waivers, and what they excused.
    pub waivers: Vec<WaiverUse>,
    /// The recordings that it was computed from, by drill.
    pub recordings: BTreeMap<String, DrillRecording>,
}

/// What a certificate is made of, beside its recordings.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateInput {
    /// `--seed`.
    pub seed: u64,
    /// The command.
    pub command: Vec<String>,
    /// `--client-version`.
    pub version: Option<String>,
    /// Whether only some of the drills were run.
    #[serde(skip)]
    pub is_partial: bool,
    /// The waivers.
    pub waivers: Vec<Waiver>,
    /// Today, as `2026-11-22`.
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
    /// Judges recordings.
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
        }
        let waivers: Vec<WaiverUse> =
            input.waivers.iter().map(|it| it.used(&drills, &input.today)).collect();
        let (grade, reasons) = grade(&drills, &waivers, input.is_partial);
        Self {
            schema_version: SCHEMA_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            drills_digest: table::digest(),
            rules_digest: fingerprint(&moot_fixtures::conduct::all()),
            seed: input.seed,
            grade,
            reasons,
            client: DrilledClient {
                command: input.command,
                version: input.version,
                user_agents: user_agents(recordings.values()),
                operations: operations(&calm),
                control: control(recordings.values()),
            },
            drills,
            waivers,
            recordings,
        }
    }

    /// Computes everything again from the recordings. Gives what differs, a sentence each.
    pub fn differences(&self) -> Vec<String> {
        let again = Self::of(
            CertificateInput {
                seed: self.seed,
                command: self.client.command.clone(),
                version: self.client.version.clone(),
                is_partial: self.is_partial(),
                waivers: self.waivers.iter().map(|it| it.waiver.clone()).collect(),
                today: self.waivers.first().map_or_else(String::new, |it| it.judged_on.clone()),
            },
            self.recordings.clone(),
        );
        let mut found = Vec::new();
        if self.drills_digest != again.drills_digest {
            found.push("the drills of this version of Moot are others".to_owned());
        }
        if self.rules_digest != again.rules_digest {
            found.push("the rules of conduct of this version of Moot are others".to_owned());
        }
        let by_id = |all: &[DrillResult], id: &str| all.iter().find(|it| it.drill == id).cloned();
        let ids: BTreeSet<&str> =
            self.drills.iter().chain(&again.drills).map(|it| it.drill.as_str()).collect();
        for id in ids {
            let (told, computed) = (by_id(&self.drills, id), by_id(&again.drills, id));
            if told != computed {
                let shown = |it: &Option<DrillResult>| {
                    it.as_ref().map_or_else(
                        || "nothing".to_owned(),
                        |it| format!("{}, {}", it.end.shown(), it.why),
                    )
                };
                let (told, computed) = (shown(&told), shown(&computed));
                found.push(format!("{id}: the file says {told}; the recording shows {computed}"));
            }
        }
        if (&self.grade, &self.waivers) != (&again.grade, &again.waivers) {
            let (told, computed) = (self.grade.shown(), again.grade.shown());
            found.push(format!("the file says {told}; the recording shows {computed}"));
        }
        if self.client != again.client {
            found.push("the client of the file is not the one of the recording".to_owned());
        }
        found
    }

    fn is_partial(&self) -> bool {
        table::all().iter().any(|drill| !self.recordings.contains_key(&drill.id))
    }
}

/// The JSON Schema of a certificate.
pub fn schema() -> Value {
    let mut schema = schema_for!(Certificate).to_value();
    schema["title"] = "Certificate of `moot drill`".into();
    schema
}

fn grade(drills: &[DrillResult], waivers: &[WaiverUse], is_partial: bool) -> (Grade, Vec<String>) {
    let excused: BTreeSet<&str> =
        waivers.iter().filter(|it| it.fault.is_none()).map(|it| it.waiver.drill.as_str()).collect();
    let of = |end: DrillEnd| {
        drills.iter().filter(move |it| it.end == end && it.drill != CALM).map(|it| &it.drill)
    };
    let mut reasons: Vec<String> = waivers.iter().filter_map(|it| it.fault.clone()).collect();
    let failed: Vec<&str> =
        of(DrillEnd::Failed).map(String::as_str).filter(|it| !excused.contains(it)).collect();
    if let Some(calm) = drills.first().filter(|it| it.end != DrillEnd::Held) {
        return (Grade::Inconclusive, vec![format!("the calm run does not hold: {}", calm.why)]);
    }
    let broken = |drills: &[DrillResult], severity| {
        let all = drills.iter().flat_map(|drill| &drill.findings);
        let rules: BTreeSet<&str> = all
            .filter(|finding| finding.severity == severity)
            .map(|finding| finding.rule.as_str())
            .collect();
        rules.into_iter().collect::<Vec<_>>().join(", ")
    };
    let in_calm_run = broken(&drills[..1], Severity::Must);
    if !in_calm_run.is_empty() {
        reasons.push(format!("broken in the calm run: {in_calm_run}"));
    }
    if !failed.is_empty() {
        reasons.push(format!("failed: {}", failed.join(", ")));
    }
    if !reasons.is_empty() {
        return (Grade::NotReady, reasons);
    }
    for end in [DrillEnd::NotReached, DrillEnd::Disturbed] {
        let open: Vec<&str> =
            of(end).map(String::as_str).filter(|it| !excused.contains(it)).collect();
        if !open.is_empty() {
            reasons.push(format!("{}: {}", end.shown(), open.join(", ")));
        }
    }
    if is_partial {
        reasons.push("not all drills were run".to_owned());
    }
    let held = of(DrillEnd::Held).count();
    if held < HELD_MIN {
        let were = if held == 1 { "drill was" } else { "drills were" };
        reasons.push(format!("{held} {were} held; a grade needs {HELD_MIN}"));
    }
    if !reasons.is_empty() {
        return (Grade::Inconclusive, reasons);
    }
    reasons.extend(excused.iter().map(|drill| format!("waived: {drill}")));
    let remarks = broken(drills, Severity::Should);
    if !remarks.is_empty() {
        reasons.push(format!("a client should do better: {remarks}"));
    }
    let grade = if reasons.is_empty() { Grade::Ready } else { Grade::ReadyWithRemarks };
    (grade, reasons)
}

fn user_agents<'r>(recordings: impl Iterator<Item = &'r DrillRecording>) -> BTreeSet<String> {
    let exchanges = recordings.flat_map(|it| exchanges(&it.journal));
    let agents = exchanges.filter_map(|it| it["request"]["user_agent"].as_str());
    agents.map(str::to_owned).collect()
}

fn control<'r>(recordings: impl Iterator<Item = &'r DrillRecording>) -> BTreeSet<String> {
    let uses = recordings.flat_map(DrillRecording::control_uses);
    uses.map(|it| format!("{} {}", it.method, it.path)).collect()
}

fn exchanges(journal: &Value) -> impl Iterator<Item = &Value> {
    let worlds = journal["worlds"].as_array().into_iter().flatten();
    worlds.flat_map(|world| world["exchanges"].as_array().into_iter().flatten())
}

fn operations(calm: &DrillRecording) -> BTreeSet<String> {
    let worlds = calm.worlds().unwrap_or_default();
    let used = worlds.iter().flat_map(|world| &world.calls).filter_map(|call| call.operation);
    used.map(Operation::as_str).map(str::to_owned).collect()
}
