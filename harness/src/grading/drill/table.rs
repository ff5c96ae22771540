//! The drills as data: `drills.yaml`.

use std::sync::LazyLock;

use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

const TEXT: &str = include_str!("drills.yaml");

static DRILLS: LazyLock<Vec<Drill>> =
    LazyLock::new(|| serde_saphyr::from_str(TEXT).expect("a test reads the drills"));

/// A situation that a client must bear.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drill {
    /// A slug that never changes.
    pub id: String,
    /// What happens, in a few words.
    pub title: String,
    /// How long it takes at least, because of the situation itself.
    #[serde(default)]
    pub seconds: u64,
    /// Operations that the client must use in the calm run.
    #[serde(default)]
    pub needs: Vec<Operation>,
    /// What is done to the mock.
    pub orders: Vec<DrillOrder>,
    /// What shows that the client met the situation.
    pub met: Meeting,
    /// The call that would have been needed.
    pub reach: String,
    /// How the command must end.
    pub end: ExpectedEnd,
    /// The drill shows what is wrong, but not that all is right.
    #[serde(default)]
    pub is_beyond_wire: bool,
    /// The last list that is read must be read to its last page, if it was in the calm run. Not applicable if no
    /// second page was read there.
    #[serde(default)]
    pub reads_on: bool,
    /// The certificate of the mock is wrong (`--tls`).
    #[serde(default)]
    pub is_wrong_certificate: bool,
    /// The situation ends once the clock of the mock is moved.
    #[serde(default)]
    pub is_timed: bool,
    /// The rule of conduct that is broken if the command ends otherwise.
    pub breaks: Option<String>,
    /// Rules of conduct: a finding of one that a client must keep fails the drill.
    pub rules: Vec<String>,
}

/// A call of the control plane.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrillOrder {
    /// After which answer; at the start if absent.
    pub after: Option<OrderTrigger>,
    /// Method and path below `/__admin`.
    #[serde(rename = "do")]
    pub line: String,
    /// The body.
    #[serde(rename = "with")]
    pub body: Value,
    /// The kind of object that it adds, as the counts of a world name it.
    pub adds: Option<String>,
}

/// The answer to the nth call of the client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderTrigger {
    /// Of this operation; of any but token calls if absent.
    pub operation: Option<Operation>,
    /// From 1.
    pub nth: usize,
}

/// What shows that the client met the situation; all that is given.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Meeting {
    /// A call of this operation.
    pub operation: Option<Operation>,
    /// A call that was refused with this problem.
    pub problem: Option<String>,
    /// A call that a fault struck.
    pub fault: bool,
    /// A call that was served.
    pub served: bool,
    /// A call that read a second or later page of a list.
    pub later_page: bool,
    /// So many deliveries that a receiver answered.
    pub deliveries: usize,
    /// So many deliveries that wait, and one in the calm run that a receiver answered.
    pub waiting: usize,
    /// A delivery with a wrong credential that a receiver answered.
    pub forged: bool,
}

/// How the command must end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedEnd {
    /// With 0, and it made exactly what it made in the calm run.
    Recovers,
    /// As `Recovers`, or with another code, and it made no more than in the calm run.
    RecoversOrFails,
    /// With another code than 0, and it made no more than in the calm run.
    Fails,
    /// In time.
    #[default]
    Ends,
}

impl ExpectedEnd {
    /// What a client must do, as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Recovers => "ends with 0, and makes what it made in the calm run",
            Self::RecoversOrFails => {
                "ends with 0 and makes what it made in the calm run, or fails and makes no more"
            }
            Self::Fails => "ends with another code than 0",
            Self::Ends => "ends in time",
        }
    }
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
    Sha256::digest(TEXT).iter().map(|byte| format!("{byte:02x}")).collect()
}
