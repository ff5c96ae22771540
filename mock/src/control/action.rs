//! The actions of the control plane that concern one world.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use moot_fixtures::contract::{LegalRequestStatus, Scope, Scopes};
use moot_fixtures::nearest::{ending, nearest};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use strum::VariantNames;

use super::fault_request::{self, FaultRequest};
use super::filter::ExchangeFilter;
use super::text::optional_text;
use crate::fault::Fault;
use crate::fault::drill::Drills;
use crate::value::delivery_policy::PolicyUpdate;
use crate::value::settings::RateLimitMode;

/// Exchanges that are listed where `limit` is absent.
const EXCHANGES_LISTED: usize = 100;

/// One action of the control plane on one world.
///
/// This enum is the only definition of these actions. Each variant is a JSON object with the member
/// `action` beside its own members. The routes, the checks of members and the OpenAPI document come
/// from its JSON Schema: `x-route` is the route below `/__admin`, `{id}` in it is the member `id`, and
/// the first line of a comment is the description.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ControlAction {
    /// Counts and settings
    #[schemars(extend("x-route" = "GET /world"))]
    World,
    /// Back to the seed
    #[schemars(extend("x-route" = "POST /reset"))]
    Reset,
    /// As a restart with `--state`: faults, drills and the counts of the rate limit are gone
    #[schemars(extend("x-route" = "POST /restart"))]
    Restart,
    /// The time
    #[schemars(extend("x-route" = "GET /clock"))]
    GetClock,
    /// Move the time forward, and wait for what falls due; 202 with what is in flight if receivers are too
    /// slow
    #[serde(deserialize_with = "clock_move")]
    #[schemars(with = "ClockRequest")]
    #[schemars(extend(
        "x-route" = "POST /clock",
        "oneOf" = one_of(&["advance_seconds", "set", "next"]),
    ))]
    MoveClock(ClockMove),
    /// All that is known of a legal request
    #[schemars(extend("x-route" = "GET /legal_requests/{id}"))]
    GetLegalRequest {
        /// its id
        id: String,
    },
    /// Change the status of a legal request
    #[schemars(extend("x-route" = "POST /legal_requests/{id}/status"))]
    SetStatus {
        /// its id
        id: String,
        /// one of the twelve
        #[schemars(with = "String", extend("enum" = LegalRequestStatus::ALL))]
        status: LegalRequestStatus,
        /// `comment` of the activity entry
        comment: Option<String>,
        /// `true`: also if the transitions do not list it
        #[serde(default)]
        force: bool,
    },
    /// Comment on a legal request
    #[schemars(extend("x-route" = "POST /legal_requests/{id}/comments"))]
    AddComment {
        /// its id
        id: String,
        /// the comment
        comment: String,
    },
    /// Mint an access token
    #[schemars(extend("x-route" = "POST /tokens"))]
    MintToken {
        /// the application
        client_id: String,
        /// all that the application may do, if absent
        #[serde(default)]
        #[schemars(schema_with = "scopes_schema")]
        scopes: Option<Scopes>,
        /// seconds since it was issued, 0 if absent; negative is in the future
        #[serde(default)]
        age_seconds: i64,
    },
    /// Let a token expire
    #[schemars(extend("x-route" = "POST /tokens/expire"))]
    ExpireToken {
        /// the access token
        token: String,
    },
    /// Revoke a token
    #[schemars(extend("x-route" = "POST /tokens/revoke"))]
    RevokeToken {
        /// the access token
        token: String,
    },
    /// What the rate limit does
    #[schemars(extend("x-route" = "GET /rate_limit"))]
    GetRateLimit,
    /// Change what the rate limit does: mode, then reset, then exhaust
    #[schemars(extend("x-route" = "PUT /rate_limit"))]
    SetRateLimit {
        /// `enforce`, `observe` or `off`
        #[serde(default, deserialize_with = "rate_limit_mode")]
        #[schemars(with = "Option<String>")]
        mode: Option<RateLimitMode>,
        /// `true`: forget all that was counted
        #[serde(default)]
        reset: bool,
        /// a client address whose window is filled up, or `all`
        #[serde(default, deserialize_with = "exhaust")]
        #[schemars(with = "Option<String>")]
        exhaust: Option<Exhaust>,
    },
    /// The outbox
    #[schemars(extend("x-route" = "GET /deliveries"))]
    ListDeliveries,
    /// How deliveries are attempted
    #[schemars(extend("x-route" = "GET /delivery_policy"))]
    GetDeliveryPolicy,
    /// Change how deliveries are attempted; what is absent stays
    #[schemars(extend("x-route" = "PUT /delivery_policy"))]
    SetDeliveryPolicy(PolicyUpdate),
    /// Queue a delivery once more
    #[schemars(extend("x-route" = "POST /deliveries/{id}/redeliver"))]
    Redeliver {
        /// its id
        id: u64,
    },
    /// The faults, and how often each struck
    #[schemars(extend("x-route" = "GET /faults"))]
    ListFaults,
    /// Arm a fault
    #[serde(deserialize_with = "fault_request::fault")]
    #[schemars(with = "FaultRequest", extend("x-route" = "POST /faults", "x-status" = 201))]
    ArmFault(Fault),
    /// Disarm and forget all faults
    #[schemars(extend("x-route" = "DELETE /faults"))]
    DisarmFaults,
    /// Disarm and forget a fault
    #[schemars(extend("x-route" = "DELETE /faults/{id}"))]
    DisarmFault {
        /// its id
        id: u64,
    },
    /// Which additions are made on purpose
    #[schemars(extend("x-route" = "GET /drills"))]
    GetDrills,
    /// Make additions that a client has to bear; what is absent is not made
    #[schemars(extend("x-route" = "PUT /drills"))]
    SetDrills(Drills),
    /// The newest calls and answers, and why each was refused
    #[schemars(extend("x-route" = "GET /exchanges"))]
    ListExchanges {
        /// at most this many; 100 if absent
        #[serde(default = "exchanges_listed")]
        limit: usize,
        /// Which.
        #[serde(flatten)]
        filter: ExchangeFilter,
    },
    /// Empty the journal
    #[schemars(extend("x-route" = "DELETE /exchanges"))]
    ClearExchanges,
    /// Calls and answers as an HTTP archive (HAR 1.2)
    #[schemars(extend("x-route" = "GET /exchanges/har"))]
    ExportExchanges {
        /// Which.
        #[serde(flatten)]
        filter: ExchangeFilter,
    },
    /// Bytes of an https address, for uploads by it
    #[serde(deserialize_with = "address_content")]
    #[schemars(with = "AddressRequest")]
    #[schemars(extend("x-route" = "PUT /addresses", "oneOf" = one_of(&["text", "base64"])))]
    PutAddress(AddressContent),
}

/// A move of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMove {
    /// Forward by this many seconds; what falls due on the way happens at its own time.
    Advance(u64),
    /// Forward to this time.
    To(Timestamp),
    /// Forward to the next thing due; with nothing due it stays.
    Next,
}

/// The members of a clock move.
#[derive(Deserialize, JsonSchema)]
struct ClockRequest {
    /// so far forward
    advance_seconds: Option<u64>,
    /// forward to this ISO 8601 time
    set: Option<String>,
    /// `true`: forward to the next thing due
    next: Option<bool>,
    /// real time without an answer of any receiver, 10 if absent, 600 at most
    #[serde(rename = "wait_seconds")]
    _wait_seconds: Option<u64>,
}

fn clock_move<'de, D: Deserializer<'de>>(reader: D) -> Result<ClockMove, D::Error> {
    // The shell waits.
    let ClockRequest { advance_seconds, set, next, .. } = ClockRequest::deserialize(reader)?;
    match (advance_seconds, set, next) {
        (Some(seconds), None, _) => Ok(ClockMove::Advance(seconds)),
        (None, Some(time), _) => time.parse().map(ClockMove::To).map_err(|_| {
            D::Error::custom(format!("`set` is a time such as 2026-03-05T14:30:00Z, not `{time}`"))
        }),
        (None, None, Some(true)) => Ok(ClockMove::Next),
        _ => Err(D::Error::custom("give exactly one of `advance_seconds`, `set` and `next`")),
    }
}

/// The bytes of an https address, for uploads by address (§4.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressContent {
    /// The address.
    pub url: String,
    /// Its bytes.
    pub bytes: Bytes,
    /// Their media type, if it is told.
    pub content_type: Option<String>,
}

/// The members of an address: `text` or `base64`.
#[derive(Deserialize, JsonSchema)]
struct AddressRequest {
    /// the https address
    url: String,
    /// its bytes as text
    text: Option<String>,
    /// its bytes in base64
    base64: Option<String>,
    /// their media type
    content_type: Option<String>,
}

fn address_content<'de, D: Deserializer<'de>>(reader: D) -> Result<AddressContent, D::Error> {
    let AddressRequest { url, text, base64, content_type } = AddressRequest::deserialize(reader)?;
    let bytes = match base64 {
        Some(base64) => STANDARD
            .decode(base64)
            .map_err(|error| D::Error::custom(format!("`base64`: {error}")))?
            .into(),
        None => text.unwrap_or_default().into(),
    };
    Ok(AddressContent { url, bytes, content_type })
}

/// Whose window of the rate limit is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhaust {
    /// That of one address.
    Client(IpAddr),
    /// Every address that was counted, and those that come until the window is over.
    All,
}

fn exhaust<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Exhaust>, D::Error> {
    optional_text(reader, |text| match text.parse::<IpAddr>() {
        Ok(client) => Ok(Exhaust::Client(client.to_canonical())),
        Err(_) if text == "all" => Ok(Exhaust::All),
        Err(_) => {
            let hint = ending(nearest(text, ["all"]));
            Err(format!("`exhaust` is a client address or `all`, not `{text}`{hint}"))
        }
    })
}

fn rate_limit_mode<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<RateLimitMode>, D::Error> {
    optional_text(reader, |text| {
        text.parse().map_err(|_| {
            let hint = ending(nearest(text, RateLimitMode::VARIANTS.iter().copied()));
            format!("`mode` is `enforce`, `observe` or `off`, not `{text}`{hint}")
        })
    })
}

fn scopes_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["array", "null"],
        "items": { "enum": [Scope::Read, Scope::Write] },
        "uniqueItems": true,
    })
}

/// Exactly one of these members must be there.
fn one_of(members: &[&str]) -> Value {
    members.iter().map(|member| json!({ "required": [member] })).collect()
}

fn exchanges_listed() -> usize {
    EXCHANGES_LISTED
}
