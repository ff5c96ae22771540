//! The limits of the mock. `moot_fixtures::contract` has the limits of the specification.

/// Rows of one resource in a world, with those of the seed world. Above this, creating is refused.
pub(crate) const ROWS_MAX: u32 = 1_000_000;
/// Entries in the log of one legal request. Above this, the oldest entry after the creation is removed.
pub(crate) const ACTIVITIES_MAX: usize = 4_000;
/// Deliveries of a world. Above this, the oldest finished one is removed.
pub(crate) const DELIVERIES_MAX: usize = 10_000;
/// Additional deliveries of one event by the delivery policy.
pub(crate) const DUPLICATES_MAX: u32 = 10;
/// Characters of the event in a delivery policy.
pub(crate) const EVENT_LENGTH_MAX: usize = 200;
/// Tokens of a world that were revoked or expired individually. Above this, the oldest is forgotten.
pub(crate) const MARKED_TOKENS_MAX: usize = 1_000_000;
/// Addresses with registered bytes.
pub(crate) const ADDRESSES_MAX: usize = 10_000;
/// Users, applications and workflows of a world that differ from its seed.
pub(crate) const AMENDMENTS_MAX: usize = 2_000;
/// Bytes of a client id with its secret, or of a workflow's JSON, from the control plane.
pub(crate) const AMENDMENT_BYTES_MAX: usize = 16 << 10;
/// Bytes of a pattern of paths.
pub(crate) const PATH_PATTERN_BYTES_MAX: usize = 2_048;
/// Checkpoints of a world.
pub(crate) const CHECKPOINTS_MAX: usize = 100;
/// Characters of a checkpoint's name.
pub(crate) const CHECKPOINT_NAME_LENGTH_MAX: usize = 100;
/// Client addresses in the rate limiter. Above this, an address with few calls is forgotten.
pub(crate) const CLIENTS_MAX: usize = 4_096;
/// Faults of a world, with the spent ones.
pub(crate) const FAULTS_MAX: usize = 1_000;
/// Consecutive calls in the sequence of a fault.
pub(crate) const FAULT_SEQUENCE_MAX: usize = 50;
/// Effects of a fault on one call.
pub(crate) const FAULT_EFFECTS_MAX: usize = 4;
/// Milliseconds that a fault delays a response or slows down its body.
pub(crate) const FAULT_MILLISECONDS_MAX: u64 = 120_000;
/// Exchanges in the journal.
pub(crate) const JOURNAL_ENTRIES_MAX: usize = 10_000;
/// Bytes of the texts in the journal.
pub(crate) const JOURNAL_TEXTS_MAX: usize = 2 << 20;
/// Parts of a form in the journal, for one call.
pub(crate) const JOURNAL_PARTS_MAX: usize = 32;
/// Changes in the journal, for one call.
pub(crate) const JOURNAL_CHANGES_MAX: usize = 8;
/// Ids of deliveries in the journal, for one call.
pub(crate) const JOURNAL_DELIVERIES_MAX: usize = 32;
/// Bytes of a path or another text in the journal.
pub(crate) const JOURNAL_TEXT_MAX: usize = 512;
/// Bytes of a body that is not multipart, in the journal.
pub(crate) const JOURNAL_BODY_TEXT_MAX: usize = 4_096;
/// Bytes of a response body in the journal. Larger bodies are not recorded.
pub(crate) const JOURNAL_RESPONSE_BODY_MAX: usize = 64 << 10;
/// Bytes of all response bodies in the journal.
pub(crate) const JOURNAL_RESPONSE_BODIES_MAX: usize = 1 << 20;

/// Changes that are kept for the watchers of a world.
#[cfg(feature = "server")]
pub(crate) const WATCHED_CHANGES_MAX: usize = 200;
/// Calls that a watcher of a world gets at once. Earlier ones are lost.
#[cfg(feature = "server")]
pub(crate) const WATCHED_CALLS_MAX: usize = 100;

/// Bytes of a form body (§4.1).
pub(crate) const FORM_BYTES_MAX: u64 = 64 << 10;
/// Bytes of a JSON body (§4.14).
pub(crate) const JSON_BYTES_MAX: u64 = 64 << 10;
/// Bytes of a text field of a multipart body.
pub(crate) const TEXT_FIELD_BYTES_MAX: u64 = 64 << 10;
/// Parts of a multipart body.
pub(crate) const PARTS_MAX: usize = 200;
/// Bytes of a multipart body that creates a request.
pub(crate) const CREATE_BODY_BYTES_MAX: u64 = 2 << 30;
/// Bytes of a multipart body in addition to its file.
pub(crate) const MULTIPART_OVERHEAD_BYTES_MAX: u64 = 1 << 20;
/// Characters of an e-mail address (RFC 5321 §4.5.3.1.3, without brackets).
pub(crate) const EMAIL_LENGTH_MAX: usize = 254;
/// Characters of an address to fetch or to deliver to.
pub(crate) const URL_LENGTH_MAX: usize = 2_048;
/// Characters of a webhook's name.
pub(crate) const WEBHOOK_NAME_LENGTH_MAX: usize = 255;
/// Webhooks of one company. Each execution queues a delivery for each of them.
pub(crate) const WEBHOOKS_PER_COMPANY_MAX: u64 = 1_000;
/// Lines of text in a generated document.
pub(crate) const PDF_LINES_MAX: usize = 2_000;
