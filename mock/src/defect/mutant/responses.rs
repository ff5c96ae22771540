//! Value operators on each member of the responses of one operation, and lists with swapped values.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use moot_fixtures::contract::Operation;
use moot_fixtures::yaml;
use serde::Deserialize;

use super::Mutant;
use super::members::{ResponseMember, ValueNature, of_schema};
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::act::DefectAct;
use crate::defect::edit::ResponseEdit;
use crate::defect::filter::ResponseFilter;
use crate::defect::list_defect::ListAct;
use crate::defect::operator::Operator;

/// A row of `mock/mutants/values.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ValueRow {
    /// The name of the operator.
    pub(super) operator: String,
    pub(super) by: Operator,
    on: Vec<ValueNature>,
    /// Whether the specification allows the resulting value there.
    #[serde(default)]
    sound: bool,
    /// Natures for which the specification does not forbid this change.
    #[serde(default)]
    permitted: Vec<ValueNature>,
}

static VALUES: LazyLock<Vec<ValueRow>> =
    LazyLock::new(|| yaml::embedded(include_str!("../../../mutants/values.yaml")));

/// The operators for values of this nature.
pub(super) fn operators(nature: ValueNature) -> impl Iterator<Item = &'static ValueRow> {
    VALUES.iter().filter(move |row| row.on.contains(&nature))
}

/// An edit of the successful responses of these operations.
pub(super) fn edit(of: &[Operation], pointer: &str, by: &Operator) -> DefectAct {
    let responses = ResponseFilter { of: of.to_vec(), ..ResponseFilter::default() };
    edit_of(responses, pointer, by.clone())
}

/// An edit of these responses.
pub(super) fn edit_of(responses: ResponseFilter, at: &str, by: Operator) -> DefectAct {
    let at = at.to_owned().try_into().expect("a test makes the mutants of every place");
    DefectAct::Edit(Box::new(ResponseEdit { responses, at, by }))
}

/// The members of the successful responses of an operation.
pub(super) fn members(operation: Operation) -> Vec<ResponseMember> {
    let success = operation.responses().iter().find(|row| (200..300).contains(&row.status));
    success.and_then(|row| row.schema).map(of_schema).unwrap_or_default()
}

/// The name of an operation in ids of mutants: `list-legal-requests`.
pub(super) fn place_of(operation: Operation) -> String {
    operation.as_str().replace('_', "-")
}

/// Whether no response of another operation shows the member, so that its value cannot be compared.
fn is_alone(operation: Operation, member: &ResponseMember) -> bool {
    let others = Operation::ALL.iter().filter(|other| **other != operation);
    let mut shown = others.flat_map(|other| members(*other));
    let is_shown =
        shown.any(|other| other.resource == member.resource && other.within == member.within);
    let is_created = ["_created", "_created_resource"];
    let is_of_created = is_created.iter().any(|ending| member.resource.ends_with(ending));
    !is_shown && (!is_of_created || member.within == "/message")
}

/// Whether the specification does not mention this member: pages of a log, and texts of a workflow schema.
fn is_open(operation: Operation, member: &ResponseMember) -> bool {
    match operation {
        Operation::GetLegalRequestActivity => member.pointer.starts_with("/pagination"),
        Operation::GetWorkflowSchema => matches!(member.within.as_str(), "/name" | "/description"),
        _ => false,
    }
}

/// Whether the changed response is correct for another workflow, which has one optional field less.
fn is_another_workflow(member: &ResponseMember, operator: &str) -> bool {
    member.within == "/optional_fields" && operator == "first-missing"
}

/// A mutant for each operator on each member.
pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for operation in Operation::ALL {
        let mut places = BTreeSet::new();
        for member in members(operation) {
            if places.insert(member.name()) {
                at_member(operation, &member, &mut all);
            }
        }
    }
    all
}

fn at_member(operation: Operation, member: &ResponseMember, all: &mut Vec<Mutant>) {
    let place = format!("{}/{}", place_of(operation), member.name());
    let is_alone = is_alone(operation, member);
    for row in operators(member.nature) {
        let does = vec![edit(&[operation], &member.pointer, &row.by)];
        let what = format!("{}: `{}` is {}.", operation.title(), member.name(), row.operator);
        let family = family(member.nature, &row.operator);
        let at = (PlaceKind::AnswerMember, place.as_str());
        let made = mutant(operation.section(), at, (family, &row.operator), what, does);
        let equivalent = if is_open(operation, member) {
            Some(Equivalence::Permitted)
        } else if is_another_workflow(member, &row.operator) {
            Some(Equivalence::ChosenByService)
        } else {
            row.equivalence(member, is_alone)
        };
        all.push(Mutant { equivalent, ..made });
    }
}

impl ValueRow {
    /// Why no outside observer can notice the operator at this member. `is_alone`: no other response shows the right
    /// value.
    pub(super) fn equivalence(
        &self,
        member: &ResponseMember,
        is_alone: bool,
    ) -> Option<Equivalence> {
        if !member.is_required && self.by == Operator::Drop {
            return Some(Equivalence::Permitted);
        }
        if self.permitted.contains(&member.nature) {
            return Some(Equivalence::Permitted);
        }
        if self.sound && is_alone {
            return Some(Equivalence::ChosenByService);
        }
        None
    }
}

/// Lists in which each member has one value of another member.
pub(super) fn swapped_values() -> Vec<Mutant> {
    let mut all = Vec::new();
    for list in Operation::LISTS {
        for member in members(list) {
            let Some(within) = member.pointer.strip_prefix("/data/*") else { continue };
            let is_same_everywhere = matches!(
                member.nature,
                ValueNature::Structure | ValueNature::Constant | ValueNature::OpenObject
            );
            if is_same_everywhere || operators(member.nature).next().is_none() {
                continue;
            }
            let name = member.name();
            let place = format!("{}/{name}", place_of(list));
            let what = format!("{}: `{name}` is that of another object.", list.title());
            let at = (PlaceKind::AnswerMember, place.as_str());
            let by = (OperatorFamily::Identity, "of-another-object");
            let act = DefectAct::List { of: vec![list], act: ListAct::Swapped(within.to_owned()) };
            all.push(mutant(list.section(), at, by, what, vec![act]));
        }
    }
    all
}

/// The family of a value operator.
pub(super) fn family(nature: ValueNature, operator: &str) -> OperatorFamily {
    match nature {
        ValueNature::Time => OperatorFamily::Time,
        ValueNature::Id if matches!(operator, "repeated" | "case-folded" | "one-character-off") => {
            OperatorFamily::Identity
        }
        _ => OperatorFamily::Values,
    }
}

#[cfg(test)]
mod tests {
    use super::VALUES;

    #[test]
    fn the_embedded_file_is_read() {
        assert!(VALUES.len() > 50);
        assert!(VALUES.iter().all(|row| !row.on.is_empty()));
    }
}
