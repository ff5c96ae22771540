//! An admitted call, as a defect sees it; the core can be asked again, about another call.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use crate::call::{Admitted, Body, Call, Head, Part, Principal};
use crate::world::{Outcome, World};

/// A call that is answered.
pub(crate) struct Asked<'a> {
    pub(crate) world: &'a World,
    pub(crate) now: Timestamp,
    pub(crate) call: &'a Call<'a>,
}

impl Asked<'_> {
    /// Whether it is a call of this operation.
    pub(crate) fn is(&self, operation: Operation) -> bool {
        self.call.admitted.operation == operation
    }

    /// What the core says of the same call by another company.
    pub(crate) fn by_company(&self, company: u32) -> Outcome {
        let principal = self.call.admitted.principal.map(|own| Principal { company, ..own });
        self.admitted_as(&Admitted { principal, ..self.call.admitted.clone() })
    }

    /// What the core says of the same call on another id.
    pub(crate) fn of_id(&self, id: &str) -> Outcome {
        self.admitted_as(&Admitted { id: Some(id.to_owned()), ..self.call.admitted.clone() })
    }

    fn admitted_as(&self, admitted: &Admitted) -> Outcome {
        let Call { head, body, .. } = self.call;
        self.world.answer_soundly(self.now, &Call { head: *head, admitted, body: body.clone() })
    }

    /// What the core says of the same call with another query.
    pub(crate) fn with_query(&self, query: Option<&str>) -> Outcome {
        let Call { head, admitted, body } = self.call;
        let head = Head { query, ..*head };
        self.world.answer_soundly(self.now, &Call { head, admitted, body: body.clone() })
    }

    /// What the core says of the same call with another body.
    pub(crate) fn with_body(&self, body: Body) -> Outcome {
        let Call { head, admitted, .. } = self.call;
        self.world.answer_soundly(self.now, &Call { head: *head, admitted, body })
    }

    /// What the core says of the same call with other parts.
    pub(crate) fn with_parts(&self, edit: impl FnOnce(&mut Vec<Part>)) -> Outcome {
        let mut body = self.call.body.clone();
        if let Body::Multipart(parts) = &mut body {
            edit(parts);
        }
        self.with_body(body)
    }

    /// The parts of its body.
    pub(crate) fn parts(&self) -> &[Part] {
        match &self.call.body {
            Body::Multipart(parts) => parts,
            Body::Empty | Body::Whole(_) | Body::Broken(_) => &[],
        }
    }
}
