//! The questions and orders of the control plane, and how one is refused.
//!
//! Types only; the HTTP form of each is the shell's.

use std::net::IpAddr;

use bytes::Bytes;
use jiff::Timestamp;
use moot_fixtures::contract::{LegalRequestStatus, Scopes};
use moot_fixtures::nearest::{ending, nearest};

use crate::fault::Fault;
use crate::fault::drill::Drills;
use crate::journal::Filter;
use crate::value::delivery_policy::PolicyUpdate;
use crate::value::settings::RateLimitMode;
use crate::world::World;

/// One action of the control plane.
#[derive(Debug, Clone)]
pub enum Ask {
    /// Counts and settings.
    World,
    /// Back to the seed: rows, tokens, clock, limiter, journal.
    Reset,
    /// The time.
    ClockGet,
    /// Moves the clock forward; what falls due on the way happens at its own time.
    ClockAdvance {
        /// Seconds.
        seconds: u64,
    },
    /// Moves the clock forward to this time.
    ClockSet(Timestamp),
    /// Moves the clock forward to the next thing due; with nothing due it stays.
    ClockNext,
    /// All that is known of a legal request.
    LegalRequest {
        /// Its id.
        id: String,
    },
    /// Changes the status of a legal request.
    SetStatus {
        /// Its id.
        id: String,
        /// The new status.
        status: LegalRequestStatus,
        /// `comment` of the activity entry.
        comment: Option<String>,
        /// Whether a change that `transitions` does not list is made too.
        force: bool,
    },
    /// Adds a comment to the log of a legal request.
    Comment {
        /// Its id.
        id: String,
        /// The text.
        text: String,
    },
    /// Mints a token that was issued so long ago.
    MintToken {
        /// The application.
        client_id: String,
        /// What it may do; all that the application may, where absent.
        scopes: Option<Scopes>,
        /// Seconds since its issue; negative is in the future.
        age_seconds: i64,
    },
    /// Lets a token expire now.
    ExpireToken {
        /// The token.
        token: String,
    },
    /// Revokes a token.
    RevokeToken {
        /// The token.
        token: String,
    },
    /// What the rate limit does.
    RateLimitGet,
    /// Changes what the rate limit does, in this order: mode, reset, exhaust.
    RateLimitSet {
        /// The new mode.
        mode: Option<RateLimitMode>,
        /// Whether all that was counted is forgotten.
        reset: bool,
        /// Whose window is filled up.
        exhaust: Option<Exhaust>,
    },
    /// The outbox.
    Deliveries,
    /// How deliveries are attempted.
    DeliveryPolicyGet,
    /// Changes how deliveries are attempted; what is absent stays.
    DeliveryPolicySet(PolicyUpdate),
    /// Queues a delivery once more, due now.
    Redeliver {
        /// Its id.
        id: u64,
    },
    /// The faults that are armed.
    Faults,
    /// Arms a fault.
    ArmFault(Fault),
    /// Disarms and forgets all faults.
    DisarmFaults,
    /// Disarms and forgets a fault.
    DisarmFault {
        /// Its id.
        id: u64,
    },
    /// Which additions are made on purpose.
    DrillsGet,
    /// Makes these additions, and no others.
    DrillsSet(Drills),
    /// The newest exchanges of the journal that match, oldest of them first.
    Exchanges {
        /// Which.
        filter: Filter,
        /// At most so many.
        limit: usize,
    },
    /// The exchanges that match as an HTTP archive.
    Archive {
        /// Which.
        filter: Filter,
    },
    /// Empties the journal.
    ClearExchanges,
    /// Registers the bytes of an https address, for uploads by address (§4.9).
    PutAddress {
        /// The address.
        url: String,
        /// Its bytes.
        bytes: Bytes,
        /// Their media type, where it is told.
        content_type: Option<String>,
    },
}

/// Whose window of the rate limit is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhaust {
    /// That of one address.
    Client(IpAddr),
    /// Every address that was counted, and those that come until the window is over.
    All,
}

/// An action that was not done; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status: 4xx, or 500 where the fault is ours.
    pub status: u16,
    /// `type` of the problem.
    pub problem: &'static str,
    /// What is wrong, and what would have worked.
    pub detail: String,
}

impl Refusal {
    /// 500: no store could keep it.
    pub(crate) fn not_kept(why: &str) -> Self {
        let detail = format!("the mock can't keep its state: {why}");
        Self { status: 500, problem: "state_not_kept", detail }
    }

    /// 404: there is no such thing.
    pub(crate) fn unknown(detail: String) -> Self {
        Self { status: 404, problem: "not_found", detail }
    }

    /// 404: no application has this client id.
    pub(crate) fn unknown_application(world: &World, client_id: &str) -> Self {
        let applications = world.seeded().applications().iter();
        let near = nearest(client_id, applications.map(|known| known.client_id.as_str()));
        let hint = ending(near);
        Self::unknown(format!("there is no application `{client_id}`{hint}"))
    }

    /// 409: it exists, but its state forbids the action.
    pub(crate) fn conflict(detail: String) -> Self {
        Self { status: 409, problem: "conflict", detail }
    }

    /// 422: the value makes no sense.
    pub(crate) fn invalid(detail: String) -> Self {
        Self { status: 422, problem: "invalid_value", detail }
    }
}
