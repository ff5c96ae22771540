//! The actions of the control plane on the site: sandboxes, the built-in receiver, and waiting.

use std::time::Duration;

use http::StatusCode;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::control::{DeliveryFilter, ExchangeFilter};
use crate::shell::receiver::STATUSES_MAX;
use crate::shell::sandbox::{SandboxPlan, lease};

/// Default of `timeout_seconds`.
const TIMEOUT_SECONDS: u64 = 10;
/// Largest value of `timeout_seconds`.
const TIMEOUT_SECONDS_MAX: u64 = 60;

/// One action of the control plane on the site. [`crate::control::ControlAction`] describes how the routes
/// derive from such an enum.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(super) enum SiteAction {
    /// List the routes
    #[schemars(extend("x-route" = "GET /", "x-offered" = true))]
    Index,
    /// Confirm that this is a mock, and show its settings
    #[schemars(extend("x-route" = "GET /health", "x-offered" = true))]
    Health,
    /// Get this control plane as OpenAPI 3.1
    #[serde(rename = "open_api")]
    #[schemars(extend("x-route" = "GET /openapi.json", "x-offered" = true))]
    OpenApi,
    /// List the sandboxes
    #[schemars(extend("x-route" = "GET /sandboxes", "x-offered" = true))]
    ListSandboxes,
    /// Create a sandbox: another world under its own base path
    #[schemars(extend("x-route" = "POST /sandboxes", "x-offered" = true, "x-status" = 201))]
    CreateSandbox(SandboxPlan),
    /// Get the credentials, settings, clock and lease of a sandbox
    #[schemars(extend("x-route" = "GET /sandboxes/{id}", "x-offered" = true))]
    GetSandbox {
        /// its id
        id: String,
    },
    /// Renew the lease of a sandbox, with another length if one is given
    #[schemars(extend("x-route" = "POST /sandboxes/{id}/renew", "x-offered" = true))]
    RenewSandbox {
        /// its id
        id: String,
        /// seconds without a call after which the sandbox is deleted; unchanged if absent. After a restart with `--state` the first length applies again
        #[serde(rename = "lease_seconds", default, deserialize_with = "lease")]
        #[schemars(with = "Option<u64>")]
        lease: Option<Duration>,
    },
    /// Delete a sandbox
    #[schemars(extend("x-route" = "DELETE /sandboxes/{id}", "x-offered" = true))]
    DeleteSandbox {
        /// its id
        id: String,
    },
    /// Wait until all due deliveries were attempted; 202 with the attempts in flight if receivers are too slow
    #[schemars(extend("x-route" = "POST /deliveries/settle", "x-offered" = true))]
    SettleDeliveries {
        /// longest real time without a response of any receiver; 10 if absent, at most 600
        #[serde(rename = "wait_seconds")]
        _wait_seconds: Option<u64>,
    },
    /// Wait for a delivery that matches; 408 if none does in time
    #[schemars(extend("x-route" = "POST /deliveries/wait", "x-offered" = true))]
    WaitForDelivery {
        /// The deliveries.
        #[serde(flatten)]
        filter: DeliveryFilter,
        /// real time; 10 if absent, at most 60
        #[serde(default = "timeout_default", deserialize_with = "timeout")]
        timeout_seconds: u64,
    },
    /// Wait for calls that match; 408 with the nearest miss if they do not come in time
    #[schemars(extend("x-route" = "POST /exchanges/wait"))]
    WaitForExchange {
        /// The calls.
        #[serde(flatten)]
        filter: ExchangeFilter,
        /// number of calls; 1 if absent
        #[serde(default = "one")]
        count: usize,
        /// real time; 10 if absent, at most 60
        #[serde(default = "timeout_default", deserialize_with = "timeout")]
        timeout_seconds: u64,
    },
    /// Stream new events as server-sent events: `exchange`, `change`, `delivery`, `clock`, `fault`. With the
    /// header `Last-Event-ID` also the calls since that event; `lost` has the number of events that a slow reader missed
    #[schemars(extend("x-route" = "GET /events", "x-media-type" = "text/event-stream"))]
    Events {
        /// The calls.
        #[serde(flatten)]
        filter: ExchangeFilter,
        /// real time until the stream ends; 0: only the events so far; no end if absent
        #[serde(default)]
        timeout_seconds: Option<u64>,
    },
    /// List the rules of conduct that clients broke, with what to do instead
    #[schemars(extend("x-route" = "GET /findings"))]
    ListFindings,
    /// The same for a sandbox, without renewing its lease
    #[schemars(extend("x-route" = "GET /sandboxes/{id}/findings"))]
    ListSandboxFindings {
        /// its id
        id: String,
    },
    /// Get the drills of a client, with their results and the grade. They run in `moot drill --console`; elsewhere `state` is `none`
    #[schemars(extend("x-route" = "GET /drill_run"))]
    GetDrillRun,
    /// Start drills again: all, or the calm run and the named ones. Only `moot drill --console` runs drills; a mock refuses
    #[schemars(extend("x-route" = "POST /drill_run", "x-status" = 202))]
    StartDrillRun {
        /// ids of drills; all if absent
        #[serde(rename = "only", default)]
        _only: Option<Vec<String>>,
    },
    /// List the calls that the built-in receiver got, with its address for webhooks
    #[schemars(extend("x-route" = "GET /receiver", "x-offered" = true))]
    ListReceived,
    /// The address for webhooks: takes any body, and responds with the planned status
    #[schemars(extend("x-route" = "POST /receiver", "x-offered" = true, "x-any-body" = true))]
    Receive,
    /// Plan the statuses of the built-in receiver
    #[schemars(extend("x-route" = "PUT /receiver", "x-offered" = true))]
    PlanReceiver {
        /// the statuses of the next calls, in order; the last one repeats; if empty, 200
        #[serde(deserialize_with = "statuses")]
        #[schemars(with = "Vec<u64>")]
        statuses: Vec<StatusCode>,
    },
    /// Delete the received calls, and respond with 200 again
    #[schemars(extend("x-route" = "DELETE /receiver", "x-offered" = true))]
    ClearReceived,
}

fn one() -> usize {
    1
}

fn timeout_default() -> u64 {
    TIMEOUT_SECONDS
}

fn timeout<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    match Option::<u64>::deserialize(reader)?.unwrap_or(TIMEOUT_SECONDS) {
        seconds if seconds <= TIMEOUT_SECONDS_MAX => Ok(seconds),
        _ => {
            let message = format!("`timeout_seconds` is {TIMEOUT_SECONDS_MAX} at most");
            Err(D::Error::custom(message))
        }
    }
}

fn statuses<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<StatusCode>, D::Error> {
    let codes = Vec::<u64>::deserialize(reader)?;
    if codes.len() > STATUSES_MAX {
        return Err(D::Error::custom(format!("`statuses` has {STATUSES_MAX} members at most")));
    }
    let status = |code: u64| {
        let status = u16::try_from(code).ok().filter(|code| (200..=599).contains(code));
        status
            .and_then(|code| StatusCode::from_u16(code).ok())
            .ok_or_else(|| D::Error::custom(format!("a status is 200 to 599, not {code}")))
    };
    codes.into_iter().map(status).collect()
}
