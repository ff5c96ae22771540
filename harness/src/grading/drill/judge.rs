//! The verdict on one drill: a pure function of the calm run and the drill's run.

mod journals;
#[cfg(test)]
mod tests;

use moot_fixtures::contract::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::IntoStaticStr;

use super::recording::DrillRecording;
use super::table::{Drill, ExpectedEnd};
use crate::grading::conduct::{self, ConductEvidence, ConductFinding, JournalCall, WorldJournal};

use journals::{
    calls, forged_answers, has_deliveries, is_later_page, is_served, last_page, met, sound, uses,
};

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
    if drill.is_wrong_certificate && !calm.is_tls {
        result.end = DrillEnd::NotApplicable;
        result.why = "the mock speaks plain HTTP: give --tls".to_owned();
        return result;
    }
    (result.end, result.why) = match (sound(calm), sound(run)) {
        (Err(why), _) | (_, Err(why)) => (DrillEnd::Disturbed, why),
        (Ok(_), Ok(worlds)) if drill.is_wrong_certificate => {
            let sent: Vec<&JournalCall> = calls(&worlds).collect();
            let (end, why) = judge_wrong_certificate(drill, run, sent.len());
            if end == DrillEnd::Failed {
                result.findings.extend(own_finding(drill, run, &sent, &why));
            }
            (end, why)
        }
        (Ok(calm_worlds), Ok(worlds)) => {
            let met = met(&drill.met, &worlds);
            result.met_by = met.iter().map(|call| call.serial).collect();
            result.findings =
                findings(&worlds, |rule| drill.rules.iter().any(|named| named == rule));
            let is_met = !met.is_empty()
                && has_deliveries(&drill.met, calm, run, &worlds)
                && run.orders_done >= drill.orders.iter().filter(|it| it.after.is_some()).count();
            let unused = drill.needs.iter().find(|needed| !uses(&calm_worlds, **needed));
            match (unused, is_met) {
                (Some(unused), _) => {
                    let why = format!("in the calm run it never calls {}", unused.as_str());
                    (DrillEnd::NotApplicable, why)
                }
                (None, _) if drill.reads_on && !calls(&calm_worlds).any(is_later_page) => {
                    let why = "in the calm run it never reads a second page".to_owned();
                    (DrillEnd::NotApplicable, why)
                }
                (None, _) if drill.is_timed && moved_clock(run) => {
                    let why =
                        format!("it would have needed {}, without moving the clock", drill.reach);
                    (DrillEnd::NotReached, why)
                }
                (None, false) => {
                    (DrillEnd::NotReached, format!("it would have needed {}", drill.reach))
                }
                (None, true) => {
                    let met_run = MetRun { drill, calm, run, met: &met, worlds: &worlds };
                    let (end, why) = met_run.judge(&calm_worlds, &result.findings);
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

/// A client sends nothing to a service with a wrong certificate, and says that it failed.
fn judge_wrong_certificate(drill: &Drill, run: &DrillRecording, sent: usize) -> (DrillEnd, String) {
    if sent > 0 {
        let why = format!("it sent {sent} calls to a service with a wrong certificate");
        return (DrillEnd::Failed, why);
    }
    let end = match (run.connections, run.exit_code) {
        (0, _) => {
            return (DrillEnd::NotReached, format!("it would have needed {}", drill.reach));
        }
        (_, Some(0)) => DrillEnd::Failed,
        _ if run.is_timed_out => DrillEnd::Failed,
        _ => DrillEnd::Held,
    };
    (end, format!("it sent nothing, and the command {}", ended(run)))
}

/// A run that met the situation of its drill.
struct MetRun<'r> {
    drill: &'r Drill,
    calm: &'r DrillRecording,
    run: &'r DrillRecording,
    met: &'r [&'r JournalCall],
    worlds: &'r [WorldJournal],
}

impl MetRun<'_> {
    fn judge(
        &self,
        calm_worlds: &[WorldJournal],
        findings: &[ConductFinding],
    ) -> (DrillEnd, String) {
        let wrong = self
            .conduct(findings)
            .or_else(|| self.outcome())
            .or_else(|| self.pages(calm_worlds))
            .or_else(|| self.acted_otherwise());
        match wrong {
            Some(why) => (DrillEnd::Failed, why),
            None => match self.unobserved() {
                Some(why) => (DrillEnd::NotObservable, why),
                None => (DrillEnd::Held, format!("the command {}", ended(self.run))),
            },
        }
    }

    /// What it did wrong on the way.
    fn conduct(&self, findings: &[ConductFinding]) -> Option<String> {
        let Self { run, worlds, .. } = self;
        if run.is_timed_out {
            return Some(format!("the command {}", ended(run)));
        }
        if run.strangers_trusted > 0 {
            return Some("it sent its token to another host".to_owned());
        }
        if let Some(status) = forged_answers(worlds).find(|status| (200..300).contains(status)) {
            return Some(format!("a delivery with a wrong credential was answered {status}"));
        }
        let finding = findings.iter().find(|it| it.severity == Severity::Must)?;
        Some(format!("{}: {}", finding.rule, finding.seen))
    }

    /// How it ended otherwise than it must.
    fn outcome(&self) -> Option<String> {
        let Self { drill, calm, run, met, worlds } = self;
        let has_succeeded = run.exit_code == Some(0);
        let calmly = |kind| calm.made.get(kind).copied().unwrap_or_default();
        let is_more = run.made.iter().any(|(kind, made)| made.abs() > calmly(kind).abs());
        let otherwise =
            || Some(format!("it made {}, and {} in the calm run", made(run), made(calm)));
        match drill.end {
            ExpectedEnd::Ends => None,
            _ if is_more => otherwise(),
            ExpectedEnd::Fails if has_succeeded => {
                Some("the command ended with 0 as if all was well".to_owned())
            }
            ExpectedEnd::Recovers if !has_succeeded => Some(format!("the command {}", ended(run))),
            ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails
                if has_succeeded && run.made != calm.made =>
            {
                otherwise()
            }
            ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails
                if drill.met.fault && has_succeeded =>
            {
                not_made_up(met, worlds)
            }
            ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails | ExpectedEnd::Fails => None,
        }
    }

    /// A list that was read to its last page in the calm run, and not here.
    fn pages(&self, calm_worlds: &[WorldJournal]) -> Option<String> {
        let is_read = |(page, pages): &(u64, u64)| page >= pages;
        if !self.drill.reads_on || !last_page(calm_worlds).as_ref().is_some_and(is_read) {
            return None;
        }
        let (page, pages) = last_page(self.worlds).filter(|last| !is_read(last))?;
        Some(format!("it stopped at page {page} of {pages}"))
    }

    /// What the probe says, if the business acted more or less often than in the calm run.
    fn acted_otherwise(&self) -> Option<String> {
        let acted = &self.run.probe.as_ref().filter(|_| self.drill.is_beyond_wire)?.acted;
        let calmly = self.calm.probe.as_ref().map(|probe| &probe.acted);
        let calmly: Vec<u64> = calmly.into_iter().flatten().map(|(_, times)| *times).collect();
        let least = calmly.iter().min().copied().unwrap_or(1);
        let most = calmly.iter().max().copied().unwrap_or(1);
        let (id, times) = acted.iter().find(|(_, times)| !(least..=most).contains(times))?;
        let calmly = if least == most { least.to_string() } else { format!("{least} to {most}") };
        Some(format!(
            "by the probe it acted {times} times for {id}, and {calmly} times in the calm run"
        ))
    }

    /// Why the wire and the probe do not show that all is right.
    fn unobserved(&self) -> Option<String> {
        if !self.drill.is_beyond_wire {
            return None;
        }
        let seen = "nothing wrong was seen, but the wire does not show how often the client acted";
        match &self.run.probe {
            None => Some(format!("{seen}: give --probe")),
            Some(probe) => match (&probe.trouble, probe.acted.is_empty()) {
                (Some(trouble), _) => Some(format!("{seen}, and the probe failed: {trouble}")),
                (None, true) => Some(format!("{seen}, and the probe was asked about nothing")),
                (None, false) => None,
            },
        }
    }
}

fn moved_clock(run: &DrillRecording) -> bool {
    run.control_uses().iter().any(|it| it.method == "POST" && it.path == "/clock")
}

/// A struck call after which no call of this operation was served in its world, though the command ended with 0.
fn not_made_up(met: &[&JournalCall], worlds: &[WorldJournal]) -> Option<String> {
    let is_met = |call: &&JournalCall| met.iter().any(|it| std::ptr::eq(*it, *call));
    worlds.iter().find_map(|world| not_made_up_in(world.calls.iter().rfind(is_met)?, &world.calls))
}

fn not_made_up_in(last: &JournalCall, calls: &[JournalCall]) -> Option<String> {
    // The answer to a struck call that was done may have arrived in part, or late.
    let is_whole = |call: &JournalCall| match call.fault.as_deref() {
        None => call.status < 300 || (call.status == 404 && last.operation == call.operation),
        Some(fault) => fault == "slow_body",
    };
    let is_made_up = last.fault.as_deref() == Some("slow_body")
        || calls.iter().any(|call| {
            call.serial > last.serial && call.operation == last.operation && is_whole(call)
        });
    // A creation that was done and looked for needs no second one.
    let is_looked_for = last.method != "GET"
        && calls
            .iter()
            .any(|call| call.serial > last.serial && call.method == "GET" && call.status < 300);
    (!is_made_up && !is_looked_for).then(|| {
        format!(
            "the command ended with 0, although {} {} (call {}) was never answered well",
            last.method, last.path, last.serial
        )
    })
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
