//! Which exchanges are asked for: parameters of a query, or the body of a wait.

use std::time::Duration;

use moot_fixtures::contract::Operation;
use serde::Deserialize;

use super::fault::read_operation;
use super::routes::FILTERS;
use crate::control::{Filter, StatusFilter};
use crate::shell::answer::Problem;
use moot_fixtures::nearest::{ending, nearest};

/// Exchanges that are listed where `limit` is absent.
const LIMIT: usize = 100;
/// Seconds that a wait takes where it does not say.
const TIMEOUT_SECONDS: u64 = 10;
/// Seconds that it takes at most.
const TIMEOUT_SECONDS_MAX: u64 = 60;

/// Reads the parameters of `GET /exchanges` and `GET /exchanges/har`; the latter has no `limit`.
///
/// # Errors
/// 400: an unknown parameter, or no number; 422: a value that makes no sense.
pub(super) fn read_query(query: Option<&str>, has_limit: bool) -> Result<(Filter, usize), Problem> {
    let (mut filter, mut limit) = (Filter::default(), LIMIT);
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        match &*name {
            "limit" if has_limit => limit = number(&name, &value)?,
            "operation" => filter.operation = Some(read_operation(&value)?),
            "status" => filter.status = Some(read_status(&value)?),
            "application" => filter.application = Some(value.into_owned()),
            "since" => filter.since = Some(number(&name, &value)?),
            _ => {
                let limit = has_limit.then_some("limit");
                let known = limit.into_iter().chain(FILTERS.map(|(known, _)| known));
                let hint = ending(nearest(&name, known));
                return Err(Problem::malformed(format!("unknown parameter `{name}`{hint}")));
            }
        }
    }
    Ok((filter, limit))
}

/// Body of `POST /exchanges/wait`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    operation: Option<String>,
    status: Option<String>,
    application: Option<String>,
    since: Option<u64>,
    timeout_seconds: Option<u64>,
}

impl Wait {
    /// What is waited for, and how long.
    pub(super) fn chosen(self) -> Result<(Filter, Duration), Problem> {
        let Self { operation, status, application, since, timeout_seconds } = self;
        let operation: Option<Operation> =
            operation.map(|text| read_operation(&text)).transpose()?;
        let status = status.map(|text| read_status(&text)).transpose()?;
        let seconds = timeout_seconds.unwrap_or(TIMEOUT_SECONDS);
        if seconds > TIMEOUT_SECONDS_MAX {
            let detail = format!("`timeout_seconds` is {TIMEOUT_SECONDS_MAX} at most");
            return Err(Problem::invalid_value(detail));
        }
        let filter = Filter { operation, status, application, since };
        Ok((filter, Duration::from_secs(seconds)))
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, Problem> {
    let wrong = |_| Problem::malformed(format!("`{name}` is a number, not `{value}`"));
    value.parse().map_err(wrong)
}

fn read_status(text: &str) -> Result<StatusFilter, Problem> {
    let (digits, class) = match text.strip_suffix("xx") {
        Some(digit) => (digit, true),
        None => (text, false),
    };
    let wanted = if class { 1..=5 } else { 100..=599 };
    match digits.parse::<u16>() {
        Ok(number) if wanted.contains(&number) && class => Ok(StatusFilter::Class(number)),
        Ok(number) if wanted.contains(&number) => Ok(StatusFilter::Exactly(number)),
        Ok(_) | Err(_) => {
            let detail = format!("`status` is such as 422 or 4xx, not `{text}`");
            Err(Problem::invalid_value(detail))
        }
    }
}
