//! The calls of journals in the form of the console: numbered from 1, with the findings of conduct and the drill of
//! each call.

use std::collections::BTreeMap;

use moot_mock::shell::{DrillProgress, DrillRun, DrillRunState, DrillState, RecordedCalls};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::grading::conduct::{Account, WorldJournal, rows};
use crate::grading::drill::certificate::Certificate;
use crate::grading::drill::judge::DrillResult;

/// No calls and no findings.
pub(super) fn none() -> RecordedCalls {
    let findings = json!({ "calls": 0, "forgotten": 0, "findings": [] });
    RecordedCalls { findings: Some(findings), ..RecordedCalls::default() }
}

/// The number of each call on the page, by its connection and its number on that connection.
pub(super) type ShownNumbers = BTreeMap<(u64, u64), u64>;

/// Appends the calls of a journal. A call that is on the page already keeps its number and its drill: a mock that a
/// client keeps for several drills has all their calls in its journal. Returns for each world the number of each call,
/// by its number in that world.
fn add_calls(
    all: &mut RecordedCalls,
    shown: &mut ShownNumbers,
    drill: &str,
    journal: &Value,
) -> Vec<BTreeMap<u64, u64>> {
    let mut add = |call: &Value| {
        let wire = &call["wire"];
        let place = wire["connection"].as_u64().zip(wire["number"].as_u64());
        let known = place.and_then(|place| shown.get(&place).copied());
        // Numbers of calls that the journal has dropped are not used again.
        let last = all.exchanges.last().and_then(|call| call["serial"].as_u64());
        let last = last.max(shown.values().max().copied()).unwrap_or_default();
        let number = known.unwrap_or(last + 1);
        let serial = call["serial"].as_u64().unwrap_or_default();
        let mut call = call.clone();
        call["serial"] = json!(number);
        call["drill"] = json!(drill);
        let earlier =
            all.exchanges.iter_mut().rfind(|it| known.is_some() && it["serial"] == number);
        match earlier {
            Some(earlier) => {
                call["drill"] = earlier["drill"].take();
                *earlier = call;
            }
            None => all.exchanges.push(call),
        }
        shown.extend(place.map(|place| (place, number)));
        (serial, number)
    };
    let worlds = rows(journal, "worlds");
    worlds.map(|world| rows(world, "exchanges").map(&mut add).collect()).collect()
}

/// Adds the findings about the calls of a world, which have these numbers.
fn add_findings(findings: &mut Value, world: &Value, numbers: &BTreeMap<u64, u64>) {
    let Ok(world) = WorldJournal::deserialize(world) else { return };
    let account = Account::of(&[world]);
    let forgotten = findings["forgotten"].as_u64().unwrap_or_default() + account.forgotten;
    findings["forgotten"] = json!(forgotten);
    for mut finding in account.findings {
        let known = |call: &u64| numbers.get(call).copied().unwrap_or_default();
        finding.calls = finding.calls.iter().map(known).collect();
        if let Some(list) = findings["findings"].as_array_mut() {
            add_finding(list, json!(finding));
        }
    }
}

/// Adds a finding. If an earlier drill has shown the same, its calls are added to that.
fn add_finding(list: &mut Vec<Value>, finding: Value) {
    let is_same = |known: &&mut Value| ["rule", "seen"].iter().all(|at| known[at] == finding[at]);
    let Some(known) = list.iter_mut().find(is_same) else { return list.push(finding) };
    let times = |one: &Value| one["times"].as_u64().unwrap_or_default();
    known["times"] = json!(times(known) + times(&finding));
    if let (Some(calls), Some(more)) = (known["calls"].as_array_mut(), finding["calls"].as_array())
    {
        calls.extend_from_slice(more);
    }
}

/// Adds the calls of a drill that still runs.
pub(super) fn add_running(
    all: &mut RecordedCalls,
    shown: &mut ShownNumbers,
    drill: &str,
    journal: &Value,
) {
    add_calls(all, shown, drill, journal);
    let calls = calls_of(all, drill);
    let mut drills = all.drill_run.iter_mut().flat_map(|run| &mut run.drills);
    if let Some(running) = drills.find(|it| it.drill == drill) {
        running.calls = Some(calls);
    }
}

fn calls_of(all: &RecordedCalls, drill: &str) -> usize {
    all.exchanges.iter().filter(|call| call["drill"] == drill).count()
}

/// Adds a drill that ended, with its calls.
pub(super) fn add_drill(
    all: &mut RecordedCalls,
    shown: &mut ShownNumbers,
    result: &DrillResult,
    journal: &Value,
) {
    let numbers = add_calls(all, shown, &result.drill, journal);
    if let Some(findings) = &mut all.findings {
        findings["calls"] = json!(all.exchanges.len());
        for (world, numbers) in rows(journal, "worlds").zip(&numbers) {
            add_findings(findings, world, numbers);
        }
    }
    let number = |call| numbers.iter().find_map(|it| it.get(call)).copied().unwrap_or_default();
    let ended = DrillProgress {
        drill: result.drill.clone(),
        title: result.title.clone(),
        state: DrillState::Ended(result.end),
        why: Some(result.why.clone()),
        calls: Some(calls_of(all, &result.drill)),
        met_by: result.met_by.iter().map(number).collect(),
    };
    let run = all.drill_run.get_or_insert_default();
    match run.drills.iter_mut().find(|drill| drill.drill == result.drill) {
        Some(drill) => *drill = ended,
        None => run.drills.push(ended),
    }
}

/// Sets the grade of the run.
pub(super) fn grade(run: &mut DrillRun, certificate: &Certificate) {
    let grade: &str = certificate.grade.into();
    run.state = DrillRunState::Ended;
    run.grade = Some(grade.to_owned());
    run.reasons = certificate.reasons.clone();
}

/// The calls of a certificate, with its drills and the grade.
pub(super) fn of_certificate(certificate: &Certificate) -> RecordedCalls {
    let mut all = none();
    // Drills of several processes may have the same numbers of connections.
    for result in &certificate.drills {
        let journal = certificate.recordings.get(&result.drill).map(|it| &it.journal);
        add_drill(&mut all, &mut ShownNumbers::new(), result, journal.unwrap_or(&Value::Null));
    }
    grade(all.drill_run.get_or_insert_default(), certificate);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use moot_fixtures::conduct::DrillEnd;
    use moot_mock::shell::{DrillProgress, DrillRun, DrillState};

    use super::{ShownNumbers, add_drill, add_finding, add_running, none};
    use crate::grading::drill::judge::DrillResult;

    fn result(drill: &str) -> DrillResult {
        DrillResult {
            drill: drill.to_owned(),
            title: "It happens".to_owned(),
            end: DrillEnd::NotReached,
            why: "nothing came".to_owned(),
            met_by: vec![8],
            findings: Vec::new(),
        }
    }

    #[test]
    fn findings_of_several_drills_that_are_the_same_are_one() {
        let finding = |rule: &str, call: u64| json!({ "rule": rule, "seen": "x", "times": 2, "calls": [call] });
        let mut list = Vec::new();
        for (rule, call) in [("a", 1), ("b", 2), ("a", 3)] {
            add_finding(&mut list, finding(rule, call));
        }
        let a = json!({ "rule": "a", "seen": "x", "times": 4, "calls": [1, 3] });
        assert_eq!(list, [a, finding("b", 2)]);
    }

    #[test]
    fn calls_of_several_drills_have_numbers_of_their_own() {
        let journal = json!({ "worlds": [{ "sandbox": null, "forgotten": 0,
            "exchanges": [{ "serial": 7 }, { "serial": 8 }] }] });
        let mut all = none();
        for drill in ["calm", "limited"] {
            add_drill(&mut all, &mut ShownNumbers::new(), &result(drill), &journal);
        }
        let serials: Vec<_> = all.exchanges.iter().map(|call| call["serial"].clone()).collect();
        assert_eq!(serials, [1, 2, 3, 4]);
        assert_eq!(all.exchanges[2]["drill"], "limited");
        let run = all.drill_run.expect("drills");
        assert_eq!((run.drills[1].calls, &run.drills[1].met_by), (Some(2), &vec![4]));
        assert_eq!(json!(run.drills[1])["state"], "not_reached");
    }

    #[test]
    fn calls_of_an_earlier_drill_stay_with_it() {
        let call = |serial: u64| json!({ "serial": serial, "wire": { "connection": 3, "number": serial } });
        let (mut all, mut shown) = (none(), ShownNumbers::new());
        for (drill, calls) in [("calm", vec![call(1)]), ("limited", vec![call(1), call(2)])] {
            let journal = json!({ "worlds": [{ "exchanges": calls }] });
            add_running(&mut all, &mut shown, drill, &journal);
        }
        let drills: Vec<_> = all.exchanges.iter().map(|call| call["drill"].clone()).collect();
        assert_eq!(drills, ["calm", "limited"]);
    }

    #[test]
    fn calls_of_a_drill_that_runs_keep_their_numbers_when_it_ends() {
        let call = |serial: u64, status: u16| json!({ "serial": serial, "status": status, "wire": { "connection": 3, "number": serial } });
        let journal = |calls: &[serde_json::Value]| json!({ "worlds": [{ "sandbox": null, "forgotten": 0, "exchanges": calls }] });
        let running = DrillProgress {
            state: DrillState::Running,
            ..DrillProgress::waiting("limited", "It happens")
        };
        let (mut all, mut shown) = (none(), ShownNumbers::new());
        all.drill_run = Some(DrillRun { drills: vec![running], ..DrillRun::default() });
        for calls in [vec![call(7, 200)], vec![call(7, 200), call(8, 0)]] {
            add_running(&mut all, &mut shown, "limited", &journal(&calls));
            let drills = &all.drill_run.as_ref().expect("drills").drills;
            assert_eq!(
                (drills[0].calls, drills[0].state),
                (Some(calls.len()), DrillState::Running)
            );
        }
        let ended = journal(&[call(7, 200), call(8, 503), call(9, 200)]);
        add_drill(&mut all, &mut shown, &result("limited"), &ended);
        let rows: Vec<_> = all.exchanges.iter().map(|it| (&it["serial"], &it["status"])).collect();
        assert_eq!(json!(rows), json!([[1, 200], [2, 503], [3, 200]]));
        let run = all.drill_run.expect("drills");
        assert_eq!((run.drills[0].calls, &run.drills[0].met_by), (Some(3), &vec![2]));
    }
}
