//! The journal of a mock as JSON.
//!
//! The control plane publishes this JSON, and the rules read it as any other client does. So this folder
//! does not depend on the mock.

use std::net::IpAddr;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A call that began later than this after an answer was written was not on its way when it was. The mock may
/// notice a call late on a busy machine.
const IN_FLIGHT_US: u64 = 250_000;

/// The calls in one world: a member of `worlds` in the journals of `moot_mock`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorldJournal {
    /// Id of the sandbox; `None` is the main world.
    pub sandbox: Option<String>,
    /// Earlier calls that the journal no longer holds, because it is bounded and can be cleared.
    pub forgotten: u64,
    /// The calls, the oldest first.
    #[serde(rename = "exchanges")]
    pub calls: Vec<JournalCall>,
    /// What was delivered to webhooks, and how receivers answered.
    #[serde(default)]
    pub deliveries: Vec<JournalDelivery>,
    /// What the mock answers to the open questions, by their ids.
    #[serde(default)]
    pub answers: Value,
}

/// The members of a journal entry that the rules need.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalCall {
    /// Its number in the world, from 1.
    pub serial: u64,
    /// The time by the clock of the world.
    pub at: Timestamp,
    /// The address of the client.
    pub client: IpAddr,
    /// Its connection and real time; `None` if no socket was involved.
    #[serde(default)]
    pub wire: Option<CallWire>,
    /// As sent.
    pub method: String,
    /// As sent, without the query.
    pub path: String,
    /// What follows `?`; secrets are fingerprints.
    #[serde(default)]
    pub query: Option<String>,
    /// The operation; `None` for a path or method without one.
    pub operation: Option<Operation>,
    /// Client id of the application, if the token was valid.
    pub application: Option<String>,
    /// What it carried.
    #[serde(default)]
    pub request: CallContent,
    /// HTTP status of the answer.
    pub status: u16,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: Option<String>,
    /// The problem, and what would have worked.
    pub detail: Option<String>,
    /// More about the answer.
    pub response: EntryAnswer,
    /// The body of the answer; null if it is not JSON, or not kept. Secrets are fingerprints.
    #[serde(default, deserialize_with = "json_text")]
    pub answer: Value,
    /// `served`, or the rule that refused it: `limit`, `route`, `token`, `scope`, ….
    pub decision: String,
    /// The kinds of an armed fault. The client may then have received something else.
    pub fault: Option<String>,
    /// The ids of the deliveries that it queued.
    #[serde(default)]
    pub deliveries: Vec<u64>,
}

/// The place of a call on a connection, in microseconds of real time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct CallWire {
    /// Number of the connection.
    pub connection: u64,
    /// When its head had been read.
    pub began_us: u64,
    /// When the last byte of the answer was written; `None` if none was.
    pub ended_us: Option<u64>,
    /// Whether the client left before the answer was written.
    #[serde(default)]
    pub client_left: bool,
}

/// What a call carried; secrets are fingerprints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CallContent {
    /// Fingerprint of the credential: equal ones are equal.
    pub authorization: Option<String>,
    /// `bearer` or `basic`.
    pub scheme: Option<String>,
    /// Number of `Authorization` headers.
    pub credentials: usize,
    /// As sent.
    pub user_agent: Option<String>,
    /// Fingerprint of the header.
    pub idempotency_key: Option<String>,
    /// Whether the client expects to be refused: `X-Moot-Expect: refused`.
    pub expects_refusal: bool,
    /// As sent.
    pub content_type: Option<String>,
    /// Bytes of the body.
    pub length: u64,
    /// A body that is not multipart.
    pub text: Option<String>,
    /// The parts of a form.
    pub parts: Vec<CallPart>,
}

/// A part of a form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CallPart {
    /// The name of the field.
    pub name: String,
    /// The name of the file, if it is one.
    pub file_name: Option<String>,
    /// Bytes.
    pub length: u64,
    /// A field's value; it may be cut.
    pub text: Option<String>,
    /// Fingerprint of a file.
    pub digest: Option<String>,
}

/// More about the answer to a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct EntryAnswer {
    /// Of a list: the number of the page.
    pub page: Option<u64>,
    /// Of a list: the number of pages.
    pub pages: Option<u64>,
    /// `Retry-After`, if it was sent.
    pub retry_after_seconds: Option<u64>,
}

/// A delivery to a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalDelivery {
    /// Its number in the world.
    pub id: u64,
    /// The event.
    pub event: String,
    /// `queued`, `delivered`, `failed` or `discarded`.
    pub state: String,
    /// The attempts so far.
    pub attempts: Vec<JournalAttempt>,
    /// It came without the credential of its webhook, or with a wrong one, on purpose.
    #[serde(default, rename = "forged")]
    pub is_forged: bool,
}

/// An attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalAttempt {
    /// The receiver's status; `None` if there was no answer.
    #[serde(default)]
    pub status: Option<u16>,
    /// Real time until the answer.
    #[serde(default)]
    pub milliseconds: Option<u64>,
}

impl JournalCall {
    /// Whether this operation succeeded.
    pub(super) fn did(&self, operation: Operation) -> bool {
        self.operation == Some(operation) && self.status < 300
    }

    /// The operation, or method and path without one.
    pub(super) fn name(&self) -> String {
        match self.operation {
            Some(operation) => operation.as_str().to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }

    /// Who sent it, as far as a call tells: its address and program.
    pub(super) fn caller(&self) -> (IpAddr, Option<&str>) {
        (self.client, self.request.user_agent.as_deref())
    }

    /// What it asks for, without its credential: equal ones are repetitions.
    pub(super) fn intent(&self) -> impl Ord {
        let parts = self.request.parts.iter();
        let parts: Vec<_> = parts.map(|part| (&part.name, &part.text, &part.file_name)).collect();
        (&self.method, &self.path, &self.query, &self.request.text, parts)
    }

    /// Whether it was sent before its client can have read the answer to `earlier`. Unknown times count as
    /// such.
    pub(super) fn was_in_flight(&self, earlier: &Self) -> bool {
        let (Some(this), Some(earlier)) = (self.wire, earlier.wire) else { return true };
        let Some(ended_us) = earlier.ended_us else { return true };
        this.connection != earlier.connection && this.began_us < ended_us + IN_FLIGHT_US
    }

    /// Real time from the end of `earlier` to the beginning of this call.
    pub(super) fn pause_us(&self, earlier: &Self) -> Option<u64> {
        Some(self.wire?.began_us.saturating_sub(earlier.wire?.ended_us?))
    }

    /// Whether the client can't know what became of it.
    pub(super) fn is_lost(&self) -> bool {
        let names = |fault: &str| {
            ["close", "garbage", "stall", "truncate", "reset", "malformed", "commit"]
                .iter()
                .any(|lost| fault.contains(lost))
        };
        self.status >= 500
            || self.fault.as_deref().is_some_and(names)
            || self.wire.is_some_and(|wire| wire.client_left)
    }

    /// Whether it was refused by a rule of the service, and neither by a fault nor as its client expected.
    pub(super) fn is_refused(&self) -> bool {
        (400..500).contains(&self.status) && self.fault.is_none() && !self.request.expects_refusal
    }

    /// Whether it creates an object.
    pub(super) fn is_creation(&self) -> bool {
        matches!(
            self.operation,
            Some(
                Operation::CreateLegalRequest
                    | Operation::CreateRepositoryDocument
                    | Operation::CreateWebhook
            )
        )
    }

    /// The `{id}` of its path.
    pub(super) fn id(&self) -> Option<&str> {
        let place = self.operation?.path().split('/').position(|segment| segment == "{id}")?;
        self.path.split('/').nth(place)
    }

    /// The parameters of its query, decoded.
    pub(super) fn parameters(&self) -> Vec<(String, String)> {
        pairs(self.query.as_deref().unwrap_or_default())
    }

    /// The fields of a body that is a form without parts, decoded.
    pub(super) fn form(&self) -> Vec<(String, String)> {
        let is_form = self.request.content_type.as_deref().is_some_and(is_form);
        pairs(self.request.text.as_deref().filter(|_| is_form).unwrap_or_default())
    }

    /// The value of a text field of a form of parts.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.request.parts.iter().find(|part| part.name == name)?.text.as_deref()
    }
}

/// Whether a content type is the one of a form without parts.
pub(super) fn is_form(content_type: &str) -> bool {
    content_type.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded")
}

fn pairs(text: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// The JSON in a text; null if there is none.
fn json_text<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Reads the journals of all worlds.
///
/// # Errors
/// The value is not a set of journals.
pub fn read(journals: &Value) -> Result<Vec<WorldJournal>, serde_json::Error> {
    Vec::deserialize(&journals["worlds"])
}
