//! The actions of the control plane that concern one world.

use std::net::IpAddr;

use moot_fixtures::contract::{LegalRequestStatus, Scope, Scopes};
use moot_fixtures::nearest::{ending, nearest};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use strum::VariantNames;

use super::addresses::AddressContent;
use super::clock::{ClockMove, ClockRequest, clock_move};
use super::fault_request::{self, FaultRequest};
use super::filter::{DeliveryFilter, ExchangeFilter};
use super::parties::WorkflowUpdate;
use super::settings::{self, SettingsUpdate};
use super::text::optional_text;
use crate::value::delivery_policy::PolicyUpdate;
use crate::value::settings::{Progression, RateLimitMode};
use crate::world::fault::Fault;
use crate::world::fault::drill::Drills;

/// Exchanges, legal requests or timers that are listed where `limit` is absent.
const ROWS_LISTED: usize = 100;

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
    /// The checkpoints of this world
    #[schemars(extend("x-route" = "GET /checkpoints"))]
    ListCheckpoints,
    /// Remember the data, the clock and the settings of this world under a name
    #[schemars(extend("x-route" = "POST /checkpoints", "x-status" = 201))]
    PutCheckpoint {
        /// 1 to 100 letters, digits, `.`, `_` and `-`; a checkpoint of this name is replaced
        name: String,
    },
    /// Back to a checkpoint; as after a reset, journal, faults, drills and counts are empty
    #[schemars(extend("x-route" = "POST /checkpoints/{id}/restore"))]
    RestoreCheckpoint {
        /// its name
        id: String,
    },
    /// Forget a checkpoint
    #[schemars(extend("x-route" = "DELETE /checkpoints/{id}"))]
    DeleteCheckpoint {
        /// its name
        id: String,
    },
    /// The time
    #[schemars(extend("x-route" = "GET /clock", "x-offered" = true))]
    GetClock,
    /// Move the time forward, or freeze the clock or let it run; wait for what falls due. 202 with what is in
    /// flight if receivers are too slow
    #[serde(deserialize_with = "clock_move")]
    #[schemars(with = "ClockRequest")]
    #[schemars(extend(
        "x-route" = "POST /clock",
        "x-offered" = true,
        "oneOf" = one_of(&["advance_seconds", "set", "next", "freeze"]),
    ))]
    MoveClock(ClockMove),
    /// The settings that can be changed at run time
    #[schemars(extend("x-route" = "GET /settings"))]
    GetSettings,
    /// Change settings; what is absent stays
    #[schemars(extend("x-route" = "PUT /settings"))]
    SetSettings(SettingsUpdate),
    /// The applications with their secrets, the users and the workflows
    #[schemars(extend("x-route" = "GET /parties"))]
    GetParties,
    /// Add a user
    #[schemars(extend("x-route" = "POST /users", "x-status" = 201))]
    AddUser {
        /// the e-mail address
        email: String,
        /// the name of the company; the first one if absent
        company: Option<String>,
    },
    /// Remove a user from every company
    #[schemars(extend("x-route" = "DELETE /users/{id}"))]
    RemoveUser {
        /// the e-mail address
        id: String,
    },
    /// Add an application, or change its secret or scopes; an earlier secret stops working
    #[schemars(extend("x-route" = "PUT /applications/{id}"))]
    PutApplication {
        /// its client id
        id: String,
        /// as it is if absent; a new application needs it
        client_secret: Option<String>,
        /// as they are if absent; those of a new one are both
        #[serde(default)]
        #[schemars(schema_with = "scopes_schema")]
        scopes: Option<Scopes>,
        /// of a new one: the name of the company; the first one if absent
        company: Option<String>,
    },
    /// Remove an application: its secret and its tokens stop working
    #[schemars(extend("x-route" = "DELETE /applications/{id}"))]
    RemoveApplication {
        /// its client id
        id: String,
    },
    /// Add a workflow, publish or unpublish it, or change its schema; what is absent stays
    #[schemars(extend("x-route" = "PUT /workflows/{id}"))]
    PutWorkflow {
        /// its id
        id: String,
        /// What.
        #[serde(flatten)]
        update: WorkflowUpdate,
    },
    /// Remove a workflow; legal requests of it stay
    #[schemars(extend("x-route" = "DELETE /workflows/{id}"))]
    RemoveWorkflow {
        /// its id
        id: String,
    },
    /// All that is known of a repository document
    #[schemars(extend("x-route" = "GET /repository_documents/{id}"))]
    GetRepositoryDocument {
        /// its id
        id: String,
    },
    /// The newest legal requests
    #[schemars(extend("x-route" = "GET /legal_requests"))]
    ListLegalRequests {
        /// in this status
        #[serde(default)]
        #[schemars(with = "Option<String>", extend("enum" = LegalRequestStatus::ALL))]
        status: Option<LegalRequestStatus>,
        /// at most this many; 100 if absent
        #[serde(default = "rows_listed")]
        limit: usize,
    },
    /// Add a draft as another client would: the newest legal request of a company once more, with an id of its own
    #[schemars(extend("x-route" = "POST /legal_requests", "x-status" = 201))]
    AddLegalRequest {
        /// the name of the company; the first one if absent
        company: Option<String>,
    },
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
    /// Change how a legal request moves on by itself
    #[schemars(extend("x-route" = "PUT /legal_requests/{id}/progression"))]
    SetProgression {
        /// its id
        id: String,
        /// `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
        #[serde(deserialize_with = "settings::progression")]
        #[schemars(with = "String")]
        progression: Progression,
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
    ListDeliveries {
        /// Which.
        #[serde(flatten)]
        filter: DeliveryFilter,
    },
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
    #[schemars(with = "FaultRequest")]
    #[schemars(extend(
        "x-route" = "POST /faults",
        "x-status" = 201,
        "oneOf" = one_of(&["kind", "effects", "sequence"]),
    ))]
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
        #[serde(default = "rows_listed")]
        limit: usize,
        /// Which.
        #[serde(flatten)]
        filter: ExchangeFilter,
    },
    /// How many calls match
    #[schemars(extend("x-route" = "GET /exchanges/count"))]
    CountExchanges {
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
    /// One call and its answer, with the body of the answer as far as the journal has it
    #[schemars(extend("x-route" = "GET /exchanges/{id}"))]
    GetExchange {
        /// its serial
        id: u64,
    },
    /// What falls due by itself, the earliest first
    #[schemars(extend("x-route" = "GET /timers"))]
    ListTimers {
        /// at most this many; 100 if absent
        #[serde(default = "rows_listed")]
        limit: usize,
    },
    /// The addresses that were set, and what each answers
    #[schemars(extend("x-route" = "GET /addresses"))]
    ListAddresses,
    /// Forget what an address answers, or what all do
    #[schemars(extend("x-route" = "DELETE /addresses"))]
    DeleteAddresses {
        /// the address; all of them if absent
        url: Option<String>,
    },
    /// What an https address answers, for uploads by it
    #[schemars(extend("x-route" = "PUT /addresses", "oneOf" = one_of(&["text", "base64", "status"])))]
    PutAddress(AddressContent),
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

pub(super) fn rate_limit_mode<'de, D: Deserializer<'de>>(
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

fn rows_listed() -> usize {
    ROWS_LISTED
}
