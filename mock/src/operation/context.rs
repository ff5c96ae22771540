//! What every operation is given.

use http::header::CONTENT_TYPE;
use jiff::Timestamp;
use moot_fixtures::contract::Answers;

use crate::value::message::call::{Call, Principal};
use crate::value::message::problem::Problem;
use crate::value::message::reply::Responder;
use crate::world::World;

/// A call, the world it meets, and the time.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a World,
    pub(crate) now: Timestamp,
    pub(crate) call: &'a Call<'a>,
    pub(crate) reply: Responder<'a>,
}

impl<'a> Context<'a> {
    /// The answers of the world.
    pub(crate) fn answers(&self) -> &'a Answers {
        self.world.answers()
    }

    /// The caller.
    ///
    /// # Errors
    /// 401, where a call was not admitted by this world.
    pub(crate) fn principal(&self) -> Result<&'a Principal, Problem> {
        self.call.admitted.principal.as_ref().ok_or_else(Problem::token_missing)
    }

    /// The id of the path; empty where the route has none.
    pub(crate) fn id(&self) -> &'a str {
        self.call.admitted.id.as_deref().unwrap_or("")
    }

    /// The media type of the body, as sent.
    pub(crate) fn content_type(&self) -> Option<&'a str> {
        self.call.head.headers.get(CONTENT_TYPE)?.to_str().ok()
    }

    /// Whether the body claims to be of this type.
    pub(crate) fn has_content_type(&self, wanted: &str) -> bool {
        let essence = |text: &'a str| text.split(';').next().unwrap_or_default().trim();
        self.content_type().is_some_and(|text| essence(text).eq_ignore_ascii_case(wanted))
    }

    /// A record of `company` that the caller may see.
    ///
    /// # Errors
    /// 404 if there is none; by answer `other_company` if it belongs to another company.
    pub(crate) fn visible<R>(
        &self,
        record: Option<R>,
        company: impl Fn(&R) -> u32,
        what: &str,
        not_found: impl Fn() -> Problem,
    ) -> Result<R, Problem> {
        let record = record.ok_or_else(&not_found)?;
        if company(&record) == self.principal()?.company {
            return Ok(record);
        }
        match self.answers().other_company {
            403 => Err(Problem::other_company(what)),
            _ => Err(not_found()),
        }
    }
}
