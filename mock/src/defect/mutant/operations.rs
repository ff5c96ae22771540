//! Acts on whole operations: on their lists, effects, tokens and ids, and on the HTTP messages.

use std::sync::LazyLock;

use moot_fixtures::contract::Operation;
use moot_fixtures::yaml;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Mutant;
use super::responses::place_of;
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::act::DefectAct;

/// Placeholder for the operation in an act.
const OPERATION: &str = "OPERATION";

/// A row of `mock/mutants/operations.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationRow {
    of: Vec<Operation>,
    /// The name of the place within the operation.
    place: String,
    kind: PlaceKind,
    family: OperatorFamily,
    /// The clause. Without it, the clause of the operation.
    section: Option<String>,
    /// Describes the wrong behaviour. `{operator}` stands for the name of the operator.
    what: String,
    /// Operations for which the specification permits the acts.
    #[serde(default)]
    permitted: Vec<Operation>,
    /// A [`DefectAct`] for each operator, by its name.
    acts: Map<String, Value>,
}

static ROWS: LazyLock<Vec<OperationRow>> =
    LazyLock::new(|| yaml::embedded(include_str!("../../../mutants/operations.yaml")));

pub(super) fn mutants() -> Vec<Mutant> {
    ROWS.iter().flat_map(|row| row.of.iter().flat_map(|of| row.mutants(*of))).collect()
}

impl OperationRow {
    fn mutants(&self, of: Operation) -> impl Iterator<Item = Mutant> {
        let place = format!("{}/{}", place_of(of), self.place);
        let section = self.section.as_deref().unwrap_or(of.section());
        let equivalent = self.permitted.contains(&of).then_some(Equivalence::Permitted);
        self.acts.iter().map(move |(operator, act)| {
            let what = format!("{}: {}.", of.title(), self.what.replace("{operator}", operator));
            let (at, by) = ((self.kind, place.as_str()), (self.family, operator.as_str()));
            Mutant { equivalent, ..mutant(section, at, by, what, vec![act_on(of, act)]) }
        })
    }
}

/// An act, with its operation filled in.
fn act_on(of: Operation, act: &Value) -> DefectAct {
    let text = act.to_string().replace(OPERATION, of.as_str());
    serde_json::from_str(&text).expect("a test makes the mutants of every operation")
}
