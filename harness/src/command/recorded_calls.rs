//! The calls of journals as the console shows them: numbered one after the other, with what the rules of conduct
//! say of them, and with the drill in which they were made.

use std::collections::BTreeMap;

use moot_mock::shell::{DrillProgress, DrillRun, DrillRunState, RecordedCalls};
use serde_json::{Value, json};

use crate::conduct::{self, Account};
use crate::drill::certificate::Certificate;
use crate::drill::judge::DrillResult;

/// No calls yet, and no findings.
pub(super) fn none() -> RecordedCalls {
    let findings = json!({ "calls": 0, "forgotten": 0, "findings": [] });
    RecordedCalls { findings: Some(findings), ..RecordedCalls::default() }
}

/// Adds the calls of a journal after those that are there. Returns the new number of each call, by its number in
/// its world.
pub(super) fn add_journal(
    all: &mut RecordedCalls,
    drill: Option<&str>,
    journal: &Value,
) -> BTreeMap<u64, u64> {
    let mut numbers = BTreeMap::new();
    let mut found = Vec::new();
    let mut forgotten = 0;
    for world in journal["worlds"].as_array().into_iter().flatten() {
        let mut of_world = BTreeMap::new();
        for call in world["exchanges"].as_array().into_iter().flatten() {
            let number = all.exchanges.len() as u64 + 1;
            of_world.insert(call["serial"].as_u64().unwrap_or_default(), number);
            let mut call = call.clone();
            call["serial"] = json!(number);
            if let Some(drill) = drill {
                call["drill"] = json!(drill);
            }
            all.exchanges.push(call);
        }
        if let Ok(worlds) = conduct::read(&json!({ "worlds": [world] })) {
            let account = Account::of(&worlds);
            forgotten += account.forgotten;
            found.extend(account.findings.into_iter().map(|mut finding| {
                finding.calls.iter_mut().for_each(|call| *call = renumbered(&of_world, *call));
                finding
            }));
        }
        for (serial, number) in of_world {
            numbers.entry(serial).or_insert(number);
        }
    }
    if let Some(findings) = &mut all.findings {
        findings["calls"] = json!(all.exchanges.len());
        findings["forgotten"] =
            json!(findings["forgotten"].as_u64().unwrap_or_default() + forgotten);
        if let Some(list) = findings["findings"].as_array_mut() {
            list.extend(found.iter().map(|finding| json!(finding)));
        }
    }
    numbers
}

fn renumbered(numbers: &BTreeMap<u64, u64>, call: u64) -> u64 {
    numbers.get(&call).copied().unwrap_or_default()
}

/// Adds a drill that ended, with its calls.
pub(super) fn add_drill(all: &mut RecordedCalls, result: &DrillResult, journal: &Value) {
    let before = all.exchanges.len();
    let numbers = add_journal(all, Some(&result.drill), journal);
    let state: &str = result.end.into();
    let ended = DrillProgress {
        drill: result.drill.clone(),
        title: result.title.clone(),
        state: state.to_owned(),
        why: Some(result.why.clone()),
        calls: Some(all.exchanges.len() - before),
        met_by: result.met_by.iter().map(|call| renumbered(&numbers, *call)).collect(),
    };
    let run = all.drill_run.get_or_insert_default();
    match run.drills.iter_mut().find(|drill| drill.drill == result.drill) {
        Some(drill) => *drill = ended,
        None => run.drills.push(ended),
    }
}

/// Adds the grade.
pub(super) fn grade(run: &mut DrillRun, certificate: &Certificate) {
    let grade: &str = certificate.grade.into();
    run.state = DrillRunState::Ended;
    run.grade = Some(grade.to_owned());
    run.reasons = certificate.reasons.clone();
}

/// The calls of a certificate, with its drills and the grade.
pub(super) fn of_certificate(certificate: &Certificate) -> RecordedCalls {
    let mut all = none();
    for result in &certificate.drills {
        let journal = certificate.recordings.get(&result.drill).map(|it| &it.journal);
        add_drill(&mut all, result, journal.unwrap_or(&Value::Null));
    }
    grade(all.drill_run.get_or_insert_default(), certificate);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{add_drill, none};
    use crate::drill::judge::{DrillEnd, DrillResult};

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
    fn calls_of_several_drills_have_numbers_of_their_own() {
        let journal = json!({ "worlds": [{ "sandbox": null, "forgotten": 0,
            "exchanges": [{ "serial": 7 }, { "serial": 8 }] }] });
        let mut all = none();
        for drill in ["calm", "limited"] {
            add_drill(&mut all, &result(drill), &journal);
        }
        let serials: Vec<_> = all.exchanges.iter().map(|call| call["serial"].clone()).collect();
        assert_eq!(serials, [1, 2, 3, 4]);
        assert_eq!(all.exchanges[2]["drill"], "limited");
        let run = all.drill_run.expect("drills");
        assert_eq!((run.drills[1].calls, &run.drills[1].met_by), (Some(2), &vec![4]));
        assert_eq!(run.drills[1].state, "not_reached");
    }
}
