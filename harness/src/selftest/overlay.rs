//! A defect in the responses of a recording, as if the deployment had the defect.

use std::collections::BTreeSet;

use http::header::CONTENT_LENGTH;
use http::{HeaderName, HeaderValue, StatusCode};
use moot_fixtures::journal::RuleGroup;
use moot_mock::defect::{Defect, ReplyContext};
use moot_mock::response::{RefusalReason, Response, ResponseBody};
use parking_lot::Mutex;

use crate::client::response::{BodyReader, headers};
use crate::exchange::{Exchange, ReceivedResponse};
use crate::run::environment::ResponseOverlay;

/// A defect that only edits responses.
#[derive(Debug)]
pub(super) struct DefectOverlay {
    defect: &'static Defect,
    changed: Mutex<BTreeSet<String>>,
}

impl DefectOverlay {
    pub(super) fn new(defect: &'static Defect) -> Self {
        Self { defect, changed: Mutex::default() }
    }

    /// The scenarios in which it changed a response.
    pub(super) fn changed(&self) -> BTreeSet<String> {
        self.changed.lock().clone()
    }

    /// Edits one response; `None` if nothing changes.
    fn rewrite_one(&self, exchange: &mut Exchange) -> Option<()> {
        let received = exchange.outcome.as_ref().ok().filter(|received| !received.is_cut)?;
        let (path, query) = match exchange.request.path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (exchange.request.path.as_str(), None),
        };
        let context = ReplyContext { operation: exchange.request.operation, path, query };
        let sound = response(received)?;
        let mut rewritten = sound.clone();
        self.defect.rewrite(&context, &mut rewritten);
        let is_same = rewritten.status == sound.status
            && rewritten.headers == sound.headers
            && bytes(&rewritten) == bytes(&sound);
        if is_same {
            return None;
        }
        exchange.outcome = Ok(read_again(&rewritten));
        Some(())
    }
}

impl ResponseOverlay for DefectOverlay {
    fn rewrite(&self, scenario: &str, exchanges: &mut [Exchange]) {
        let mut is_changed = false;
        for exchange in exchanges {
            is_changed |= self.rewrite_one(exchange).is_some();
        }
        if is_changed {
            self.changed.lock().insert(scenario.to_owned());
        }
    }
}

/// The received response as a response of the mock; `None` if its status or a header is invalid.
fn response(received: &ReceivedResponse) -> Option<Response> {
    let status = StatusCode::from_u16(received.status).ok()?;
    let pair = |(name, value): &(String, String)| {
        Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
    };
    let problem = received.json.as_ref().and_then(|json| json.get("type")?.as_str());
    let is_refused = status.is_client_error() || status.is_server_error();
    let refused = is_refused.then(|| {
        Box::new(RefusalReason {
            rule_group: RuleGroup::Body,
            rule: None,
            problem: problem.unwrap_or_default().to_owned(),
            detail: String::new(),
        })
    });
    Some(Response {
        status,
        headers: received.headers.iter().map(pair).collect::<Option<_>>()?,
        body: ResponseBody::Bytes(received.body.clone()),
        refused,
        transport: Vec::new(),
        page: None,
    })
}

fn bytes(response: &Response) -> &[u8] {
    match &response.body {
        ResponseBody::Bytes(bytes) => bytes,
        ResponseBody::Content(_) => &[],
    }
}

/// The response as the client reads it.
fn read_again(response: &Response) -> ReceivedResponse {
    let mut reader = BodyReader::default();
    reader.take(bytes(response));
    let length = HeaderValue::from(bytes(response).len());
    let with_length = response.headers.iter().cloned().map(|(name, value)| match name {
        CONTENT_LENGTH => (name, length.clone()),
        _ => (name, value),
    });
    reader.finish(response.status.as_u16(), headers(&with_length.collect()))
}
