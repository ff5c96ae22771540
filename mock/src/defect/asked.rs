//! An admitted call, as a defect sees it; the core can be asked again, about another call.

use http::StatusCode;
use http::header::CONTENT_TYPE;
use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use std::borrow::Cow;

use crate::message::call::{Admitted, Body, Call, Head, Part, Principal};
use crate::state::seeded::Application;
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
        self.answered(Call { admitted, ..self.the_call() })
    }

    /// What the core says of the same call with another query.
    pub(crate) fn with_query(&self, query: Option<&str>) -> Outcome {
        let head = Head { query, ..self.call.head };
        self.answered(Call { head, ..self.the_call() })
    }

    /// Its query without a parameter; empty is none.
    pub(crate) fn query_without(&self, name: &str) -> Option<String> {
        let query = self.call.head.query?.as_bytes();
        let kept = form_urlencoded::parse(query).filter(|(key, _)| key != name);
        Some(form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish())
    }

    /// What the core says of the same call in which `status` is this, or nothing.
    pub(crate) fn with_status(&self, status: Option<&str>) -> Outcome {
        let rest = self.query_without("status").unwrap_or_default();
        match status {
            Some(status) => self.with_query(Some(&format!("status={status}&{rest}"))),
            None => self.with_query(Some(&rest)),
        }
    }

    /// What the core says of the same call with another body.
    pub(crate) fn with_body(&self, body: Body) -> Outcome {
        self.answered(Call { body, ..self.the_call() })
    }

    fn the_call(&self) -> Call<'_> {
        let Call { head, admitted, body, fetched } = self.call;
        Call { head: *head, admitted, body: body.clone(), fetched: fetched.clone() }
    }

    fn answered(&self, call: Call<'_>) -> Outcome {
        self.world.answer_unhooked(self.now, &call)
    }

    /// What the core says of the same call with other parts.
    pub(crate) fn with_parts(&self, edit: impl FnOnce(&mut Vec<Part>)) -> Outcome {
        let mut body = self.call.body.clone();
        if let Body::Multipart(parts) = &mut body {
            edit(parts);
        }
        self.with_body(body)
    }

    /// Whether it has a part of this name.
    pub(crate) fn sends(&self, name: &str) -> bool {
        self.parts().iter().any(|part| part.name == name)
    }

    /// 200 with null where the core says 404.
    pub(crate) fn null_where_unknown(&self, operation: Operation, outcome: Outcome) -> Outcome {
        if !self.is(operation) || outcome.response.status != StatusCode::NOT_FOUND {
            return outcome;
        }
        let body = br#"{"data":null}"#.to_vec();
        Outcome::unchanged(self.world.respond(self.now, self.call, 200, body))
    }

    /// An answer without body.
    pub(crate) fn emptied(&self, status: u16) -> Outcome {
        let mut response = self.world.respond(self.now, self.call, status, Vec::new());
        response.headers.retain(|(name, _)| *name != CONTENT_TYPE);
        Outcome::unchanged(response)
    }

    /// A field of its form.
    pub(crate) fn form_field(&self, name: &str) -> Option<String> {
        let Body::Whole(bytes) = &self.call.body else { return None };
        let mut fields = form_urlencoded::parse(bytes);
        fields.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    /// How often its form has a field.
    pub(crate) fn form_count(&self, name: &str) -> usize {
        let Body::Whole(bytes) = &self.call.body else { return 0 };
        form_urlencoded::parse(bytes).filter(|(key, _)| key == name).count()
    }

    /// The client that its form names, with its index.
    pub(crate) fn client(&self) -> Option<(u32, &Application)> {
        self.world.seeded().application_of(&self.form_field("client_id")?)
    }

    /// The secret of [`Self::client`].
    pub(crate) fn client_secret(&self) -> Option<Cow<'_, str>> {
        let (_, client) = self.client()?;
        Some(self.world.client_secret(client))
    }

    /// The parts of its body.
    pub(crate) fn parts(&self) -> &[Part] {
        match &self.call.body {
            Body::Multipart(parts) => parts,
            Body::Empty | Body::Whole(_) | Body::Broken(_) => &[],
        }
    }
}
