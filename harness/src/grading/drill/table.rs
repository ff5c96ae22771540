//! The drills as data: `drills.yaml`.

use std::sync::LazyLock;

use http::Method;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use strum::{EnumIter, IntoEnumIterator as _};

const TEXT: &str = include_str!("drills.yaml");

/// The id of the calm run.
pub const CALM: &str = "calm";

/// The id of the drill that shows whether a client retries a failed GET.
pub(super) const UNAVAILABLE: &str = "unavailable";

static DRILLS: LazyLock<Vec<Drill>> = LazyLock::new(|| moot_fixtures::yaml::embedded(TEXT));
static CALM_RUN: LazyLock<Drill> = LazyLock::new(|| Drill {
    id: CALM.to_owned(),
    title: "Nothing happens".to_owned(),
    // So that the probe is asked in the calm run too.
    is_beyond_wire: true,
    ..Drill::default()
});

/// A situation that a client must handle.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drill {
    /// A slug that never changes.
    pub id: String,
    /// The situation in a few words.
    pub title: String,
    /// The shortest duration of the situation, in seconds.
    #[serde(default)]
    pub seconds: u64,
    /// The drill is not applicable unless the client uses these operations in the calm run.
    #[serde(default)]
    pub needs: Vec<Operation>,
    /// Orders to the mock that create the situation.
    pub orders: Vec<DrillOrder>,
    /// The sign that the client met the situation.
    #[serde(rename = "met")]
    pub sign: SituationSign,
    /// The call that meets the situation, in words.
    pub reach: String,
    /// The end of the command that holds the drill.
    pub end: ExpectedEnd,
    /// Calls can show a mistake here, but not that there is none. That takes `--probe`.
    #[serde(default)]
    pub is_beyond_wire: bool,
    /// The client must read each list to the end that it read to the end in the calm run. Not applicable if it read no
    /// second page there.
    #[serde(default)]
    pub reads_on: bool,
    /// The certificate of the mock is wrong (`--tls`).
    #[serde(default)]
    pub is_wrong_certificate: bool,
    /// A client that moves the clock of the mock ends the situation.
    #[serde(default)]
    pub is_timed: bool,
    /// A client that retries no failed GET at all fails here too. That is its mistake then, as in `unavailable`.
    #[serde(default)]
    pub takes_retry: bool,
    /// The rule of conduct that another end breaks.
    pub breaks: Option<String>,
    /// The rule that a client breaks if it created more than in the calm run. Default: `breaks`.
    pub makes_more: Option<String>,
    /// The rule that a client breaks if it failed instead of recovering. Default: `breaks`.
    pub gives_up: Option<String>,
    /// Rules of conduct that count here. A broken `must` fails the drill.
    pub rules: Vec<String>,
}

/// An order to the mock: a call of the control plane.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrillOrder {
    /// The call after which it is sent. Without one it is sent at the start.
    pub after: Option<OrderTrigger>,
    #[serde(rename = "do")]
    pub action: OrderAction,
    /// The body.
    #[serde(rename = "with")]
    pub body: Value,
}

/// The action of an order. In the file it is the method and the path of its route: `POST /clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, EnumIter)]
#[serde(try_from = "String")]
pub enum OrderAction {
    MoveClock,
    AddFault,
    SetDrills,
    SetSettings,
    SetDeliveryPolicy,
    PutApplication,
    PutWorkflow,
    AddLegalRequest,
    SetStatus,
}

impl OrderAction {
    /// The method, and the path below `/__admin` with placeholders.
    pub const fn route(self) -> (Method, &'static str) {
        match self {
            Self::MoveClock => (Method::POST, "/clock"),
            Self::AddFault => (Method::POST, "/faults"),
            Self::SetDrills => (Method::PUT, "/drills"),
            Self::SetSettings => (Method::PUT, "/settings"),
            Self::SetDeliveryPolicy => (Method::PUT, "/delivery_policy"),
            Self::PutApplication => (Method::PUT, "/applications/{client_id}"),
            Self::PutWorkflow => (Method::PUT, "/workflows/{workflow}"),
            Self::AddLegalRequest => (Method::POST, "/legal_requests"),
            Self::SetStatus => (Method::POST, "/legal_requests/{request}/status"),
        }
    }
}

impl TryFrom<String> for OrderAction {
    type Error = String;

    fn try_from(line: String) -> Result<Self, Self::Error> {
        let is_named = |action: &Self| {
            let (method, path) = action.route();
            format!("{method} {path}") == line
        };
        Self::iter().find(is_named).ok_or_else(|| format!("there is no action `{line}`"))
    }
}

/// The nth call of the client that was answered.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderTrigger {
    /// Only calls of this operation count. Without one all calls count but those for a token.
    pub operation: Option<Operation>,
    /// From 1.
    pub nth: usize,
}

/// The sign that the client met the situation. All given members must hold for a call, or for the run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SituationSign {
    /// A call of this operation.
    pub operation: Option<Operation>,
    /// A call that was refused with this problem.
    pub problem: Option<String>,
    /// A call with a fault.
    pub fault: bool,
    /// A call that was served.
    pub served: bool,
    /// A call that read a second or later page of a list.
    pub later_page: bool,
    /// The smallest number of deliveries that a receiver answered.
    pub deliveries: usize,
    /// A delivery that still waits when the client fails counts too, if a receiver answered one in the calm run.
    pub is_late: bool,
    /// The smallest number of waiting deliveries. In the calm run a receiver must have answered one.
    pub waiting: usize,
    /// A delivery with a wrong credential that a receiver answered.
    pub forged: bool,
}

impl SituationSign {
    /// Whether deliveries, and no calls, show that the client met the situation.
    pub const fn is_of_deliveries(&self) -> bool {
        self.deliveries > 0 || self.waiting > 0 || self.forged
    }
}

/// The end of a command that holds a drill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedEnd {
    /// It ends with 0, and made the same objects as in the calm run.
    Recovers,
    /// As `Recovers`; or it ends with another code, and made no more objects than in the calm run.
    RecoversOrFails,
    /// It ends with another code than 0, and made no more objects than in the calm run.
    Fails,
    /// It ends before `--timeout`.
    #[default]
    Ends,
}

impl ExpectedEnd {
    /// The expected end in words.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Recovers => "ends with 0, and makes the same objects as in the calm run",
            Self::RecoversOrFails => {
                "ends with 0 and makes the same objects as in the calm run, or fails and makes no more"
            }
            Self::Fails => "ends with another code than 0",
            Self::Ends => "ends in time",
        }
    }
}

/// The calm run, in which nothing happens. The drills are compared with it. It is not one of [`all`].
pub fn calm() -> &'static Drill {
    &CALM_RUN
}

/// All drills, in their order.
pub fn all() -> &'static [Drill] {
    &DRILLS
}

/// The drill with this id.
pub fn get(id: &str) -> Option<&'static Drill> {
    all().iter().find(|drill| drill.id == id)
}

/// SHA-256 of the drills, as text.
pub fn digest() -> String {
    format!("{:x}", Sha256::digest(TEXT))
}
