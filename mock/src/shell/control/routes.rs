//! The routes of the control plane: one row each, from which router and OpenAPI document derive.

use http::Method;

/// What a route does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Index,
    Health,
    OpenApi,
    World,
    Reset,
    ListSandboxes,
    CreateSandbox,
    DeleteSandbox,
    GetClock,
    MoveClock,
    GetLegalRequest,
    SetStatus,
    AddComment,
    MintToken,
    ExpireToken,
    RevokeToken,
    GetRateLimit,
    SetRateLimit,
    ListDeliveries,
    GetDeliveryPolicy,
    SetDeliveryPolicy,
    Redeliver,
    SettleDeliveries,
    ListFaults,
    ArmFault,
    DisarmFaults,
    DisarmFault,
    GetDrills,
    SetDrills,
    ListExchanges,
    ClearExchanges,
    ExportExchanges,
    WaitForExchange,
    PutAddress,
    ListReceived,
    Receive,
    PlanReceiver,
    ClearReceived,
}

/// A row.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) action: Action,
    pub(super) method: Method,
    /// Below `/__admin`.
    pub(super) path: &'static str,
    /// One line for people.
    pub(super) title: &'static str,
    /// Of its JSON object; none where it takes none.
    pub(super) fields: &'static [Field],
    /// Whether it exists only beside the main world.
    pub(super) is_at_root_only: bool,
}

/// A member of a request's JSON object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
    /// One line for people.
    pub(super) says: &'static str,
}

/// JSON type of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Texts,
    TextOrObject,
    TextOrNull,
    /// From 0 on.
    Integer,
    Integers,
    /// Below 0 too.
    Signed,
    Boolean,
    Scopes,
    Any,
}

const fn field(name: &'static str, kind: Kind, says: &'static str) -> Field {
    Field { name, kind, is_required: false, says }
}

const fn required(name: &'static str, kind: Kind, says: &'static str) -> Field {
    Field { name, kind, is_required: true, says }
}

const fn row(
    action: Action,
    method: Method,
    path: &'static str,
    title: &'static str,
    fields: &'static [Field],
) -> Route {
    // Where sandboxes are made, there are no others.
    let is_at_root_only =
        matches!(action, Action::ListSandboxes | Action::CreateSandbox | Action::DeleteSandbox);
    Route { action, method, path, title, fields, is_at_root_only }
}

const SANDBOX: &[Field] = &[
    field("world", Kind::TextOrObject, "name of an embedded world, or a seed world"),
    field(
        "answers",
        Kind::TextOrObject,
        "`default`, `documented`, `random:SEED`, or answers laid over the default",
    ),
    field("seed", Kind::Integer, "where ids and tokens derive from; one of its own where absent"),
    field("clock", Kind::Text, "`real`, `frozen` or `frozen:TIME`"),
    field("rate_limit", Kind::Text, "`enforce`, `observe` or `off`"),
    field("progression", Kind::Text, "`manual`, `timed:SECONDS`, `on-read:N` or `immediate`"),
    field("lease_seconds", Kind::Integer, "deleted once nobody called it for so long"),
    field("defects", Kind::Texts, "ids of what it does wrong on purpose"),
];

const CLOCK: &[Field] = &[
    field("advance_seconds", Kind::Integer, "so far forward"),
    field("set", Kind::Text, "forward to this ISO 8601 time"),
    field("next", Kind::Boolean, "`true`: forward to the next thing due"),
];

const STATUS: &[Field] = &[
    required("status", Kind::Text, "one of the twelve"),
    field("comment", Kind::Text, "`comment` of the activity entry"),
    field("force", Kind::Boolean, "`true`: also where the transitions do not list it"),
];

const TOKEN: &[Field] = &[
    required("client_id", Kind::Text, "the application"),
    field("scopes", Kind::Scopes, "all that the application may, where absent"),
    field("age_seconds", Kind::Signed, "issued so long ago; 0 where absent"),
];

const RATE_LIMIT: &[Field] = &[
    field("mode", Kind::Text, "`enforce`, `observe` or `off`"),
    field("reset", Kind::Boolean, "`true`: forget all that was counted"),
    field("exhaust", Kind::Text, "a client address whose window is filled up, or `all`"),
];

const DELIVERY_POLICY: &[Field] = &[
    field("paused", Kind::Boolean, "`true`: no attempt begins until it is `false` again"),
    field("delay_seconds", Kind::Integer, "first attempted so long after the event"),
    field(
        "reorder_seconds",
        Kind::Integer,
        "each comes up to so much later still, in another order; 0: in order",
    ),
    field("duplicates", Kind::Integer, "so many more deliveries of each event; 10 at most"),
    field("event", Kind::TextOrNull, "what the payload names the event; `null`: what happened"),
];

const FAULT: &[Field] = &[
    required(
        "kind",
        Kind::Text,
        "`status`, `delay`, `slow_body`, `truncate`, `reset_before`, `reset_during`, `malformed_json`, `wrong_content_type`, `missing_member`, `extra_member` or `commit_then_fail`",
    ),
    field("operation", Kind::Text, "calls of this operation, such as `create_legal_request`"),
    field("application", Kind::Text, "calls with a token of this client id"),
    field("client", Kind::Text, "calls from this address"),
    field("nth", Kind::Integer, "the first matching call that is struck; 1 where absent"),
    field("times", Kind::Integer, "how many are struck; 1 where absent"),
    field("status", Kind::Integer, "of `status` and `commit_then_fail`: 400 to 599"),
    field("problem", Kind::Text, "with `status`: `type` of the problem"),
    field("retry_after_seconds", Kind::Integer, "with `status`: the header `Retry-After`"),
    field("milliseconds", Kind::Integer, "of `delay` and `slow_body`: real time"),
    field("content_type", Kind::Text, "of `wrong_content_type`; `text/html` where absent"),
    field("member", Kind::Text, "of `missing_member` and `extra_member`: its JSON pointer"),
    field("value", Kind::Any, "of `extra_member`: its value; `true` where absent"),
];

const DRILLS: &[Field] = &[
    field("members", Kind::Boolean, "`true`: an unknown member in every object of an answer"),
    field("values", Kind::Boolean, "`true`: an unknown activity action, and webhook event"),
    field("events", Kind::Boolean, "`true`: beside every event one of an unknown kind"),
    field("headers", Kind::Boolean, "`true`: an unknown header"),
    field("problems", Kind::Boolean, "`true`: an unknown `type` of problems that are not in §7"),
];

const WAIT: &[Field] = &[
    field("operation", Kind::Text, "a call of this operation"),
    field("status", Kind::Text, "answered with this status, such as `422`, or `4xx`"),
    field("application", Kind::Text, "with a token of this client id"),
    field("since", Kind::Integer, "later than the call of this serial; any where absent"),
    field("timeout_seconds", Kind::Integer, "real time, 10 where absent, 60 at most"),
];

/// The parameters of the routes that list exchanges.
pub(super) const FILTERS: [(&str, Kind); 4] = [
    ("operation", Kind::Text),
    ("status", Kind::Text),
    ("application", Kind::Text),
    ("since", Kind::Integer),
];

const ADDRESS: &[Field] = &[
    required("url", Kind::Text, "the https address"),
    field("text", Kind::Text, "its bytes as text"),
    field("base64", Kind::Text, "its bytes in base64"),
    field("content_type", Kind::Text, "their media type"),
];

const RECEIVER: &[Field] = &[required(
    "statuses",
    Kind::Integers,
    "the status of the next arrival, of the one after it, …; the last goes on; none is 200",
)];

const THE_TOKEN: &[Field] = &[required("token", Kind::Text, "the access token")];
const COMMENT: &[Field] = &[required("comment", Kind::Text, "the comment")];

/// Every route.
pub(super) static ROUTES: [Route; 38] = [
    row(Action::Index, Method::GET, "/", "What there is", &[]),
    row(Action::Health, Method::GET, "/health", "That this is a mock, and what it allows", &[]),
    row(Action::OpenApi, Method::GET, "/openapi.json", "This control plane as OpenAPI 3.1", &[]),
    row(Action::World, Method::GET, "/world", "Counts and settings", &[]),
    row(Action::Reset, Method::POST, "/reset", "Back to the seed", &[]),
    row(Action::ListSandboxes, Method::GET, "/sandboxes", "The sandboxes", &[]),
    row(
        Action::CreateSandbox,
        Method::POST,
        "/sandboxes",
        "Another world under its own base path",
        SANDBOX,
    ),
    row(Action::DeleteSandbox, Method::DELETE, "/sandboxes/{id}", "Delete a sandbox", &[]),
    row(Action::GetClock, Method::GET, "/clock", "The time", &[]),
    row(
        Action::MoveClock,
        Method::POST,
        "/clock",
        "Move the time forward, and wait for what falls due",
        CLOCK,
    ),
    row(
        Action::GetLegalRequest,
        Method::GET,
        "/legal_requests/{id}",
        "All that is known of a legal request",
        &[],
    ),
    row(
        Action::SetStatus,
        Method::POST,
        "/legal_requests/{id}/status",
        "Change the status of a legal request",
        STATUS,
    ),
    row(
        Action::AddComment,
        Method::POST,
        "/legal_requests/{id}/comments",
        "Comment on a legal request",
        COMMENT,
    ),
    row(Action::MintToken, Method::POST, "/tokens", "Mint an access token", TOKEN),
    row(Action::ExpireToken, Method::POST, "/tokens/expire", "Let a token expire", THE_TOKEN),
    row(Action::RevokeToken, Method::POST, "/tokens/revoke", "Revoke a token", THE_TOKEN),
    row(Action::GetRateLimit, Method::GET, "/rate_limit", "What the rate limit does", &[]),
    row(
        Action::SetRateLimit,
        Method::PUT,
        "/rate_limit",
        "Change what the rate limit does: mode, then reset, then exhaust",
        RATE_LIMIT,
    ),
    row(Action::ListDeliveries, Method::GET, "/deliveries", "The outbox", &[]),
    row(
        Action::GetDeliveryPolicy,
        Method::GET,
        "/delivery_policy",
        "How deliveries are attempted",
        &[],
    ),
    row(
        Action::SetDeliveryPolicy,
        Method::PUT,
        "/delivery_policy",
        "Change how deliveries are attempted; what is absent stays",
        DELIVERY_POLICY,
    ),
    row(
        Action::Redeliver,
        Method::POST,
        "/deliveries/{id}/redeliver",
        "Queue a delivery once more",
        &[],
    ),
    row(
        Action::SettleDeliveries,
        Method::POST,
        "/deliveries/settle",
        "Wait until what is due was delivered",
        &[],
    ),
    row(Action::ListFaults, Method::GET, "/faults", "The faults, and how often each struck", &[]),
    row(Action::ArmFault, Method::POST, "/faults", "Arm a fault", FAULT),
    row(Action::DisarmFaults, Method::DELETE, "/faults", "Disarm and forget all faults", &[]),
    row(Action::DisarmFault, Method::DELETE, "/faults/{id}", "Disarm and forget a fault", &[]),
    row(Action::GetDrills, Method::GET, "/drills", "Which additions are made on purpose", &[]),
    row(
        Action::SetDrills,
        Method::PUT,
        "/drills",
        "Make additions that a client has to bear; what is absent is not made",
        DRILLS,
    ),
    row(
        Action::ListExchanges,
        Method::GET,
        "/exchanges",
        "The newest calls and answers, and why each was refused",
        &[],
    ),
    row(Action::ClearExchanges, Method::DELETE, "/exchanges", "Empty the journal", &[]),
    row(
        Action::ExportExchanges,
        Method::GET,
        "/exchanges/har",
        "Calls and answers as an HTTP archive (HAR 1.2)",
        &[],
    ),
    row(
        Action::WaitForExchange,
        Method::POST,
        "/exchanges/wait",
        "Wait for a call that matches; 408 where none comes in time",
        WAIT,
    ),
    row(
        Action::PutAddress,
        Method::PUT,
        "/addresses",
        "Bytes of an https address, for uploads by it",
        ADDRESS,
    ),
    row(
        Action::ListReceived,
        Method::GET,
        "/receiver",
        "The built-in receiver: its address for webhooks, and what arrived",
        &[],
    ),
    row(
        Action::Receive,
        Method::POST,
        "/receiver",
        "The address for webhooks: takes any body, and answers as planned",
        &[],
    ),
    row(
        Action::PlanReceiver,
        Method::PUT,
        "/receiver",
        "Plan the statuses that the built-in receiver answers",
        RECEIVER,
    ),
    row(
        Action::ClearReceived,
        Method::DELETE,
        "/receiver",
        "Forget what arrived, and answer 200 again",
        &[],
    ),
];
