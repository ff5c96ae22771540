//! The rows of a store: a change as JSON under a key, with the bytes of documents separately.
//!
//! The newest row of a key replaces the older ones. So the rows of a world restore it in any order.

use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::value::setting_text;
use crate::world::state::change::{AddressResponse, Amendment, Change, Checkpoint};
use crate::world::state::resource::{Delivery, LegalRequest, RepositoryDocument};

/// One row: a key and its new value.
#[derive(Debug, Clone)]
pub struct StoredRow {
    /// Kind and number, such as `legal_request/42`.
    pub key: String,
    /// JSON; `None` removes the row.
    pub value: Option<Vec<u8>>,
    /// The documents whose digests are in the value.
    pub contents: Vec<Content>,
}

/// A row can't be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// The key is unknown.
    #[error("there is no kind of row with the key `{0}`")]
    Key(String),
    /// The value is not valid for this kind of row.
    #[error("the row `{key}` cannot be read: {cause}")]
    Value {
        /// The key.
        key: String,
        /// The error.
        cause: serde_json::Error,
    },
}

/// Kinds of rows: the first segment of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum RowKind {
    LegalRequest,
    RepositoryDocument,
    Webhook,
    Delivery,
    ExpiredToken,
    RevokedToken,
    RevokedBefore,
    Address,
    Clock,
    RateLimit,
    DeliveryPolicy,
    Progression,
    Answers,
    User,
    Application,
    Workflow,
    Checkpoint,
}

/// Whether a row survives a reset of its world.
pub fn survives_reset(key: &str) -> bool {
    key.split_once('/').is_some_and(|(kind, _)| kind.parse() == Ok(RowKind::Checkpoint))
}

impl RowKind {
    fn key(self, name: impl std::fmt::Display) -> String {
        let kind: &str = self.into();
        format!("{kind}/{name}")
    }
}

/// The value of a checkpoint: the rows of its changes.
#[derive(Serialize, Deserialize)]
struct CheckpointRow {
    made_at: Timestamp,
    /// Keys, and values as JSON text.
    rows: Vec<(String, String)>,
}

impl StoredRow {
    fn put(key: String, value: &impl Serialize) -> Self {
        Self { key, value: Some(json_bytes(value)), contents: Vec::new() }
    }

    fn removed(key: String) -> Self {
        Self { key, value: None, contents: Vec::new() }
    }

    fn with(mut self, contents: impl IntoIterator<Item = Content>) -> Self {
        self.contents.extend(contents);
        self
    }
}

/// The rows that store a change.
pub fn rows(change: &Change) -> Vec<StoredRow> {
    let row = match change {
        Change::PutLegalRequest { row, record } => {
            let files = record.submission.files.iter().map(|file| file.content.clone());
            StoredRow::put(RowKind::LegalRequest.key(row), record).with(files)
        }
        Change::PutRepositoryDocument { row, record } => {
            let content = record.content.clone();
            StoredRow::put(RowKind::RepositoryDocument.key(row), record).with([content])
        }
        Change::PutWebhook { row, record } => StoredRow::put(RowKind::Webhook.key(row), record),
        // The row stays, without a value: its number is not used again, and a deleted seed row stays deleted.
        Change::DeleteWebhook { row } => StoredRow::put(RowKind::Webhook.key(row), &()),
        Change::PutDelivery { record } => StoredRow::put(RowKind::Delivery.key(record.id), record),
        Change::DeleteDelivery { id } => StoredRow::removed(RowKind::Delivery.key(id)),
        Change::ExpireToken { serial } => StoredRow::put(RowKind::ExpiredToken.key(serial), &()),
        Change::RevokeToken { serial } => StoredRow::put(RowKind::RevokedToken.key(serial), &()),
        Change::ForgetToken { serial } => {
            return vec![
                StoredRow::removed(RowKind::ExpiredToken.key(serial)),
                StoredRow::removed(RowKind::RevokedToken.key(serial)),
            ];
        }
        Change::RevokeEarlierTokens { application, serial } => {
            StoredRow::put(RowKind::RevokedBefore.key(application), serial)
        }
        Change::PutAddress { url, response } => {
            let content = response.content.clone();
            StoredRow::put(RowKind::Address.key(url), response).with(content)
        }
        Change::DeleteAddress { url } => StoredRow::removed(RowKind::Address.key(url)),
        Change::SetClock(clock) => StoredRow::put(RowKind::Clock.key(""), clock),
        Change::SetRateLimit(mode) => StoredRow::put(RowKind::RateLimit.key(""), mode),
        Change::SetDeliveryPolicy(policy) => {
            StoredRow::put(RowKind::DeliveryPolicy.key(""), policy)
        }
        Change::SetProgression(progression) => {
            StoredRow::put(RowKind::Progression.key(""), &progression.to_string())
        }
        Change::SetAnswers(answers) => StoredRow::put(RowKind::Answers.key(""), &**answers),
        Change::SetUser { company, email, is_user } => {
            StoredRow::put(RowKind::User.key(format_args!("{company}/{email}")), is_user)
        }
        Change::SetApplication { index, amendment } => {
            amendment_row(RowKind::Application.key(index), amendment)
        }
        Change::SetWorkflow { row, amendment } => {
            amendment_row(RowKind::Workflow.key(row), amendment)
        }
        Change::PutCheckpoint { name, checkpoint } => checkpoint_row(name, checkpoint),
        Change::DeleteCheckpoint { name } => StoredRow::removed(RowKind::Checkpoint.key(name)),
    };
    vec![row]
}

fn amendment_row<R: Serialize>(key: String, amendment: &Amendment<R>) -> StoredRow {
    StoredRow::put(key, &(amendment.company, &*amendment.record, amendment.is_removed))
}

fn amendment<R: DeserializeOwned>(key: &str, value: &[u8]) -> Result<Amendment<R>, StoredError> {
    let (company, record, is_removed) = read(key, value)?;
    Ok(Amendment { company, record: Arc::new(record), is_removed })
}

fn checkpoint_row(name: &str, checkpoint: &Checkpoint) -> StoredRow {
    let (mut rows, mut contents) = (Vec::new(), Vec::new());
    for row in checkpoint.changes.iter().flat_map(self::rows) {
        if let Some(value) = row.value {
            rows.push((row.key, String::from_utf8_lossy(&value).into_owned()));
        }
        contents.extend(row.contents);
    }
    let value = CheckpointRow { made_at: checkpoint.made_at, rows };
    StoredRow::put(RowKind::Checkpoint.key(name), &value).with(contents)
}

/// The change of a row. `fill` sets the place of each [`Content`].
///
/// # Errors
/// [`StoredError`], and the errors of `fill`.
pub fn change<E: From<StoredError>>(
    key: &str,
    value: &[u8],
    mut fill: impl FnMut(&mut Content) -> Result<(), E>,
) -> Result<Change, E> {
    let unknown = || StoredError::Key(key.to_owned());
    let (kind, name) = key.split_once('/').ok_or_else(unknown)?;
    Ok(match kind.parse().map_err(|_| unknown())? {
        RowKind::LegalRequest => {
            let mut record: LegalRequest = read(key, value)?;
            let submission = Arc::make_mut(&mut record.submission);
            submission.files.iter_mut().try_for_each(|file| fill(&mut file.content))?;
            Change::from(record)
        }
        RowKind::RepositoryDocument => {
            let mut record: RepositoryDocument = read(key, value)?;
            fill(&mut record.content)?;
            Change::PutRepositoryDocument { row: number(key, name)?, record: Arc::new(record) }
        }
        RowKind::Webhook => match read(key, value)? {
            Some(record) => {
                Change::PutWebhook { row: number(key, name)?, record: Arc::new(record) }
            }
            None => Change::DeleteWebhook { row: number(key, name)? },
        },
        RowKind::Delivery => {
            Change::PutDelivery { record: Arc::new(read::<Delivery>(key, value)?.resumed()) }
        }
        RowKind::ExpiredToken => Change::ExpireToken { serial: number(key, name)? },
        RowKind::RevokedToken => Change::RevokeToken { serial: number(key, name)? },
        RowKind::RevokedBefore => Change::RevokeEarlierTokens {
            application: number(key, name)?,
            serial: read(key, value)?,
        },
        RowKind::Address => {
            let mut response: AddressResponse = read(key, value)?;
            response.content.iter_mut().try_for_each(&mut fill)?;
            Change::PutAddress { url: name.to_owned(), response }
        }
        RowKind::Clock => Change::SetClock(read(key, value)?),
        RowKind::RateLimit => Change::SetRateLimit(read(key, value)?),
        RowKind::DeliveryPolicy => Change::SetDeliveryPolicy(read(key, value)?),
        RowKind::Progression => {
            let text: String = read(key, value)?;
            Change::SetProgression(setting_text::progression(&text).map_err(|_| unknown())?)
        }
        RowKind::Answers => Change::SetAnswers(Arc::new(read(key, value)?)),
        RowKind::User => {
            let (company, email) = name.split_once('/').ok_or_else(unknown)?;
            Change::SetUser {
                company: number(key, company)?,
                email: email.to_owned(),
                is_user: read(key, value)?,
            }
        }
        RowKind::Application => {
            Change::SetApplication { index: number(key, name)?, amendment: amendment(key, value)? }
        }
        RowKind::Workflow => {
            Change::SetWorkflow { row: number(key, name)?, amendment: amendment(key, value)? }
        }
        RowKind::Checkpoint => {
            let CheckpointRow { made_at, rows } = read(key, value)?;
            let fill: &mut dyn FnMut(&mut Content) -> Result<(), E> = &mut fill;
            let changes = rows
                .iter()
                .map(|(key, value)| change(key, value.as_bytes(), &mut *fill))
                .collect::<Result<_, E>>()?;
            let checkpoint = Arc::new(Checkpoint { made_at, changes });
            Change::PutCheckpoint { name: name.to_owned(), checkpoint }
        }
    })
}

fn read<T: DeserializeOwned>(key: &str, value: &[u8]) -> Result<T, StoredError> {
    serde_json::from_slice(value).map_err(|cause| StoredError::Value { key: key.to_owned(), cause })
}

fn number<N: FromStr>(key: &str, name: &str) -> Result<N, StoredError> {
    name.parse().map_err(|_| StoredError::Key(key.to_owned()))
}
