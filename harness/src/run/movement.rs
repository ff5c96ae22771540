//! Detects whether others changed the data of a shared target while a scenario was judged. A failure proves nothing if
//! they did.
//!
//! A different order of a list does not count: a list whose order changes is a fault of the target.

use std::collections::BTreeMap;

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::scenario::ScenarioName;
use crate::scenario::model::{RequestLine, RequestShape, Text};
use crate::scenario::plan::PlanEntry;

use super::context::RunContext;
use super::list_page::ListPage;
use super::pages;
use super::scenario_run::ScenarioRun;
use super::send;

/// The data at one moment, as far as it is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moment {
    totals: Vec<Option<u64>>,
    /// Status by id of a legal request.
    statuses: BTreeMap<String, String>,
}

impl Moment {
    /// Whether a total changed, or the status of a request.
    pub(super) fn differs(&self, later: &Self) -> bool {
        let changed = |(id, status): (&String, &String)| {
            later.statuses.get(id).is_some_and(|after| after != status)
        };
        self.totals != later.totals || self.statuses.iter().any(changed)
    }
}

/// The largest number of requests of one look.
pub(super) const fn look_requests_max(pages_max: u64) -> u64 {
    Operation::LISTS.len() as u64 + pages_max
}

/// Reads the data. Values that cannot be read are left out.
pub(super) async fn look(
    shared: &RunContext,
    planned: PlanEntry<'_>,
    name: &ScenarioName,
) -> Moment {
    let Ok(session) =
        shared.target.session(&name.to_string(), &planned.scenario.sandbox_settings()).await
    else {
        return Moment::default();
    };
    let mut run = ScenarioRun::new(shared, &session, planned, name);
    let mut moment = Moment::default();
    for operation in Operation::LISTS {
        moment.totals.push(total(&mut run, operation).await);
    }
    let shape = shape(&run, Operation::ListLegalRequests);
    let pages = pages::pages(&mut run, &shape).await.unwrap_or_default();
    for item in pages.iter().flat_map(ListPage::items) {
        if let (Some(id), Some(status)) =
            (item["id"].as_str(), item["attributes"]["status"].as_str())
        {
            moment.statuses.insert(id.to_owned(), status.to_owned());
        }
    }
    session.close().await;
    moment
}

async fn total(run: &mut ScenarioRun<'_>, operation: Operation) -> Option<u64> {
    let shape = shape(run, operation);
    let body = send::send(run, &shape).await.ok()?.json?;
    body.pointer("/pagination/total_count").and_then(Value::as_u64)
}

fn shape(run: &ScenarioRun<'_>, operation: Operation) -> RequestShape {
    let text = Text::literal(operation.as_str(), run.planned.scenario.at.clone());
    pages::reading(RequestLine::Operation { operation: text, known: Some(operation), id: None })
}

#[cfg(test)]
mod tests {
    use super::Moment;

    fn moment(total: u64, statuses: &[(&str, &str)]) -> Moment {
        let own = |(id, status): &(&str, &str)| ((*id).to_owned(), (*status).to_owned());
        Moment { totals: vec![Some(total)], statuses: statuses.iter().map(own).collect() }
    }

    #[test]
    fn a_changed_total_or_status_is_movement_and_a_missing_item_is_not() {
        let before = moment(2, &[("a", "draft"), ("b", "signed")]);
        assert!(!before.differs(&before));
        assert!(!before.differs(&moment(2, &[("b", "signed"), ("c", "draft")])));
        assert!(before.differs(&moment(3, &[("a", "draft"), ("b", "signed")])));
        assert!(before.differs(&moment(2, &[("a", "expired"), ("b", "signed")])));
    }
}
