//! Mutants: generated defects, one for each operator at each suitable place.
//!
//! The places follow from the contract: the JSON Schemas list the members of each response, and the table of
//! operations lists the calls. A mutant that no outside observer can notice has an [`Equivalence`].

mod effects;
mod members;
mod operations;
mod refusals;
mod responses;
mod row;
mod views;

use std::sync::LazyLock;

use serde::Serialize;

use super::catalogue::Defect;

pub use row::{Equivalence, OperatorFamily, PlaceKind};

/// A generated defect.
#[derive(Debug, Clone, Serialize)]
pub struct Mutant {
    /// The defect. Its id is `mutant:PLACE/OPERATOR`, and `breaks` is empty.
    #[serde(flatten)]
    pub defect: Defect,
    /// The name of its operator: `truncated`.
    pub operator: String,
    /// The family of its operator.
    pub family: OperatorFamily,
    /// The name of its place: `list-legal-requests/data.attributes.name`.
    pub place: String,
    /// The kind of its place.
    pub kind: PlaceKind,
    /// Why no outside observer can notice it; `None` if one can.
    pub equivalent: Option<Equivalence>,
}

impl Mutant {
    /// Describes a check that would notice it.
    pub const fn check(&self) -> &'static str {
        match (self.family, self.kind) {
            (OperatorFamily::Values, PlaceKind::AnswerMember) => {
                "compares the member with the other responses that show it, and with its schema"
            }
            (OperatorFamily::Values, _) => {
                "sends a value in which this damage shows, and compares it wherever it comes back"
            }
            (OperatorFamily::Effects, PlaceKind::FormField) => {
                "sends the field, and checks its effect"
            }
            (OperatorFamily::Effects, PlaceKind::Transition) => {
                "changes the status, and compares the request with its activity log"
            }
            (OperatorFamily::Effects, PlaceKind::Rule) => {
                "breaks the rule alone, and counts the objects before and after"
            }
            (OperatorFamily::Effects, _) => {
                "lists the objects before and after the call, and compares all of them"
            }
            (OperatorFamily::Lists, _) => {
                "reads all pages, with and without a filter, and compares ids, order and counts"
            }
            (OperatorFamily::Access, _) => {
                "makes the same call with a token that is nearly right, or of another caller"
            }
            (OperatorFamily::Identity, _) => {
                "uses an id that is nearly right, and compares an object with its neighbours"
            }
            (OperatorFamily::Time, _) => {
                "compares the time with our clock, and with the time in other responses"
            }
            (OperatorFamily::Errors, _) => {
                "provokes this refusal of this operation, and compares every member"
            }
            (OperatorFamily::Http, PlaceKind::Request) => {
                "sends the call in a form that HTTP allows, and checks that it is served"
            }
            (OperatorFamily::Http, _) => {
                "checks the status, the headers and the bytes of the response"
            }
        }
    }
}

static ALL: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
    let mut all = responses::mutants();
    all.extend(views::mutants());
    all.extend(responses::swapped_values());
    all.extend(operations::mutants());
    all.extend(effects::mutants());
    all.extend(refusals::mutants());
    all
});

/// Every mutant, in the order of the contract.
pub fn all() -> &'static [Mutant] {
    &ALL
}

/// The mutant with this id. Ids are compared exactly.
pub fn named(id: &str) -> Option<&'static Mutant> {
    all().iter().find(|mutant| mutant.defect.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::all;

    #[test]
    fn ids_are_unique_and_each_mutant_does_something() {
        let ids: BTreeSet<&str> = all().iter().map(|mutant| mutant.defect.id.as_str()).collect();
        assert_eq!(ids.len(), all().len());
        assert!(all().len() > 1_000, "{}", all().len());
        for mutant in all() {
            assert!(!mutant.defect.does.is_empty(), "{}", mutant.defect.id);
            assert_eq!(mutant.defect.id, format!("mutant:{}/{}", mutant.place, mutant.operator),);
        }
    }
}
