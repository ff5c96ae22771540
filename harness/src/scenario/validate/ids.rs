//! Whether the requirements, questions, schemas, documents, worlds and answers of a scenario exist,
//! and whether the ids of scenarios and the names of files are unique.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Level;
use moot_fixtures::{DataError, answers, documents, nearest, questions, register, schemas, world};

use crate::scenario::declared::OwnRows;
use crate::scenario::model::{
    Check, Claim, Json, Location, MatcherRule, Observation, OperatorAction, PartContent, PartSpec,
    Place, Scenario, ScenarioFile,
};

/// Reports ids of scenarios and stems of files that occur twice.
pub(super) fn unique(files: &[ScenarioFile]) -> Vec<DataError> {
    let mut problems = Vec::new();
    let mut stems: BTreeSet<&str> = BTreeSet::new();
    let mut ids: BTreeMap<&str, &Location> = BTreeMap::new();
    for file in files {
        if !stems.insert(&file.stem) {
            let at = file.scenarios.first().map(|scenario| scenario.at.clone());
            let message = format!("another file has the name `{}`", file.stem);
            let help = Some("the names of scenarios begin with the name of their file".to_owned());
            problems.extend(at.map(|at| file.problem(&at, "", message, help)));
        }
        for scenario in &file.scenarios {
            if let Some(first) = ids.get(scenario.id.as_str()) {
                let message = format!("the id `{}` is used twice", scenario.id);
                let help = Some(format!("first at {first}"));
                problems.push(file.problem(&scenario.at, &scenario.id, message, help));
            } else {
                ids.insert(&scenario.id, &scenario.at);
            }
        }
    }
    problems
}

/// The world and the answers of a sandbox exist, and the time of its clock is one.
pub(super) fn sandbox(file: &ScenarioFile, scenario: &Scenario) -> Vec<DataError> {
    let unknown = |kind: &str, name: &str, help: String| {
        let at = file.locate(&scenario.at, name);
        file.problem(&at, name, format!("unknown {kind} `{name}`"), Some(help))
    };
    let mut problems = Vec::new();
    if let Some(name) = &scenario.sandbox.world
        && !world::NAMES.contains(&name.as_str())
    {
        problems.push(unknown("world", name, nearest::hint_or_all(name, world::NAMES)));
    }
    if let Some(name) = &scenario.sandbox.answers
        && answers::chosen(name).is_none()
    {
        let help = "there are default, documented, random:SEED".to_owned();
        problems.push(unknown("answers", name, help));
    }
    if let Some(clock) = &scenario.sandbox.clock
        && let Some(time) = clock.strip_prefix("frozen:")
        && time.parse::<jiff::Timestamp>().is_err()
    {
        let help = "write it as `frozen:2026-01-15T10:00:00Z`".to_owned();
        problems.push(unknown("time", time, help));
    }
    problems
}

/// A scenario with an operator's action has the need of that action in `needs`.
pub(super) fn operator(
    file: &ScenarioFile,
    scenario: &Scenario,
    action: OperatorAction,
    at: &Location,
) -> Option<DataError> {
    let need = action.need();
    if scenario.needs(&need) {
        return None;
    }
    let message = format!("`operator: {action}` without `{need}` in `needs`");
    Some(file.problem(at, "operator", message, None))
}

/// The file of a part is one of the sample documents.
pub(super) fn document(file: &ScenarioFile, part: &PartSpec) -> Option<DataError> {
    let PartContent::File(name) = &part.content else { return None };
    if documents::get(name).is_some() {
        return None;
    }
    let at = file.locate(&part.name.at, name);
    let names: Vec<&str> = documents::ALL.iter().map(|document| document.name).collect();
    let help = nearest::hint_or_all(name, &names);
    Some(file.problem(&at, name, format!("unknown document `{name}`"), Some(help)))
}

/// The requirement of a check is in the register, or in a file of the suite.
pub(super) fn requirement(file: &ScenarioFile, own: &OwnRows, check: &Check) -> Option<DataError> {
    let id = check.requirement.as_str();
    let (message, help) = match register::get(id) {
        None if own.contains_key(id) => return None,
        None => {
            let near = nearest::nearest(id, own.keys().map(String::as_str))
                .or_else(|| register::nearest(id));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            (format!("unknown requirement `{id}`"), help)
        }
        Some(row) if row.level == Level::Open => {
            let help = row.question.as_ref().map(|q| format!("observe the question `{q}`"));
            (format!("the requirement `{id}` is open: there is nothing to expect"), help)
        }
        Some(_) => return None,
    };
    Some(file.problem(&check.at, id, message, help))
}

/// The question of an observation exists.
pub(super) fn question(file: &ScenarioFile, observation: &Observation) -> Option<DataError> {
    let id = observation.question.as_str();
    if questions::get(id).is_some() {
        return None;
    }
    let help = questions::nearest(id).map(|near| format!("did you mean `{near}`?"));
    Some(file.problem(&observation.at, id, format!("unknown question `{id}`"), help))
}

/// A schema that a claim names exists, and a status is a number.
pub(super) fn claim(file: &ScenarioFile, claim: &Claim) -> Vec<DataError> {
    match (&claim.place, claim.matcher.as_slice()) {
        (Place::Status, rules) => status(file, rules),
        (Place::Schema, [MatcherRule::Equals(Json::Text(text))]) => {
            let name = text.as_literal().filter(|name| schemas::get(name).is_none());
            let unknown = name.map(|name| {
                let help = nearest::hint(name, schemas::all().iter().map(|(name, _)| *name));
                file.problem(&text.at, name, format!("unknown schema `{name}`"), help)
            });
            unknown.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// A text never equals a status.
fn status(file: &ScenarioFile, rules: &[MatcherRule]) -> Vec<DataError> {
    let mut problems = Vec::new();
    let mut texts: Vec<&Json> = Vec::new();
    for rule in rules {
        match rule {
            MatcherRule::Equals(json) => texts.push(json),
            MatcherRule::OneOf(Json::List(all)) => texts.extend(all),
            MatcherRule::Not(inner) => problems.extend(status(file, inner)),
            _ => {}
        }
    }
    for json in texts {
        let Json::Text(text) = json else { continue };
        let Some(word) = text.as_literal() else { continue };
        let help = match word.parse::<u16>() {
            Ok(number) => format!("write {number} without quotes"),
            Err(_) => "write a number, such as 200".to_owned(),
        };
        let message = format!("a status is a number, and `{word}` is a text");
        problems.push(file.problem(&text.at, word, message, Some(help)));
    }
    problems
}
