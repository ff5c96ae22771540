//! The input of every operation.

use std::sync::Arc;

use http::header::CONTENT_TYPE;
use jiff::Timestamp;
use moot_fixtures::contract::Answers;
use moot_fixtures::media_type;

use crate::value::message::call::{Call, Principal};
use crate::value::message::problem::Problem;
use crate::value::message::responder::Responder;
use crate::world::World;
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::workflow::Workflow;

/// A call, its world, and the time.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a World,
    pub(crate) now: Timestamp,
    pub(crate) call: &'a Call<'a>,
    pub(crate) responder: Responder<'a>,
}

impl<'a> Context<'a> {
    pub(crate) fn answers(&self) -> &'a Answers {
        self.world.answers()
    }

    /// The caller.
    ///
    /// # Errors
    /// 401 if this world did not admit the call.
    pub(crate) fn principal(&self) -> Result<&'a Principal, Problem> {
        self.call.admitted.principal.as_ref().ok_or_else(Problem::token_missing)
    }

    /// The id in the path; empty if the route has none.
    pub(crate) fn id(&self) -> &'a str {
        self.call.admitted.id.as_deref().unwrap_or("")
    }

    /// The media type of the body, as sent.
    pub(crate) fn content_type(&self) -> Option<&'a str> {
        self.call.head.headers.get(CONTENT_TYPE)?.to_str().ok()
    }

    /// Whether the header `Content-Type` names this media type.
    pub(crate) fn has_content_type(&self, wanted: &str) -> bool {
        self.content_type()
            .is_some_and(|text| media_type::essence(text).eq_ignore_ascii_case(wanted))
    }

    /// The legal request with the id in the path.
    ///
    /// # Errors
    /// As [`Self::visible`].
    pub(crate) fn legal_request(&self) -> Result<&'a Arc<LegalRequest>, Problem> {
        self.visible(self.world.legal_request(self.id()), |record| record.company)
    }

    /// The workflow with the id in the path.
    ///
    /// # Errors
    /// As [`Self::visible`].
    pub(crate) fn workflow(&self) -> Result<&'a Workflow, Problem> {
        let found = self.world.seed_data().workflow_of(self.id());
        self.visible(found.map(|(_, workflow)| workflow), |workflow| workflow.company)
    }

    /// The record, if the caller may see it. `company` gives the company of a record.
    ///
    /// # Errors
    /// 404 if there is none; the answer `other_company` if it belongs to another company.
    pub(crate) fn visible<R>(
        &self,
        record: Option<R>,
        company: impl Fn(&R) -> u32,
    ) -> Result<R, Problem> {
        let record = record.ok_or_else(|| self.no_object())?;
        if company(&record) == self.principal()?.company {
            return Ok(record);
        }
        match self.answers().other_company {
            403 => Err(Problem::other_company(self.call.admitted.operation)),
            _ => Err(self.no_object()),
        }
    }

    /// 404: no object has the id in the path.
    pub(crate) fn no_object(&self) -> Problem {
        Problem::no_object(self.answers(), self.call.admitted.operation, self.id())
    }
}
