//! The exchanges that a report shows: which, and how much of each.

use std::collections::BTreeMap;

use super::{Breadth, Builder, is_looked_into};
use crate::exchange;
use crate::report::names::trouble_text;
use crate::report::view::Exchange;
use crate::result::{CheckResult, RunResult};
use crate::terminal::escape;
use crate::verdict::Verdict;

/// Characters shown of a body that a check found wanting, and of any other.
const BODY_CHARACTERS_MAX: usize = 8_000;
const PASSED_BODY_CHARACTERS_MAX: usize = 1_000;

impl Builder<'_> {
    pub(super) fn exchanges(&self, result: &RunResult) -> Vec<Exchange> {
        let steps = || result.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let judging = |check: &&CheckResult| match self.breadth {
            Breadth::Whole | Breadth::Checks | Breadth::Remarkable => is_looked_into(check),
            Breadth::Bad => check.verdict > Verdict::Warn,
        };
        let checks = steps().flat_map(|step| &step.checks).filter(judging);
        let looked_into = checks.filter_map(|check| check.exchange.as_ref());
        let looked_into: BTreeMap<u64, _> = looked_into.map(|one| (one.number, one)).collect();
        if self.breadth != Breadth::Whole {
            return looked_into
                .values()
                .map(|one| self.exchange(one, BODY_CHARACTERS_MAX))
                .collect();
        }
        let sent = steps().flat_map(|step| &step.exchanges);
        let judged = steps().flat_map(|s| &s.checks).filter_map(|check| check.exchange.as_ref());
        let all: BTreeMap<u64, _> = sent.chain(judged).map(|one| (one.number, one)).collect();
        let body_max = |number: &u64| match looked_into.contains_key(number) {
            true => BODY_CHARACTERS_MAX,
            false => PASSED_BODY_CHARACTERS_MAX,
        };
        all.iter().map(|(number, one)| self.exchange(one, body_max(number))).collect()
    }

    fn exchange(&self, exchange: &exchange::Exchange, body_max: usize) -> Exchange {
        let request = &exchange.request;
        let headers = |headers: &[(String, String)]| {
            headers.iter().map(|(name, value)| (self.line(name), self.line(value))).collect()
        };
        let (status, trouble, response_headers, response_body) = match &exchange.outcome {
            Ok(response) => {
                let body = match &response.json {
                    Some(json) => format!("{json:#}"),
                    None => String::from_utf8_lossy(&response.body).into_owned(),
                };
                let mut body = escape::cut(&self.text(&body), body_max);
                if response.is_cut {
                    body.push_str("\n(the body was longer than what is kept)");
                }
                (Some(response.status), None, headers(&response.headers), body)
            }
            Err(trouble) => {
                (None, Some(self.line(&trouble_text(trouble))), Vec::new(), String::new())
            }
        };
        Exchange {
            number: exchange.number,
            method: request.method.clone(),
            url: self.line(&request.url),
            request_headers: headers(&request.headers),
            request_body: escape::cut(&self.text(&request.body_shown), body_max),
            status,
            trouble,
            response_headers,
            response_body,
            duration_ms: (exchange.duration.as_secs_f64() * 10_000.0).round() / 10.0,
            curl: self.text(&request.curl),
        }
    }
}
