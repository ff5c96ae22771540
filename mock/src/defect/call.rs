//! A call and its world, for defects. A defect can also ask the core to answer a changed copy of the call.

use std::borrow::Cow;

use http::header::{AUTHORIZATION, HeaderValue};
use jiff::Timestamp;
use moot_fixtures::contract::{Operation, ProblemType};

use super::call_edit::{CallEdit, QueryParameter};
use super::memory::HookMemory;
use crate::value::message::call::{Admission, AdmittedCall, Body, Call, Head, Part, Principal};
use crate::value::message::content::Content;
use crate::value::message::problem::Problem;
use crate::value::message::responder::Responder;
use crate::value::message::route::RouteMatch;
use crate::value::token::Grant;
use crate::world::state::seed_data::Application;
use crate::world::{Outcome, World, reading};

/// A call before its body is read.
pub(super) struct ArrivingCall<'a> {
    pub(super) world: &'a World,
    pub(super) now: Timestamp,
    pub(super) head: &'a Head<'a>,
    pub(super) memory: &'a HookMemory,
}

impl ArrivingCall<'_> {
    /// The problem type of a refusal; `None` if the contract does not have it.
    pub(super) fn problem(admission: &Admission) -> Option<ProblemType> {
        match admission {
            Admission::Refused(response, _) => response.refused.as_ref()?.problem.parse().ok(),
            Admission::Admitted(_) => None,
        }
    }

    /// The bearer token that was sent, valid or not.
    pub(super) fn bearer(&self) -> Option<&str> {
        let text = self.head.headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    }

    /// The grant of the bearer token, even if the token is expired or revoked.
    pub(super) fn grant(&self) -> Option<Grant> {
        self.world.sealer.open(self.bearer()?)
    }

    /// The caller of a grant; `None` if its application is unknown.
    pub(super) fn principal(&self, grant: Grant) -> Option<Principal> {
        let application = self.world.seed_data().application(grant.application)?;
        Some(Principal {
            application: grant.application,
            company: application.company,
            scopes: grant.scopes,
        })
    }

    /// The operation of its path and method.
    pub(super) fn operation(&self) -> Option<Operation> {
        match self.world.seed_data().router.find(self.head.method, self.head.path) {
            RouteMatch::Found(operation, _) => Some(operation),
            RouteMatch::WrongMethod(..) | RouteMatch::Unknown => None,
        }
    }

    /// Whether it is a call of one of these operations. An empty list stands for all operations.
    pub(super) fn is_of(&self, operations: &[Operation]) -> bool {
        operations.is_empty() || self.operation().is_some_and(|it| operations.contains(&it))
    }

    /// The admission of the same call with another path.
    pub(super) fn at_path(&self, path: &str) -> Admission {
        self.world.admit_unhooked(self.now, &Head { path, ..*self.head })
    }

    /// The admission of the same call with this token; `None` if the text cannot be sent in a header.
    pub(super) fn with_token(&self, token: &str) -> Option<Admission> {
        let mut headers = self.head.headers.clone();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}")).ok()?);
        let head = Head { headers: &headers, ..*self.head };
        Some(self.world.admit_unhooked(self.now, &head))
    }

    /// The admission of the same call with a token that was never issued.
    pub(super) fn with_invalid_token(&self, admission: Admission) -> Admission {
        self.with_token("none").unwrap_or(admission)
    }

    /// Admits the call for the application of its token, if it was refused with this problem type.
    pub(super) fn admit_despite(&self, problem: ProblemType, admission: Admission) -> Admission {
        let principal = self.grant().and_then(|grant| self.principal(grant));
        match (Self::problem(&admission) == Some(problem), principal) {
            (true, Some(principal)) => self.admit_as(Some(principal), admission),
            _ => admission,
        }
    }

    /// Admits the call with `principal` as its caller. Returns `refused` if the path has no operation.
    pub(super) fn admit_as(&self, principal: Option<Principal>, refused: Admission) -> Admission {
        let head = self.head;
        match self.world.seed_data().router.find(head.method, head.path) {
            RouteMatch::Found(operation, id) => Admission::Admitted(AdmittedCall {
                serial: self.world.next_serial(),
                at: self.now,
                operation,
                id,
                principal,
                reading: reading(operation, self.world.answers()),
            }),
            RouteMatch::WrongMethod(..) | RouteMatch::Unknown => refused,
        }
    }
}

/// A call with its body.
pub(super) struct DefectCall<'a> {
    pub(super) world: &'a World,
    pub(super) now: Timestamp,
    pub(super) call: &'a Call<'a>,
    pub(super) memory: &'a HookMemory,
}

impl DefectCall<'_> {
    /// The id in the path; empty without one.
    pub(super) fn id(&self) -> &str {
        self.call.admitted.id.as_deref().unwrap_or_default()
    }

    /// The company of the caller.
    pub(super) fn company(&self) -> Option<u32> {
        self.call.admitted.principal.map(|principal| principal.company)
    }

    /// `outcome`, or the 404 of an unknown id if `is_hidden`.
    pub(super) fn hidden_if(&self, is_hidden: bool, outcome: Outcome) -> Outcome {
        if is_hidden { self.answer_of_id("none") } else { outcome }
    }

    /// Whether it is a call of this operation.
    pub(super) fn is(&self, operation: Operation) -> bool {
        self.call.admitted.operation == operation
    }

    /// Whether it is a call of one of these operations.
    pub(super) fn is_any(&self, operations: &[Operation]) -> bool {
        operations.contains(&self.call.admitted.operation)
    }

    /// The outcome of the same call with one difference.
    pub(super) fn answer_edited(&self, edit: &CallEdit) -> Outcome {
        match edit {
            CallEdit::Parameter(parameter) => {
                let query = self.query_with(parameter);
                self.answer(Call {
                    head: Head { query: Some(&query), ..self.call.head },
                    ..self.copy()
                })
            }
            CallEdit::Id(id) => self.answer_of_id(id),
            CallEdit::Company(company) => self.answer_for_company(*company),
            CallEdit::WithoutPart(name) => {
                self.answer_of_parts(|parts| parts.retain(|part| part.name != *name))
            }
            CallEdit::CutParts(length) => {
                self.answer_of_parts(|parts| parts.iter_mut().for_each(|part| cut(part, *length)))
            }
        }
    }

    /// The outcome of the same call with other parts in its multipart body.
    fn answer_of_parts(&self, edit: impl FnOnce(&mut Vec<Part>)) -> Outcome {
        let mut body = self.call.body.clone();
        if let Body::Multipart(parts) = &mut body {
            edit(parts);
        }
        self.answer_of_body(body)
    }

    /// The outcome of the same call with another body.
    pub(super) fn answer_of_body(&self, body: Body) -> Outcome {
        self.answer(Call { body, ..self.copy() })
    }

    /// The outcome of the same call with another id in its path.
    pub(super) fn answer_of_id(&self, id: &str) -> Outcome {
        self.answer_admitted(&AdmittedCall {
            id: Some(id.to_owned()),
            ..self.call.admitted.clone()
        })
    }

    /// The outcome of the same call by another company.
    pub(super) fn answer_for_company(&self, company: u32) -> Outcome {
        let principal = self.call.admitted.principal.map(|own| Principal { company, ..own });
        self.answer_admitted(&AdmittedCall { principal, ..self.call.admitted.clone() })
    }

    /// The outcome of the same call by the first company for which it succeeds.
    pub(super) fn answer_anywhere(&self) -> Option<Outcome> {
        let mut outcomes = companies(self.world).map(|company| self.answer_for_company(company));
        outcomes.find(Outcome::is_success)
    }

    /// The outcome of a call of the list operation `list` by the same caller, with one query parameter changed.
    pub(super) fn answer_of_list(&self, list: Operation, parameter: &QueryParameter) -> Outcome {
        let query = self.query_with(parameter);
        let admitted = AdmittedCall { operation: list, id: None, ..self.call.admitted.clone() };
        let head = Head { query: Some(&query), ..self.call.head };
        self.answer(Call { head, admitted: &admitted, body: Body::Empty, fetched: None })
    }

    fn answer_admitted(&self, admitted: &AdmittedCall) -> Outcome {
        self.answer(Call { admitted, ..self.copy() })
    }

    fn answer(&self, call: Call<'_>) -> Outcome {
        self.world.answer_unhooked(self.now, &call)
    }

    fn copy(&self) -> Call<'_> {
        let Call { head, admitted, body, fetched } = self.call;
        Call { head: *head, admitted, body: body.clone(), fetched: fetched.clone() }
    }

    /// The query with this parameter first. Without a value, the query without the parameter.
    fn query_with(&self, QueryParameter { name, value }: &QueryParameter) -> String {
        let query = self.call.head.query.unwrap_or_default().as_bytes();
        let others = form_urlencoded::parse(query).filter(|(known, _)| known != name);
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(value.iter().map(|value| (name, value)))
            .extend_pairs(others)
            .finish()
    }

    /// The parts of the multipart body; empty if the body is not multipart.
    pub(super) fn parts(&self) -> &[Part] {
        match &self.call.body {
            Body::Multipart(parts) => parts,
            Body::Empty | Body::Whole(_) | Body::Broken(_) => &[],
        }
    }

    /// The text of a form field, or of a multipart part that is kept in memory.
    pub(super) fn field(&self, name: &str) -> Option<String> {
        if let Body::Whole(bytes) = &self.call.body {
            let mut fields = form_urlencoded::parse(bytes);
            return fields.find(|(known, _)| known == name).map(|(_, value)| value.into_owned());
        }
        let part = self.parts().iter().find(|part| part.name == name)?;
        part_text(part).map(Cow::into_owned)
    }

    /// The names of the fields of the body, a name as often as it was sent.
    pub(super) fn field_names(&self) -> Vec<Cow<'_, str>> {
        match &self.call.body {
            Body::Whole(bytes) => form_urlencoded::parse(bytes).map(|(name, _)| name).collect(),
            _ => self.parts().iter().map(|part| part.name.as_str().into()).collect(),
        }
    }

    /// The number of times that the body has a field.
    pub(super) fn count(&self, name: &str) -> usize {
        self.field_names().iter().filter(|known| *known == name).count()
    }

    /// The client that the form names, with its index.
    pub(super) fn client(&self) -> Option<(u32, &Application)> {
        self.world.seed_data().application_of(&self.field("client_id")?)
    }

    /// The secret of [`Self::client`].
    pub(super) fn client_secret(&self) -> Option<Cow<'_, str>> {
        let (_, client) = self.client()?;
        Some(self.world.client_secret(client))
    }

    /// Builds a response that no operation gave.
    pub(super) fn responder(&self) -> Responder<'_> {
        self.world.responder(self.now, self.call.head.path, self.call.admitted.serial)
    }

    /// The outcome of a refusal.
    pub(super) fn refuse(&self, problem: &Problem) -> Outcome {
        Outcome::unchanged(self.responder().problem(problem))
    }
}

/// The companies of a world.
pub(super) fn companies(world: &World) -> std::ops::Range<u32> {
    0..world.seed_data().companies().len() as u32
}

/// The content of a part as text; `None` if the part is not kept in memory.
pub(super) fn part_text(part: &Part) -> Option<Cow<'_, str>> {
    part.content.bytes().map(|bytes| String::from_utf8_lossy(bytes))
}

/// Cuts the content of a part to this number of bytes. Of a part in a file, which the core does not read, zeros are
/// left.
fn cut(part: &mut Part, length: usize) {
    if part.content.length > length as u64 {
        let left = match part.content.bytes() {
            Some(bytes) => bytes.slice(..length.min(bytes.len())),
            None => vec![0; length].into(),
        };
        part.content = Content::in_memory(left);
    }
}

impl Outcome {
    /// Whether the call succeeded.
    pub(super) fn is_success(&self) -> bool {
        self.response.status.is_success()
    }
}
