//! The verdict on one drill: a pure function of the calm run and the run of the drill.

mod journals;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use moot_fixtures::conduct::DrillEnd;
use moot_fixtures::contract::Severity;
use moot_fixtures::journal::FaultKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recording::DrillRecording;
use super::table::{self, Drill, ExpectedEnd, SituationSign};
use crate::grading::conduct::{self, ConductEvidence, ConductFinding, JournalCall, WorldJournal};
use crate::verdict::pluralize;

use journals::{
    affected_calls, calls, deleted_webhooks, forged_statuses, has_deliveries, is_last_page,
    is_served, read_lists, read_worlds, tasks, uses, webhook_deleted,
};

/// The result of one drill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillResult {
    /// The id of the drill; `calm` is the run without a situation.
    pub drill: String,
    /// The situation.
    pub title: String,
    /// How it ended.
    pub end: DrillEnd,
    /// The reason, in a sentence.
    pub why: String,
    /// Numbers of the calls that met the situation; empty if deliveries show it.
    pub met_by: Vec<u64>,
    /// Broken rules of conduct, of those that count in this drill.
    pub findings: Vec<ConductFinding>,
}

impl DrillResult {
    fn new(drill: &Drill, (end, why): (DrillEnd, String)) -> Self {
        let (drill, title) = (drill.id.clone(), drill.title.clone());
        Self { drill, title, end, why, met_by: Vec::new(), findings: Vec::new() }
    }
}

/// The verdict on the calm run. Nothing is graded unless it holds.
pub fn calm(run: &DrillRecording) -> DrillResult {
    let result = |end, why| DrillResult::new(table::calm(), (end, why));
    let worlds = match read_worlds(run) {
        Ok(worlds) => worlds,
        Err(why) => return result(DrillEnd::Disturbed, why),
    };
    let served = calls(&worlds).filter(|call| is_served(call)).count();
    if run.is_timed_out || (served > 0 && run.exit_code != Some(0)) {
        return result(DrillEnd::Failed, format!("the command {}", ended(run)));
    }
    if served == 0 {
        let why = match calls(&worlds).count() {
            0 => "the command called nothing: does it read MOOT_BASE_URL?".to_owned(),
            1 => "its only call was not served with a token".to_owned(),
            count => format!("none of its {count} calls was served with a token"),
        };
        return result(DrillEnd::Failed, why);
    }
    let why = match served {
        1 => "the command ended with 0 after 1 call that was served".to_owned(),
        served => format!("the command ended with 0 after {served} calls that were served"),
    };
    DrillResult { findings: conduct::findings(&worlds), ..result(DrillEnd::Held, why) }
}

/// The verdict on a drill.
pub fn judge(drill: &Drill, calm: &DrillRecording, run: &DrillRecording) -> DrillResult {
    let result = |verdict| DrillResult::new(drill, verdict);
    if drill.is_wrong_certificate && !calm.is_tls {
        let why = "the mock speaks plain HTTP: give --tls".to_owned();
        return result((DrillEnd::NotApplicable, why));
    }
    let (calm_worlds, worlds) = match (read_worlds(calm), read_worlds(run)) {
        (Ok(calm_worlds), Ok(worlds)) => (calm_worlds, worlds),
        (Err(why), _) | (_, Err(why)) => return result((DrillEnd::Disturbed, why)),
    };
    if drill.is_wrong_certificate {
        let sent: Vec<&JournalCall> = calls(&worlds).collect();
        let mut result = result(judge_wrong_certificate(drill, run, sent.len()));
        if result.end == DrillEnd::Failed {
            let rule = drill.breaks.as_deref();
            result.findings.extend(drill_finding(rule, &drill.sign, &sent, &result.why));
        }
        return result;
    }
    let affected = affected_calls(&drill.sign, &worlds);
    let mut findings = findings(&worlds, &drill.rules);
    // A client that stops early in the calm run too looks for something.
    findings.retain(|it| it.rule != conduct::ASSUMES_25 || calls(&calm_worlds).any(is_last_page));
    // Each task of the client may try to get a token.
    let tries_max = conduct::TOKEN_TRIES_MAX * tasks(&calm_worlds);
    findings.retain(|it| it.rule != conduct::TOKEN_ENDPOINT_HAMMERED || it.times > tries_max);
    drop_consequences(&mut findings);
    let is_met = !affected.is_empty()
        && has_deliveries(&drill.sign, calm, run, &worlds)
        && run.orders_done >= drill.orders.iter().filter(|it| it.after.is_some()).count();
    let has_must = findings.iter().any(|it| it.severity == Severity::Must);
    let unjudged = not_applicable(drill, &calm_worlds)
        .or_else(|| webhook_deleted(drill, run, &worlds))
        .or_else(|| not_reached(drill, run, is_met));
    let verdict = unjudged.unwrap_or_else(|| {
        let both = (&calm_worlds[..], &worlds[..]);
        let mistake = mistake(drill, calm, run, &affected, both, &findings);
        match (mistake, unobserved(drill, run)) {
            (Some(Mistake { why, rule }), _) => {
                let rule = rule.filter(|_| !has_must);
                findings.extend(drill_finding(rule.as_deref(), &drill.sign, &affected, &why));
                (DrillEnd::Failed, why)
            }
            (None, Some(why)) => (DrillEnd::NotObservable, why),
            (None, None) => (DrillEnd::Held, format!("the command {}", ended(run))),
        }
    });
    let met_by = affected.iter().filter(|_| !drill.sign.is_of_deliveries());
    let met_by = met_by.map(|call| call.serial).collect();
    DrillResult { met_by, findings, ..result(verdict) }
}

/// A client must send nothing to a service with a wrong certificate, and must fail.
fn judge_wrong_certificate(drill: &Drill, run: &DrillRecording, sent: usize) -> (DrillEnd, String) {
    if sent > 0 {
        let calls = pluralize(sent, "call");
        let why = format!("it sent {calls} to a service with a wrong certificate");
        return (DrillEnd::Failed, why);
    }
    if run.connections == 0 {
        return (DrillEnd::NotReached, format!("it would have needed {}", drill.reach));
    }
    let has_failed = run.is_timed_out || run.exit_code == Some(0);
    let end = if has_failed { DrillEnd::Failed } else { DrillEnd::Held };
    (end, format!("it sent nothing, and the command {}", ended(run)))
}

fn not_applicable(drill: &Drill, calm_worlds: &[WorldJournal]) -> Option<(DrillEnd, String)> {
    let why = match drill.needs.iter().find(|needed| !uses(calm_worlds, **needed)) {
        Some(unused) => format!("in the calm run it never calls {}", unused.as_str()),
        None if drill.reads_on && affected_calls(&drill.sign, calm_worlds).is_empty() => {
            format!("in the calm run it never reads {}", drill.reach)
        }
        None => return None,
    };
    Some((DrillEnd::NotApplicable, why))
}

fn not_reached(drill: &Drill, run: &DrillRecording, is_met: bool) -> Option<(DrillEnd, String)> {
    let needed = format!("it would have needed {}", drill.reach);
    let moves_clock =
        || run.control_uses().iter().any(|it| it.method == "POST" && it.path == "/clock");
    if drill.is_timed && moves_clock() {
        return Some((DrillEnd::NotReached, format!("{needed}, without moving the clock")));
    }
    (!is_met).then_some((DrillEnd::NotReached, needed))
}

/// The mistake of a client.
struct Mistake {
    why: String,
    /// The rule of the register that describes it.
    rule: Option<String>,
}

/// The first mistake of a client that met the situation.
fn mistake(
    drill: &Drill,
    calm: &DrillRecording,
    run: &DrillRecording,
    affected: &[&JournalCall],
    (calm_worlds, worlds): (&[WorldJournal], &[WorldJournal]),
    findings: &[ConductFinding],
) -> Option<Mistake> {
    let of_drill = |why| Mistake { why, rule: drill.breaks.clone() };
    if run.is_timed_out {
        return Some(of_drill(format!("the command {}", ended(run))));
    }
    if run.credentials_sent_elsewhere > 0 {
        let why = "it sent its token to another host".to_owned();
        return Some(Mistake { why, rule: Some("token-to-stranger".to_owned()) });
    }
    if let Some(status) = forged_statuses(worlds).find(|status| (200..300).contains(status)) {
        return Some(of_drill(format!("a delivery with a wrong credential was answered {status}")));
    }
    if let Some(finding) = findings.iter().find(|it| it.severity == Severity::Must) {
        return Some(Mistake { why: format!("{}: {}", finding.rule, finding.seen), rule: None });
    }
    if let Some(mistake) = wrong_end(drill, calm, run, calm_worlds) {
        return Some(mistake);
    }
    let must_recover = matches!(drill.end, ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails);
    if must_recover
        && drill.sign.fault
        && run.exit_code == Some(0)
        && let Some(why) = not_made_up(affected, worlds)
    {
        // A client without a timeout would have waited until the service gave up.
        let has_timeout = findings.iter().all(|it| it.rule != conduct::NO_TIMEOUT);
        let gave_up = drill.breaks.as_deref() == Some(conduct::NO_TIMEOUT) && has_timeout;
        let rule = if gave_up { &drill.gives_up } else { &drill.breaks };
        return Some(Mistake { why, rule: rule.clone() });
    }
    unread_pages(drill, calm_worlds, worlds)
        .or_else(|| acted_otherwise(drill, calm, run))
        .map(of_drill)
}

/// The exit code or the created objects, if they differ from the expected end.
fn wrong_end(
    drill: &Drill,
    calm: &DrillRecording,
    run: &DrillRecording,
    calm_worlds: &[WorldJournal],
) -> Option<Mistake> {
    let has_succeeded = run.exit_code == Some(0);
    // A client that fails may leave the webhooks that it deleted at the end of the calm run.
    let left = if has_succeeded { 0 } else { deleted_webhooks(calm_worlds) };
    let in_calm_run = |kind: &str| {
        let made = calm.made.get(kind).copied().unwrap_or_default().abs();
        if kind == "webhooks" { made + left } else { made }
    };
    let is_more = run.made.iter().any(|(kind, made)| made.abs() > in_calm_run(kind));
    let (why, rule) = match drill.end {
        ExpectedEnd::Ends => return None,
        ExpectedEnd::Fails if has_succeeded => {
            ("the command ended with 0 as if it had succeeded".to_owned(), drill.breaks.as_ref())
        }
        _ if is_more => {
            (made_otherwise(calm, run), drill.makes_more.as_ref().or(drill.breaks.as_ref()))
        }
        ExpectedEnd::Recovers if !has_succeeded => {
            let rule = drill.gives_up.as_ref().or(drill.breaks.as_ref());
            (format!("the command {}", ended(run)), rule)
        }
        ExpectedEnd::Recovers | ExpectedEnd::RecoversOrFails
            if has_succeeded && run.made != calm.made =>
        {
            (made_otherwise(calm, run), drill.breaks.as_ref())
        }
        _ => return None,
    };
    Some(Mistake { why, rule: rule.cloned() })
}

/// The kinds of objects whose numbers differ.
fn made_otherwise(calm: &DrillRecording, run: &DrillRecording) -> String {
    let number = |it: &DrillRecording, kind: &str| it.made.get(kind).copied().unwrap_or_default();
    let kinds: BTreeSet<&String> = run.made.keys().chain(calm.made.keys()).collect();
    let differing = || kinds.iter().filter(|kind| number(run, kind) != number(calm, kind));
    let made = |it: &DrillRecording| -> String {
        let shown = differing().map(|kind| {
            let noun = kind.trim_end_matches('s').replace('_', " ");
            pluralize(number(it, kind), &noun)
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    format!("it made {}; in the calm run it made {}", made(run), made(calm))
}

/// A list that the client read to its last page in the calm run, but not in this run.
fn unread_pages(
    drill: &Drill,
    calm_worlds: &[WorldJournal],
    worlds: &[WorldJournal],
) -> Option<String> {
    if !drill.reads_on {
        return None;
    }
    let in_calm_run = read_lists(calm_worlds);
    let is_whole = |(page, pages): &(u64, u64)| page >= pages;
    let (_, (page, pages)) = read_lists(worlds)
        .into_iter()
        .find(|(list, read)| in_calm_run.get(list).is_some_and(is_whole) && !is_whole(read))?;
    Some(format!("it stopped at page {page} of {pages}"))
}

/// A legal request for which the business acted more or less often than in the calm run, by the probe.
fn acted_otherwise(drill: &Drill, calm: &DrillRecording, run: &DrillRecording) -> Option<String> {
    let acted = &run.probe.as_ref().filter(|_| drill.is_beyond_wire)?.acted;
    let in_calm_run = calm.probe.iter().flat_map(|probe| probe.acted.values().copied());
    let least = in_calm_run.clone().min().unwrap_or(1);
    let most = in_calm_run.max().unwrap_or(1);
    let (id, times) = acted.iter().find(|(_, times)| !(least..=most).contains(times))?;
    let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let (times, expected) = (pluralize(times, "time"), pluralize(expected, "time"));
    Some(format!("by the probe it acted {times} for {id}, and {expected} in the calm run"))
}

/// The reason why neither the calls nor the probe show that the client behaved correctly.
fn unobserved(drill: &Drill, run: &DrillRecording) -> Option<String> {
    if !drill.is_beyond_wire {
        return None;
    }
    let cause = match &run.probe {
        None => ": give --probe".to_owned(),
        Some(probe) => match (&probe.trouble, probe.acted.is_empty()) {
            (Some(trouble), _) => format!(", and the probe failed: {trouble}"),
            (None, true) => ", and there was nothing to ask the probe about".to_owned(),
            (None, false) => return None,
        },
    };
    Some(format!(
        "no mistake was seen, but the calls do not show how often the client acted{cause}"
    ))
}

/// A call with a fault that never succeeded afterwards, although the command ended with 0.
fn not_made_up(affected: &[&JournalCall], worlds: &[WorldJournal]) -> Option<String> {
    let is_affected = |call: &&JournalCall| affected.iter().any(|it| std::ptr::eq(*it, *call));
    worlds.iter().find_map(|world| {
        world.calls.iter().filter(is_affected).find_map(|call| not_made_up_in(call, &world.calls))
    })
}

fn not_made_up_in(last: &JournalCall, calls: &[JournalCall]) -> Option<String> {
    let mut later = calls.iter().filter(|call| call.serial > last.serial);
    // A slow body arrives late, but whole. Other faults leave the response incomplete.
    let is_slow = |call: &JournalCall| call.faults == [FaultKind::SlowBody];
    let is_whole = |call: &JournalCall| {
        let is_good = call.status < 300 || call.status == 404;
        is_slow(call) || (call.faults.is_empty() && is_good)
    };
    // A client that looked for its creation need not repeat it.
    let is_look =
        |call: &JournalCall| last.method != "GET" && call.method == "GET" && call.status < 300;
    // Another page does not have the rows of a lost one. After the list became shorter, a page may be needless.
    let is_same_page = |call: &JournalCall| {
        let page = |call: &JournalCall| call.asked_page().unwrap_or(1);
        page(call) == page(last) || call.response.pages.is_some_and(|pages| pages < page(last))
    };
    let is_again = |call: &JournalCall| {
        let is_list = last.operation.is_some_and(|operation| operation.is_list());
        let is_same_list = || call.list() == last.list() && is_same_page(call);
        call.operation == last.operation && (!is_list || is_same_list())
    };
    let is_made_up =
        is_slow(last) || later.any(|call| (is_again(call) && is_whole(call)) || is_look(call));
    (!is_made_up).then(|| {
        format!(
            "the command ended with 0, although {} {} (call {}) never succeeded",
            last.method, last.path, last.serial
        )
    })
}

/// Violations of these rules.
fn findings(worlds: &[WorldJournal], rules: &[String]) -> Vec<ConductFinding> {
    let all = conduct::findings(worlds).into_iter().chain(conduct::disturbed_findings(worlds));
    all.filter(|finding| rules.contains(&finding.rule)).collect()
}

/// A client that stops at a page with fewer than 25 rows has one mistake, also if that is the first page.
fn drop_consequences(findings: &mut Vec<ConductFinding>) {
    let short_pages = findings.iter().filter(|it| it.rule == conduct::ASSUMES_25);
    let short_pages: Vec<u64> = short_pages.flat_map(|it| it.calls.clone()).collect();
    findings.retain(|it| {
        it.rule != conduct::FIRST_PAGE_ONLY
            || !it.calls.iter().any(|call| short_pages.contains(call))
    });
}

/// The finding of a failed drill, if a rule of the register describes the mistake. It has calls only if they show the
/// situation.
fn drill_finding(
    rule: Option<&str>,
    sign: &SituationSign,
    affected: &[&JournalCall],
    why: &str,
) -> Option<ConductFinding> {
    let rule = moot_fixtures::conduct::get(rule?)?;
    let evidence = if sign.is_of_deliveries() {
        ConductEvidence { calls: Vec::new(), times: Some(1), seen: why.to_owned() }
    } else {
        ConductEvidence::new(affected.to_vec(), why.to_owned())
    };
    Some(ConductFinding::of(rule, &evidence, None))
}

fn ended(run: &DrillRecording) -> String {
    match (run.is_timed_out, run.exit_code) {
        (true, _) => "did not end in time (`--timeout`)".to_owned(),
        (false, Some(code)) if run.has_outlived => {
            format!("ended with {code}, and processes that it had started had to be ended")
        }
        (false, Some(code)) => format!("ended with {code}"),
        (false, None) => "was ended by a signal".to_owned(),
    }
}
