//! Whole lists that are wrong.

use serde::Deserialize;
use serde_json::Value;

use super::call::{DefectCall, companies};
use super::call_edit::{CallEdit, QueryParameter};
use super::edit;
use crate::world::Outcome;

/// A way in which a list is wrong.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ListAct {
    /// The list has an additional member of another company.
    Foreign,
    /// Every second response has the reverse order.
    Alternate,
    /// Each page begins with the last member of the page before, and lacks its own last member.
    Overlap,
    /// Each page from the second on lacks its first member.
    Gap,
    /// The value at this pointer of the body is always that of the first response to the same call.
    Frozen(String),
    /// The values at this pointer are rotated: each member has the value of the next member.
    Swapped(String),
}

impl ListAct {
    /// The outcome of a successful call, with its list changed.
    pub(super) fn apply(&self, call: &DefectCall<'_>, mut outcome: Outcome) -> Outcome {
        let page = page(call.call.head.query);
        match self {
            Self::Foreign => {
                let found = foreign(call);
                edit_list(&mut outcome, |members| members.extend(found));
            }
            Self::Alternate if call.call.admitted.serial % 2 == 1 => {
                edit_list(&mut outcome, |members| members.reverse());
            }
            Self::Overlap if page > 1 => {
                let before = last_of(call, page - 1);
                edit_list(&mut outcome, |members| {
                    members.pop();
                    before.into_iter().for_each(|last| members.insert(0, last));
                });
            }
            Self::Gap if page > 1 => edit_list(&mut outcome, |members| {
                if !members.is_empty() {
                    members.remove(0);
                }
            }),
            Self::Frozen(pointer) => {
                let head = &call.call.head;
                let company = call.company();
                let key = format!("{company:?} {} {:?} {pointer}", head.path, head.query);
                edit::rewrite(&mut outcome.response, |body| {
                    if let Some(value) = body.pointer_mut(pointer) {
                        *value = call.memory.first(key, value);
                    }
                });
            }
            Self::Swapped(pointer) => edit_list(&mut outcome, |members| swap(members, pointer)),
            Self::Alternate | Self::Overlap | Self::Gap => {}
        }
        outcome
    }
}

fn edit_list(outcome: &mut Outcome, edit: impl FnOnce(&mut Vec<Value>)) {
    edit::rewrite(&mut outcome.response, |body| {
        if let Some(members) = list(body) {
            edit(members);
        }
    });
}

fn list(body: &mut Value) -> Option<&mut Vec<Value>> {
    body.pointer_mut("/data")?.as_array_mut()
}

fn page(query: Option<&str>) -> u64 {
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.find(|(name, _)| name == "page").and_then(|(_, page)| page.parse().ok()).unwrap_or(1)
}

fn body_of(outcome: &Outcome) -> Option<Value> {
    outcome.is_success().then(|| edit::json(&outcome.response))?
}

/// The first member of the same list of another company.
fn foreign(call: &DefectCall<'_>) -> Option<Value> {
    let others = companies(call.world).filter(|company| Some(*company) != call.company());
    let lists = others.map(|company| call.answer_for_company(company));
    lists.filter_map(|outcome| body_of(&outcome)?.pointer("/data/0").cloned()).next()
}

fn last_of(call: &DefectCall<'_>, page: u64) -> Option<Value> {
    let page = CallEdit::Parameter(QueryParameter::page(page));
    let mut body = body_of(&call.answer_edited(&page))?;
    list(&mut body)?.pop()
}

fn swap(members: &mut [Value], pointer: &str) {
    let mut values: Vec<Option<Value>> =
        members.iter().map(|member| member.pointer(pointer).cloned()).collect();
    if !values.is_empty() {
        values.rotate_left(1);
    }
    for (member, value) in members.iter_mut().zip(values) {
        if let (Some(place), Some(value)) = (member.pointer_mut(pointer), value) {
            *place = value;
        }
    }
}
