//! Queries of list operations: `page`, `status`, and the pagination object (§2.7, §4).

use std::borrow::Cow;

use moot_fixtures::contract::{Answers, FilterUnknown, PAGE_MIN, PageInvalid, PagePastEnd};

use crate::value::message::problem::{Problem, shown};
use crate::value::message::response::Pagination;

/// The page asked for, at least 1; beyond `u64` it is the last number there is.
///
/// # Errors
/// By answer `page_invalid`.
pub(crate) fn asked(answers: &Answers, query: Option<&str>) -> Result<u64, Problem> {
    let number = match parameters(query, "page").as_slice() {
        [] => return Ok(PAGE_MIN),
        [text] => number(text),
        _ => None,
    };
    match (number, answers.page_invalid) {
        (Some(number), _) => Ok(number),
        (None, PageInvalid::FirstPage) => Ok(PAGE_MIN),
        (None, PageInvalid::Refused) => Err(Problem::parameter_missing(
            "`page` must be given once, as a whole number from 1 on.",
        )),
    }
}

fn number(text: &str) -> Option<u64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_digits.then(|| text.parse().unwrap_or(u64::MAX))?;
    (number >= PAGE_MIN).then_some(number)
}

/// What `status` asks for.
pub(crate) enum StatusParameter<S> {
    /// All rows.
    All,
    /// Those of one status.
    Status(S),
    /// None at all.
    Nothing,
}

/// The filter asked for; `from_text` knows the statuses, `known` lists them for people.
///
/// # Errors
/// By answer `status_filter_unknown`.
pub(crate) fn filter<S>(
    answers: &Answers,
    query: Option<&str>,
    from_text: impl Fn(&str) -> Option<S>,
    known: impl Fn() -> String,
) -> Result<StatusParameter<S>, Problem> {
    let sent = parameters(query, "status");
    let text = match sent.as_slice() {
        [] => return Ok(StatusParameter::All),
        [text] => text,
        _ => "given more than once",
    };
    if let Some(status) = from_text(text) {
        return Ok(StatusParameter::Status(status));
    }
    match answers.status_filter_unknown {
        FilterUnknown::Ignored => Ok(StatusParameter::All),
        FilterUnknown::Empty => Ok(StatusParameter::Nothing),
        FilterUnknown::Refused => Err(Problem::parameter_missing(format!(
            "`status` must be one of {}, not `{}`.",
            known(),
            shown(text)
        ))),
    }
}

/// The values that the query has for this name.
fn parameters<'a>(query: Option<&'a str>, name: &str) -> Vec<Cow<'a, str>> {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.filter(|(key, _)| key == name).map(|(_, value)| value).collect()
}

impl Pagination {
    /// The page `current` of a list of `members`.
    ///
    /// # Errors
    /// By answer `page_past_end`.
    pub(crate) fn of(answers: &Answers, current: u64, members: u64) -> Result<Self, Problem> {
        let size = answers.per_page.max(1);
        let pages = match members.div_ceil(u64::from(size)) {
            0 => u64::from(answers.empty_total_pages),
            pages => pages,
        };
        let is_past_end = current > pages.max(PAGE_MIN);
        match answers.page_past_end {
            PagePastEnd::NotFound if is_past_end => {
                Err(Problem::not_found(answers, "page of this list", &current.to_string()))
            }
            PagePastEnd::BadRequest if is_past_end => Err(Problem::parameter_missing(format!(
                "`page` must be at most {}, the last page of this list.",
                pages.max(PAGE_MIN)
            ))),
            PagePastEnd::Empty | PagePastEnd::NotFound | PagePastEnd::BadRequest => {
                Ok(Self { current, size, pages, members })
            }
        }
    }

    /// Members before this page.
    pub(crate) const fn skipped(&self) -> u64 {
        (self.current - PAGE_MIN).saturating_mul(self.size as u64)
    }
}
