//! Operators on each list as a whole, and on its filter and pages.

use moot_fixtures::contract::Operation;
use serde_json::json;

use super::Mutant;
use super::answers::{edit, members, operators, place_of};
use super::members::ValueNature;
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::act::DefectAct;
use crate::defect::call_edit::{CallEdit, QueryParameter};
use crate::defect::condition::CallCondition;
use crate::defect::list_defect::ListAct;
use crate::defect::operator::Operator;

/// Lists with the filter `status`, and a status that the filter takes.
const FILTERED: [(Operation, &str); 2] =
    [(Operation::ListWorkflows, "unpublished"), (Operation::ListLegalRequests, "signed")];

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for list in Operation::LISTS {
        at_list(list, &mut all);
        swapped(list, &mut all);
    }
    for (list, status) in FILTERED {
        at_filter(list, status, &mut all);
    }
    let log = Operation::GetLegalRequestActivity;
    push(log, "list", "one-double", whole(log, &Operator::RepeatFirst), &mut all);
    push(log, "list", "first-missing", whole(log, &Operator::DropFirst), &mut all);
    push(log, "list", "last-missing", whole(log, &Operator::DropLast), &mut all);
    // The newest entry comes first. The last tells the creation, and nothing says that a log begins with it.
    if let Some(last_missing) = all.last_mut() {
        last_missing.equivalent = Some(Equivalence::Permitted);
    }
    push(log, "list", "order-unstable", list_act(log, ListAct::Alternate), &mut all);
    let swapped = list_act(log, ListAct::Swapped("/id".to_owned()));
    push(log, "list", "order-of-ids-unstable", swapped, &mut all);
    all
}

fn push(list: Operation, part: &str, operator: &str, act: DefectAct, all: &mut Vec<Mutant>) {
    let place = format!("{}/{part}", place_of(list));
    let what = format!("{}: the {part} is wrong: {operator}.", list.title());
    let at = (PlaceKind::List, place.as_str());
    all.push(mutant(list.section(), at, (OperatorFamily::Lists, operator), what, vec![act]));
}

fn whole(list: Operation, by: &Operator) -> DefectAct {
    edit(&[list], "/data", by)
}

fn list_act(of: Operation, act: ListAct) -> DefectAct {
    DefectAct::List { of: vec![of], act }
}

fn parameter(name: &str, value: Option<&str>) -> QueryParameter {
    QueryParameter { name: name.to_owned(), value: value.map(str::to_owned) }
}

/// Answers calls with these conditions as if a parameter had another value.
fn instead(
    of: Operation,
    when: Vec<CallCondition>,
    (name, value): (&str, Option<&str>),
) -> DefectAct {
    let instead = CallEdit::Parameter(parameter(name, value));
    DefectAct::Substitute { of: vec![of], when, instead }
}

fn at_list(list: Operation, all: &mut Vec<Mutant>) {
    let page = |value| CallCondition::Parameter(parameter("page", value));
    let count_of_page =
        edit(&[list], "/pagination/total_count", &Operator::LengthOf("/data".to_owned()));
    let frozen = |pointer: &str| list_act(list, ListAct::Frozen(pointer.to_owned()));
    for (operator, act) in [
        ("first-missing", whole(list, &Operator::DropFirst)),
        ("last-missing", whole(list, &Operator::DropLast)),
        ("one-double", whole(list, &Operator::RepeatFirst)),
        ("emptied", whole(list, &Operator::Set(json!([])))),
        ("one-foreign", list_act(list, ListAct::Foreign)),
        ("order-unstable", list_act(list, ListAct::Alternate)),
        ("count-of-page", count_of_page),
        ("count-not-moved", frozen("/pagination/total_count")),
        ("stale", frozen("/data")),
        ("overlapping", list_act(list, ListAct::Overlap)),
        ("with-gaps", list_act(list, ListAct::Gap)),
        ("page-ignored", instead(list, vec![page(None)], ("page", None))),
        ("second-page-is-first", instead(list, vec![page(Some("2"))], ("page", Some("1")))),
        ("second-page-is-third", instead(list, vec![page(Some("2"))], ("page", Some("3")))),
        ("first-page-is-second", instead(list, vec![page(Some("1"))], ("page", Some("2")))),
    ] {
        push(list, "list", operator, act, all);
    }
}

fn at_filter(list: Operation, status: &str, all: &mut Vec<Mutant>) {
    let filter = |value| CallCondition::Parameter(parameter("status", value));
    let page = |value| CallCondition::Parameter(parameter("page", value));
    let other = CallCondition::WithoutParameter("status".to_owned());
    let lost = ("status", None);
    for (operator, act) in [
        ("lost", instead(list, vec![filter(None)], lost)),
        ("lost-for-one-value", instead(list, vec![filter(Some(status))], lost)),
        ("lost-on-a-page", instead(list, vec![filter(None), page(None)], lost)),
        ("lost-on-later-pages", instead(list, vec![filter(None), page(Some("2"))], lost)),
        (
            "lost-after-another-parameter",
            instead(list, vec![filter(None), CallCondition::FirstParameter("page".into())], lost),
        ),
        ("always-on", instead(list, vec![other], ("status", Some(status)))),
        ("of-another-value", instead(list, vec![filter(None)], ("status", Some(status)))),
    ] {
        push(list, "filter", operator, act, all);
    }
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
        let act = list_act(list, ListAct::Swapped(within.to_owned()));
        all.push(mutant(list.section(), at, operator, what, vec![act]));
    }
}
