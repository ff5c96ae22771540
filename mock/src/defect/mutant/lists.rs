//! Members of lists that have the value of another member.

use moot_fixtures::contract::Operation;

use super::Mutant;
use super::answers::{members, operators, place_of};
use super::members::ValueNature;
use super::row::{OperatorFamily, PlaceKind, mutant};
use crate::defect::act::DefectAct;
use crate::defect::list_defect::ListAct;

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for list in Operation::LISTS {
        swapped(list, &mut all);
    }
    all
}

/// Each member of the list has a value of another one.
fn swapped(list: Operation, all: &mut Vec<Mutant>) {
    for member in members(list) {
        let Some(within) = member.pointer.strip_prefix("/data/*") else { continue };
        let is_whole = matches!(
            member.nature,
            ValueNature::Structure | ValueNature::Constant | ValueNature::OpenObject
        );
        if is_whole || operators(member.nature).next().is_none() {
            continue;
        }
        let place = format!("{}/{}", place_of(list), member.name());
        let what = format!("{}: `{}` is that of another object.", list.title(), member.name());
        let at = (PlaceKind::AnswerMember, place.as_str());
        let operator = (OperatorFamily::Identity, "of-another-object");
        let act = DefectAct::List { of: vec![list], act: ListAct::Swapped(within.to_owned()) };
        all.push(mutant(list.section(), at, operator, what, vec![act]));
    }
}
