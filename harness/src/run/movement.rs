//! Whether the data of a shared target moved while something was judged: others may use it.
//!
//! What did not move can't excuse a failure, and what moved can't prove one. The order of a list is
//! no movement: a list that is in another order each time is at fault itself.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Operation, Scopes};
use serde_json::Value;

use crate::scenario::model::{RequestLine, RequestShape, Text, TextPiece, TokenChoice};
use crate::scenario::plan::Planned;

use super::context::RunContext;
use super::pages;
use super::scenario_walk::{self, ScenarioWalk};
use super::send;

/// Lists of which the totals are compared.
const COUNTED: [Operation; 4] = [
    Operation::ListWorkflows,
    Operation::ListLegalRequests,
    Operation::ListRepositoryDocuments,
    Operation::ListWebhooks,
];

/// The data at one moment, as far as they are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moment {
    totals: Vec<Option<u64>>,
    /// Status by id of a legal request.
    statuses: BTreeMap<String, String>,
}

impl Moment {
    /// Whether something was made, deleted or moved on between the two.
    pub(super) fn differs(&self, later: &Self) -> bool {
        let moved_on = |(id, status): (&String, &String)| {
            later.statuses.get(id).is_some_and(|after| after != status)
        };
        self.totals != later.totals || self.statuses.iter().any(moved_on)
    }
}

/// Requests that one look takes at most.
pub(super) const fn look_requests_max(pages_max: u64) -> u64 {
    COUNTED.len() as u64 + pages_max
}

/// The data now; what can't be read is left out.
pub(super) async fn look(shared: &RunContext, planned: Planned<'_>, name: &str) -> Moment {
    let Ok(session) = shared.target.session(name, &planned.scenario.sandbox).await else {
        return Moment::default();
    };
    let names = scenario_walk::root_names(&session);
    let mut walk = scenario_walk::walk_on(shared, &session, planned, name, names);
    let mut moment = Moment::default();
    for operation in COUNTED {
        moment.totals.push(total(&mut walk, operation).await);
    }
    let shape = shape(&walk, Operation::ListLegalRequests);
    let items = pages::members(&mut walk, &shape).await;
    for item in items.map(|list| list.items).unwrap_or_default() {
        if let (Some(id), Some(status)) =
            (item["id"].as_str(), item["attributes"]["status"].as_str())
        {
            moment.statuses.insert(id.to_owned(), status.to_owned());
        }
    }
    session.close().await;
    moment
}

async fn total(walk: &mut ScenarioWalk<'_>, operation: Operation) -> Option<u64> {
    let shape = shape(walk, operation);
    let body = send::sent(walk, &shape).await.ok()?.0.json?;
    body.pointer("/pagination/total_count").and_then(Value::as_u64)
}

fn shape(walk: &ScenarioWalk<'_>, operation: Operation) -> RequestShape {
    let name = TextPiece::Literal(operation.as_str().to_owned());
    let at = walk.planned.scenario.at.clone();
    RequestShape {
        line: Some(RequestLine::Operation {
            operation: Text { pieces: vec![name], at },
            known: Some(operation),
            id: None,
        }),
        token: Some(TokenChoice::Shared(Scopes::READ)),
        ..RequestShape::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    fn moment(total: u64, statuses: &[(&str, &str)]) -> Moment {
        let own = |(id, status): &(&str, &str)| ((*id).to_owned(), (*status).to_owned());
        Moment { totals: vec![Some(total)], statuses: statuses.iter().map(own).collect() }
    }

    #[test]
    fn a_total_or_a_status_moves_and_what_one_walk_missed_does_not() {
        let before = moment(2, &[("a", "draft"), ("b", "signed")]);
        assert!(!before.differs(&before));
        assert!(!before.differs(&moment(2, &[("b", "signed"), ("c", "draft")])));
        assert!(before.differs(&moment(3, &[("a", "draft"), ("b", "signed")])));
        assert!(before.differs(&moment(2, &[("a", "expired"), ("b", "signed")])));
    }
}
