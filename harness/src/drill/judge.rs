//! The verdict on one drill: a pure function of the calm run and the drill's run.

use moot_fixtures::contract::{Operation, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use super::recording::DrillRecording;
use super::table::{Drill, ExpectedEnd, Meeting};
use crate::conduct::{self, ConductEvidence, ConductFinding, JournalCall, WorldJournal};

/// How a drill ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DrillEnd {
    /// The client met the situation and did the right thing.
    Held,
    /// It met it and did a wrong thing.
    Failed,
    /// It did not meet the situation.
    NotReached,
    /// The wire does not show what the drill is about.
    NotObservable,
    /// The client does not use what the drill is about.
    NotApplicable,
    /// Something of ours went wrong.
    Disturbed,
}

/// The result of one drill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillResult {
    /// Its id; `calm` is the run without a situation.
    pub drill: String,
    /// What happened.
    pub title: String,
    /// How it ended.
    pub end: DrillEnd,
    /// Why, in a sentence.
    pub why: String,
    /// Numbers of the calls that met the situation.
    pub met_by: Vec<u64>,
    /// The rules of conduct that were broken, of those that count here.
    #[schemars(with = "Vec<Value>")]
    pub findings: Vec<ConductFinding>,
}

impl DrillEnd {
    /// As in a report for people: `not reached`.
    pub fn shown(self) -> String {
        <&str>::from(self).replace('_', " ")
    }
}

/// The verdict on the calm run. Nothing is graded unless it holds.
pub fn calm(run: &DrillRecording) -> DrillResult {
    let result = |end, why: String| DrillResult {
        drill: "calm".to_owned(),
        title: "Nothing happens".to_owned(),
        end,
        why,
        met_by: Vec::new(),
        findings: Vec::new(),
    };
    let worlds = match sound(run) {
        Ok(worlds) => worlds,
        Err(why) => return result(DrillEnd::Disturbed, why),
    };
    if run.is_timed_out {
        return result(DrillEnd::Failed, format!("the command {}", ended(run)));
    }
    let served = calls(&worlds).filter(|call| is_served(call)).count();
    if served == 0 {
        let why = match calls(&worlds).count() {
            0 => "the command called nothing: does it read MOOT_BASE_URL?".to_owned(),
            count => format!("none of its {count} calls was served with a token"),
        };
        return result(DrillEnd::Failed, why);
    }
    if run.exit_code != Some(0) {
        return result(DrillEnd::Failed, format!("the command {}", ended(run)));
    }
    let findings = conduct::findings(&worlds);
    let why = format!("the command ended with 0 after {served} calls that were served");
    DrillResult { findings, ..result(DrillEnd::Held, why) }
}

/// The verdict on a drill.
pub fn judge(drill: &Drill, calm: &DrillRecording, run: &DrillRecording) -> DrillResult {
    let mut result = DrillResult {
        drill: drill.id.clone(),
        title: drill.title.clone(),
        end: DrillEnd::Disturbed,
        why: String::new(),
        met_by: Vec::new(),
        findings: Vec::new(),
    };
    (result.end, result.why) = match (sound(calm), sound(run)) {
        (Err(why), _) | (_, Err(why)) => (DrillEnd::Disturbed, why),
        (Ok(calm_worlds), Ok(worlds)) => {
            let met = met(&drill.met, &worlds, run);
            result.met_by = met.iter().map(|call| call.serial).collect();
            result.findings =
                findings(&worlds, |rule| drill.rules.iter().any(|named| named == rule));
            let is_met = !met.is_empty()
                && run.deliveries >= drill.met.deliveries
                && run.orders_done >= drill.orders.iter().filter(|it| it.after.is_some()).count();
            let unused = drill.needs.iter().find(|needed| !uses(&calm_worlds, **needed));
            match (unused, is_met) {
                (Some(unused), _) => {
                    let why = format!("in the calm run it never calls {}", unused.as_str());
                    (DrillEnd::NotApplicable, why)
                }
                (None, false) => {
                    (DrillEnd::NotReached, format!("it would have needed {}", drill.reach))
                }
                (None, true) => {
                    let (end, why) = judge_met(drill, calm, run, &met, &worlds, &result.findings);
                    let has_must = result.findings.iter().any(|it| it.severity == Severity::Must);
                    if end == DrillEnd::Failed && !has_must {
                        result.findings.extend(own_finding(drill, run, &met, &why));
                    }
                    (end, why)
                }
            }
        }
    };
    result
}

fn judge_met(
    drill: &Drill,
    calm: &DrillRecording,
    run: &DrillRecording,
    met: &[&JournalCall],
    worlds: &[WorldJournal],
    findings: &[ConductFinding],
) -> (DrillEnd, String) {
    let failed = |why: String| (DrillEnd::Failed, why);
    if run.is_timed_out {
        return failed(format!("the command {}", ended(run)));
    }
    if run.strangers_trusted > 0 {
        return failed("it sent its token to another host".to_owned());
    }
    if let Some(finding) = findings.iter().find(|it| it.severity == Severity::Must) {
        return failed(format!("{}: {}", finding.rule, finding.seen));
    }
    let has_succeeded = run.exit_code == Some(0);
    let is_same = run.made == calm.made;
    let is_more = run
        .made
        .iter()
        .any(|(kind, made)| made.abs() > calm.made.get(kind).copied().unwrap_or_default().abs());
    let wrong = match drill.end {
        ExpectedEnd::Ends => None,
        _ if is_more => Some(format!("it made {}, and {} in the calm run", made(run), made(calm))),
        ExpectedEnd::Fails if has_succeeded => {
            Some("the command ended with 0 as if all was well".to_owned())
        }
        ExpectedEnd::Recovers if !has_succeeded => Some(format!("the command {}", ended(run))),
        ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails if has_succeeded && !is_same => {
            Some(format!("it made {}, and {} in the calm run", made(run), made(calm)))
        }
        ExpectedEnd::Recovers if drill.met.fault => not_made_up(met, worlds),
        ExpectedEnd::RecoversOrFails if drill.met.fault && has_succeeded => {
            not_made_up(met, worlds)
        }
        ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails | ExpectedEnd::Fails => None,
    };
    match wrong {
        Some(why) => failed(why),
        None if drill.is_beyond_wire => {
            let why =
                "nothing wrong was seen; whether the client acted twice does not show on the wire";
            (DrillEnd::NotObservable, why.to_owned())
        }
        None => (DrillEnd::Held, format!("the command {}", ended(run))),
    }
}

/// A struck call after which no call of this operation was served, though the command ended with 0.
fn not_made_up(met: &[&JournalCall], worlds: &[WorldJournal]) -> Option<String> {
    let last = met.last()?;
    // The answer to a struck call that was done may have arrived in part, or late.
    let is_whole = |call: &JournalCall| match call.fault.as_deref() {
        None => call.status < 300 || (call.status == 404 && last.operation == call.operation),
        Some(fault) => fault == "slow_body",
    };
    let is_made_up = last.fault.as_deref() == Some("slow_body")
        || calls(worlds).any(|call| {
            call.serial > last.serial && call.operation == last.operation && is_whole(call)
        });
    // A creation that was done and looked for needs no second one.
    let is_looked_for = last.method != "GET"
        && calls(worlds)
            .any(|call| call.serial > last.serial && call.method == "GET" && call.status < 300);
    (!is_made_up && !is_looked_for).then(|| {
        format!(
            "the command ended with 0, although {} {} (call {}) was never answered well",
            last.method, last.path, last.serial
        )
    })
}

fn sound(run: &DrillRecording) -> Result<Vec<WorldJournal>, String> {
    if let Some(trouble) = &run.trouble {
        return Err(trouble.clone());
    }
    let worlds = run.worlds().map_err(|error| format!("the journal can't be read: {error}"))?;
    match worlds.iter().any(|world| world.forgotten > 0) {
        true => Err("the journal of the mock did not hold all calls".to_owned()),
        false => Ok(worlds),
    }
}

fn calls(worlds: &[WorldJournal]) -> impl Iterator<Item = &JournalCall> {
    worlds.iter().flat_map(|world| &world.calls)
}

/// Whether a call with a token succeeded.
fn is_served(call: &JournalCall) -> bool {
    call.application.is_some()
        && call.status < 300
        && call.operation.is_some_and(|operation| operation != Operation::CreateAccessToken)
}

fn uses(worlds: &[WorldJournal], operation: Operation) -> bool {
    calls(worlds).any(|call| call.operation == Some(operation))
}

fn met<'w>(
    meeting: &Meeting,
    worlds: &'w [WorldJournal],
    run: &DrillRecording,
) -> Vec<&'w JournalCall> {
    let Meeting { operation, problem, fault, served, deliveries } = meeting;
    if run.deliveries < *deliveries {
        return Vec::new();
    }
    let fits = |call: &&JournalCall| {
        (operation.is_none() || call.operation == *operation)
            && (problem.is_none() || call.problem == *problem)
            && (!fault || call.fault.is_some())
            && (!served || is_served(call))
    };
    calls(worlds).filter(fits).collect()
}

fn findings(worlds: &[WorldJournal], counts: impl Fn(&str) -> bool) -> Vec<ConductFinding> {
    let all = conduct::findings(worlds).into_iter().chain(conduct::disturbed_findings(worlds));
    all.filter(|finding| counts(&finding.rule)).collect()
}

/// The finding of a drill that ended wrong, if a row of the register is about it.
fn own_finding(
    drill: &Drill,
    run: &DrillRecording,
    met: &[&JournalCall],
    why: &str,
) -> Option<ConductFinding> {
    let rule =
        if run.strangers_trusted > 0 { "token-to-stranger" } else { drill.breaks.as_deref()? };
    let evidence = ConductEvidence { calls: met.to_vec(), times: None, seen: why.to_owned() };
    Some(ConductFinding::of(moot_fixtures::conduct::get(rule)?, &evidence, None))
}

fn ended(run: &DrillRecording) -> String {
    match (run.is_timed_out, run.exit_code) {
        (true, _) => "did not end in time (`--timeout`)".to_owned(),
        (false, Some(code)) if run.has_outlived => {
            format!("ended with {code}, and processes of it that were left were ended")
        }
        (false, Some(code)) => format!("ended with {code}"),
        (false, None) => "was ended by a signal".to_owned(),
    }
}

/// `2 legal_requests, 1 repository_documents`.
fn made(run: &DrillRecording) -> String {
    let kinds = run.made.iter().filter(|(_, made)| **made != 0);
    let kinds: Vec<String> = kinds.map(|(kind, made)| format!("{made} {kind}")).collect();
    if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
}
