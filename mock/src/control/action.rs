//! The actions of the control plane that concern one world.

use std::net::IpAddr;

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
use moot_fixtures::contract::{LegalRequestStatus, Scope, Scopes};
use moot_fixtures::nearest::{ending, nearest};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// The default of `limit` for lists of exchanges, legal requests and timers.
const ROWS_LISTED: usize = 100;

/// One action of the control plane on one world.
///
/// This enum is the only definition of these actions. Each variant is a JSON object with the member
/// `action` and its own members. The routes, the checks of members and the OpenAPI document come from
/// its JSON Schema. `x-route` is the route below `/__admin`; `{id}` in it is the member `id`. The first
/// line of a comment is the description.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ControlAction {
    /// Counts and settings
    #[schemars(extend("x-route" = "GET /world"))]
    World,
    /// Go back to the seed
    #[schemars(extend("x-route" = "POST /reset"))]
    Reset,
    /// Forget faults, drills and the counts of the rate limit, as a restart with `--state` does
    #[schemars(extend("x-route" = "POST /restart"))]
    Restart,
    /// The checkpoints of this world
    #[schemars(extend("x-route" = "GET /checkpoints"))]
    ListCheckpoints,
    /// Save the data, the clock and the settings of this world under a name
    #[schemars(extend("x-route" = "POST /checkpoints", "x-status" = 201))]
    PutCheckpoint {
        /// 1 to 100 letters, digits, `.`, `_` and `-`; a checkpoint with this name is replaced
        name: String,
    },
    /// Go back to a checkpoint; as after a reset, journal, faults, drills and counts are empty
    #[schemars(extend("x-route" = "POST /checkpoints/{id}/restore"))]
    RestoreCheckpoint {
        /// its name
        id: String,
    },
    /// Delete a checkpoint
    #[schemars(extend("x-route" = "DELETE /checkpoints/{id}"))]
    DeleteCheckpoint {
        /// its name
        id: String,
    },
    /// The time
    #[schemars(extend("x-route" = "GET /clock", "x-offered" = true))]
    GetClock,
    /// Move the clock forward, stop it or start it, and wait for deliveries that fall due. 202 with the deliveries
    /// in flight if receivers are too slow
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
    /// Change settings; absent members keep their value
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
        /// unchanged if absent; a new application needs it
        client_secret: Option<String>,
        /// unchanged if absent; both for a new application
        #[serde(default)]
        #[schemars(schema_with = "scopes_schema")]
        scopes: Option<Scopes>,
        /// for a new application: the name of the company; the first one if absent
        company: Option<String>,
    },
    /// Remove an application: its secret and its tokens stop working
    #[schemars(extend("x-route" = "DELETE /applications/{id}"))]
    RemoveApplication {
        /// its client id
        id: String,
    },
    /// Add a workflow, publish or unpublish it, or change its schema; absent members keep their value
    #[schemars(extend("x-route" = "PUT /workflows/{id}"))]
    PutWorkflow {
        /// its id
        id: String,
        /// The changes.
        #[serde(flatten)]
        update: WorkflowUpdate,
    },
    /// Remove a workflow; its legal requests remain
    #[schemars(extend("x-route" = "DELETE /workflows/{id}"))]
    RemoveWorkflow {
        /// its id
        id: String,
    },
    /// All data of a repository document
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
        /// the largest number of rows; 100 if absent
        #[serde(default = "rows_listed")]
        limit: usize,
    },
    /// Add a draft as another client would: a copy of a company's newest legal request, with its own id
    #[schemars(extend("x-route" = "POST /legal_requests", "x-status" = 201))]
    AddLegalRequest {
        /// the name of the company; the first one if absent
        company: Option<String>,
    },
    /// All data of a legal request
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
        /// `true`: also if the transitions do not allow it
        #[serde(default)]
        force: bool,
    },
    /// Change the automatic progression of a legal request
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
        /// all scopes of the application if absent
        #[serde(default)]
        #[schemars(schema_with = "scopes_schema")]
        scopes: Option<Scopes>,
        /// the age in seconds; 0 if absent; a negative age is in the future
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
    /// The mode and the counts of the rate limit
    #[schemars(extend("x-route" = "GET /rate_limit"))]
    GetRateLimit,
    /// Change the rate limit: first mode, then reset, then exhaust
    #[schemars(extend("x-route" = "PUT /rate_limit"))]
    SetRateLimit {
        /// `enforce`, `observe` or `off`
        #[serde(default, deserialize_with = "settings::rate_limit")]
        #[schemars(with = "Option<String>")]
        mode: Option<RateLimitMode>,
        /// `true`: forget all counts
        #[serde(default)]
        reset: bool,
        /// fill up the window of this client address, or of `all`
        #[serde(default, deserialize_with = "exhaust")]
        #[schemars(with = "Option<String>")]
        exhaust: Option<LimitedClients>,
    },
    /// The outbox
    #[schemars(extend("x-route" = "GET /deliveries"))]
    ListDeliveries {
        /// The filter.
        #[serde(flatten)]
        filter: DeliveryFilter,
    },
    /// The delivery policy
    #[schemars(extend("x-route" = "GET /delivery_policy"))]
    GetDeliveryPolicy,
    /// Change the delivery policy; absent members keep their value
    #[schemars(extend("x-route" = "PUT /delivery_policy"))]
    SetDeliveryPolicy(PolicyUpdate),
    /// Queue a delivery again
    #[schemars(extend("x-route" = "POST /deliveries/{id}/redeliver"))]
    Redeliver {
        /// its id
        id: u64,
    },
    /// The faults, with the number of calls that each affected
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
    /// Remove all faults
    #[schemars(extend("x-route" = "DELETE /faults"))]
    DisarmFaults,
    /// Remove a fault
    #[schemars(extend("x-route" = "DELETE /faults/{id}"))]
    DisarmFault {
        /// its id
        id: u64,
    },
    /// The additions that drills make to responses
    #[schemars(extend("x-route" = "GET /drills"))]
    GetDrills,
    /// Set the additions that drills make to responses; absent ones are not made
    #[schemars(extend("x-route" = "PUT /drills"))]
    SetDrills(Drills),
    /// The newest calls and responses, with the reasons of refusals
    #[schemars(extend("x-route" = "GET /exchanges"))]
    ListExchanges {
        /// the largest number of rows; 100 if absent
        #[serde(default = "rows_listed")]
        limit: usize,
        /// The filter.
        #[serde(flatten)]
        filter: ExchangeFilter,
    },
    /// The number of calls that match
    #[schemars(extend("x-route" = "GET /exchanges/count"))]
    CountExchanges {
        /// The filter.
        #[serde(flatten)]
        filter: ExchangeFilter,
    },
    /// Empty the journal
    #[schemars(extend("x-route" = "DELETE /exchanges"))]
    ClearExchanges,
    /// Calls and responses as an HTTP archive (HAR 1.2)
    #[schemars(extend("x-route" = "GET /exchanges/har"))]
    ExportExchanges {
        /// The filter.
        #[serde(flatten)]
        filter: ExchangeFilter,
    },
    /// One call and its response, with the body of the response if the journal has it
    #[schemars(extend("x-route" = "GET /exchanges/{id}"))]
    GetExchange {
        /// its serial
        id: u64,
    },
    /// The timers: steps and deliveries that fall due, the earliest first
    #[schemars(extend("x-route" = "GET /timers"))]
    ListTimers {
        /// the largest number of rows; 100 if absent
        #[serde(default = "rows_listed")]
        limit: usize,
    },
    /// The registered addresses with their responses
    #[schemars(extend("x-route" = "GET /addresses"))]
    ListAddresses,
    /// Delete the response of one address, or of all
    #[schemars(extend("x-route" = "DELETE /addresses"))]
    DeleteAddresses {
        /// the address; all addresses if absent
        url: Option<String>,
    },
    /// Register the response of an https address, for uploads by address
    #[schemars(extend("x-route" = "PUT /addresses", "oneOf" = one_of(&["text", "base64", "status"])))]
    PutAddress(AddressContent),
}

/// The client addresses whose window of the rate limit is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedClients {
    /// One address.
    Client(IpAddr),
    /// All addresses until the end of the window.
    All,
}

fn exhaust<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<LimitedClients>, D::Error> {
    optional_text(reader, |text| match text.parse::<IpAddr>() {
        Ok(client) => Ok(LimitedClients::Client(client.to_canonical())),
        Err(_) if text == "all" => Ok(LimitedClients::All),
        Err(_) => {
            let hint = ending(nearest(text, ["all"]));
            Err(format!("`exhaust` is a client address or `all`, not `{text}`{hint}"))
        }
    })
}

fn scopes_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["array", "null"],
        "items": { "enum": [Scope::Read, Scope::Write] },
        "uniqueItems": true,
    })
}

/// A JSON Schema's `oneOf` that requires exactly one of these members.
fn one_of(members: &[&str]) -> Value {
    members.iter().map(|member| json!({ "required": [member] })).collect()
}

fn rows_listed() -> usize {
    ROWS_LISTED
}
