//! The responses to a scenario in a form that is the same for two runs: names replace identifiers and times, and all
//! items of a list share one reading.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use moot_snapshots::Placeholders;
use parking_lot::Mutex;
use percent_encoding::NON_ALPHANUMERIC;
use serde_json::{Map, Value, json};

use super::flatten::{self, PlaceReading};
use crate::exchange::{Exchange, ReceivedResponse};
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::result::{Event, ScenarioResult, StepResult};

/// Headers of the transport or of the time of the response. They are not compared.
const TRANSPORT: [&str; 11] = [
    "age",
    "connection",
    "content-encoding",
    "content-length",
    "date",
    "etag",
    "expires",
    "keep-alive",
    "last-modified",
    "transfer-encoding",
    "via",
];

/// Headers of which only the presence is compared, because their values differ in each run.
const PRESENCE: [&str; 3] = ["location", "retry-after", "set-cookie"];

/// Headers of a download that describe stored data. Only their presence is compared.
const STORED: [&str; 2] = ["content-disposition", "content-type"];

/// Parts of the names of headers that differ in each response.
const VARYING: [&str; 5] = ["request-id", "trace", "correlation", "ratelimit", "runtime"];

/// Headers of a delivery that describe its sender. They are not compared.
const SENDER: [&str; 5] = ["accept", "accept-encoding", "accept-language", "host", "user-agent"];

/// The reading of a value that is not compared.
const PRESENT: &str = "(present)";

/// The responses to all scenarios of a run, collected from its events.
#[derive(Debug, Default)]
pub struct RunReadings {
    run_tag: String,
    scenarios: Mutex<BTreeMap<ScenarioName, Vec<StepReading>>>,
}

/// The responses to one step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StepReading {
    pub name: StepName,
    /// In the order of the requests.
    pub exchanges: Vec<ExchangeReading>,
}

/// One request and its response. The deliveries of a step have the form of one exchange, too: they have no order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExchangeReading {
    /// The number within the run; 0 for deliveries.
    pub number: u64,
    /// Whether it is of the control of the step.
    pub is_control: bool,
    /// In upper case.
    pub method: String,
    /// `None` if the request calls no operation of the contract.
    pub operation: Option<Operation>,
    /// `None` if there was no response.
    pub response: Option<ResponseReading>,
}

/// A response, or the deliveries of a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResponseReading {
    /// HTTP status.
    pub status: u16,
    /// By name, lower case; several values joined by a comma.
    pub headers: BTreeMap<String, String>,
    /// Members of the body by place: `["legal_request", "attributes", "name"]`. Those of a delivery are below
    /// `delivery`.
    pub places: BTreeMap<Vec<String>, PlaceReading>,
}

impl RunReadings {
    /// Readings for a run with this tag. Requests and responses contain the tag.
    pub fn new(run_tag: &str) -> Self {
        Self { run_tag: run_tag.to_owned(), scenarios: Mutex::default() }
    }

    /// Adds the responses to a scenario that ended.
    pub fn add(&self, event: &Event) {
        if let Event::Ended(result) = event {
            let steps = self.steps(result);
            self.scenarios.lock().insert(result.name.clone(), steps);
        }
    }

    /// The responses, by the full name of the scenario.
    pub(super) fn take(&self) -> BTreeMap<ScenarioName, Vec<StepReading>> {
        std::mem::take(&mut *self.scenarios.lock())
    }

    fn steps(&self, result: &ScenarioResult) -> Vec<StepReading> {
        let mut names = Placeholders::default();
        names.hide(&self.run_tag, "tag");
        // The extended notation of file names in headers (RFC 8187 §3.2).
        let encoded = percent_encoding::utf8_percent_encode(&self.run_tag, NON_ALPHANUMERIC);
        names.hide(&encoded.to_string(), "tag");
        let mut own = BTreeSet::new();
        let step = |step: &StepResult| {
            let exchanges = step.exchanges.iter().enumerate().map(|(index, it)| ExchangeReading {
                is_control: step.control.contains(&index),
                ..exchange(it, &mut names, &mut own)
            });
            let mut exchanges: Vec<ExchangeReading> = exchanges.collect();
            exchanges.extend(deliveries(&step.deliveries, &names));
            StepReading { name: step.name.clone(), exchanges }
        };
        result.steps.iter().map(step).collect()
    }
}

/// Reads one exchange. `own` has the identifiers of the objects that the scenario created so far.
fn exchange(
    exchange: &Exchange,
    names: &mut Placeholders,
    own: &mut BTreeSet<String>,
) -> ExchangeReading {
    let request = &exchange.request;
    own.extend(created_id(exchange));
    let is_own = request.path.split(['/', '?']).any(|segment| own.contains(segment));
    // The address of a sandbox differs in each run.
    if let Some(base) = request.url.strip_suffix(request.path.as_str()) {
        names.hide_base(base);
    }
    // An id may be sent percent-encoded, and is returned decoded.
    names.learn_path(&percent_encoding::percent_decode_str(&request.path).decode_utf8_lossy());
    ExchangeReading {
        number: exchange.number,
        is_control: false,
        method: request.method.clone(),
        operation: request.operation,
        response: exchange.outcome.as_ref().ok().map(|response| ResponseReading {
            status: response.status,
            places: flatten::places(request, response, is_own, names),
            headers: headers(response, request.operation, names),
        }),
    }
}

/// The identifier of the object that an exchange created.
fn created_id(exchange: &Exchange) -> Option<String> {
    let response = exchange.outcome.as_ref().ok()?;
    let is_created = exchange.request.method == "POST" && response.is_success();
    response.created_id().filter(|_| is_created).map(str::to_owned)
}

fn headers(
    response: &ReceivedResponse,
    operation: Option<Operation>,
    names: &Placeholders,
) -> BTreeMap<String, String> {
    // The address of a file need not be below the base address.
    let is_file = operation.is_none_or(|operation| operation == Operation::DownloadAgreement)
        && response.is_success()
        && response.json.is_none();
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in &response.headers {
        if TRANSPORT.contains(&name.as_str()) {
            continue;
        }
        let is_varying = VARYING.iter().any(|part| name.contains(part));
        let is_stored = is_file && STORED.contains(&name.as_str());
        if is_varying || is_stored || PRESENCE.contains(&name.as_str()) {
            kept.insert(name.clone(), PRESENT.to_owned());
            continue;
        }
        let shown = names.shown(value);
        kept.entry(name.clone())
            .and_modify(|known| known.push_str(&format!(", {shown}")))
            .or_insert(shown);
    }
    kept
}

/// Reads the deliveries of a step; `None` if there are none.
pub(super) fn deliveries(deliveries: &[Value], names: &Placeholders) -> Option<ExchangeReading> {
    if deliveries.is_empty() {
        return None;
    }
    let forms: Vec<Value> = deliveries.iter().map(form_of_delivery).collect();
    let places = flatten::delivery_places(&forms, names);
    let response = Some(ResponseReading { status: 200, headers: BTreeMap::new(), places });
    Some(ExchangeReading {
        number: 0,
        is_control: false,
        method: "POST".to_owned(),
        operation: None,
        response,
    })
}

/// What is compared of a delivery: its method, the media type, the scheme of its credentials, the names of other
/// headers, and the body.
fn form_of_delivery(delivery: &Value) -> Value {
    let headers = delivery.get("headers").and_then(Value::as_object).into_iter().flatten();
    let is_compared = |name: &str| !TRANSPORT.contains(&name) && !SENDER.contains(&name);
    let headers = headers.filter(|(name, _)| is_compared(name)).map(|(name, value)| {
        let text = value.as_str().unwrap_or_default();
        let shown = match name.as_str() {
            "content-type" => text,
            "authorization" => text.split(' ').next().unwrap_or_default(),
            _ => PRESENT,
        };
        (name.clone(), Value::from(shown))
    });
    let body = delivery.get("json").filter(|json| !json.is_null()).or_else(|| delivery.get("body"));
    json!({
        "method": delivery.get("method"),
        "headers": headers.collect::<Map<String, Value>>(),
        "body": body,
    })
}

#[cfg(test)]
mod tests {
    use moot_snapshots::Placeholders;

    use super::headers;
    use crate::exchange::{ReceivedResponse, samples};

    #[test]
    fn a_header_is_compared_even_if_its_value_looks_random() {
        for (name, value, expected) in [
            ("strict-transport-security", "max-age=31536000", "max-age=31536000"),
            ("x-build", "4bf92f3577b34da6", "4bf92f3577b34da6"),
            ("x-request-id", "4bf92f3577b34da6", "(present)"),
        ] {
            let response = ReceivedResponse {
                headers: vec![(name.to_owned(), value.to_owned())],
                ..samples::response(None)
            };
            let kept = headers(&response, None, &Placeholders::default());
            assert_eq!(kept[name], expected, "{name}");
        }
    }
}
