//! Whether the requirements that scenario files state are new, have a prefix of their own, and are used.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::{DataError, register};

use crate::scenario::declared;
use crate::scenario::model::{Location, ScenarioFile};

/// Reports requirements that occur twice, that have a prefix of the register, or that no check names.
pub(super) fn mistakes(files: &[ScenarioFile]) -> Vec<DataError> {
    let scenarios = || files.iter().flat_map(|file| &file.scenarios);
    let checked: BTreeSet<String> =
        scenarios().flat_map(|scenario| declared::requirements(&scenario.steps)).collect();
    let mut problems = Vec::new();
    let mut places: BTreeMap<&str, &Location> = BTreeMap::new();
    for file in files {
        for own in &file.requirements {
            let id = own.id.as_str();
            let mistake = match places.get(id) {
                Some(first) => Some((
                    format!("the requirement `{id}` is stated twice"),
                    format!("first at {first}"),
                )),
                None if is_of_register(id) => Some((
                    format!("the register uses the prefix of `{id}`"),
                    "choose a prefix of your own, such as `acme`".to_owned(),
                )),
                None if !checked.contains(id) => Some((
                    format!("no check names the requirement `{id}`"),
                    "name it in an `expect`, or remove it".to_owned(),
                )),
                None => None,
            };
            if let Some((message, help)) = mistake {
                problems.push(file.problem(&own.at, id, message, Some(help)));
            }
            places.entry(id).or_insert(&own.at);
        }
    }
    problems
}

/// Whether a requirement of the register has the prefix of this id.
fn is_of_register(id: &str) -> bool {
    let prefix = id.split('.').next();
    register::all().iter().any(|row| Some(row.group()) == prefix)
}
