//! The bounds of the mock itself. Those that the specification states are `contract`'s.

/// Rows of one resource in a world, the seed's included; beyond it creating is refused.
pub(crate) const ROWS_MAX: u32 = 1_000_000;
/// Entries in the log of one legal request; beyond it comments are refused.
pub(crate) const ACTIVITIES_MAX: usize = 4_000;
/// Deliveries that a world keeps; beyond it the oldest finished one goes.
pub(crate) const DELIVERIES_MAX: usize = 10_000;
/// Further deliveries of one event that a policy asks for.
pub(crate) const DUPLICATES_MAX: u32 = 10;
/// Characters of an event that a policy names.
pub(crate) const EVENT_LENGTH_MAX: usize = 200;
/// Tokens revoked or expired one by one that a world remembers; beyond it the oldest goes.
pub(crate) const MARKED_TOKENS_MAX: usize = 1_000_000;
/// Addresses whose bytes were registered.
pub(crate) const ADDRESSES_MAX: usize = 10_000;
/// Users, applications and workflows of a world that differ from its seed.
pub(crate) const AMENDMENTS_MAX: usize = 2_000;
/// Bytes of a client id, of a secret or of a workflow's JSON that the control plane sets.
pub(crate) const AMENDMENT_BYTES_MAX: usize = 16 << 10;
/// Bytes of a pattern of paths.
pub(crate) const PATH_PATTERN_BYTES_MAX: usize = 2_048;
/// Checkpoints of a world.
pub(crate) const CHECKPOINTS_MAX: usize = 100;
/// Characters of a checkpoint's name.
pub(crate) const CHECKPOINT_NAME_LENGTH_MAX: usize = 100;
/// Client addresses whose calls are counted; beyond it one that called little is forgotten.
pub(crate) const CLIENTS_MAX: usize = 4_096;
/// Faults of a world, the spent ones included.
pub(crate) const FAULTS_MAX: usize = 1_000;
/// Consecutive calls that a fault has effects for.
pub(crate) const FAULT_SEQUENCE_MAX: usize = 50;
/// Effects of a fault on one call.
pub(crate) const FAULT_EFFECTS_MAX: usize = 4;
/// Milliseconds that a fault delays an answer, or stretches its body.
pub(crate) const FAULT_MILLISECONDS_MAX: u64 = 120_000;
/// Exchanges in the journal.
pub(crate) const JOURNAL_ENTRIES_MAX: usize = 10_000;
/// Bytes of the texts in the journal.
pub(crate) const JOURNAL_TEXTS_MAX: usize = 2 << 20;
/// Parts of a form that the journal keeps of one call.
pub(crate) const JOURNAL_PARTS_MAX: usize = 32;
/// Changes that the journal keeps of one call.
pub(crate) const JOURNAL_CHANGES_MAX: usize = 8;
/// Ids of deliveries that the journal keeps of one call.
pub(crate) const JOURNAL_DELIVERIES_MAX: usize = 32;
/// Bytes of a path, or of any other text, that the journal keeps.
pub(crate) const JOURNAL_TEXT_MAX: usize = 512;
/// Bytes of a body that is not multipart, as the journal keeps it.
pub(crate) const JOURNAL_BODY_TEXT_MAX: usize = 4_096;
/// Bytes of an answer's body that the journal keeps; a larger one it does not.
pub(crate) const JOURNAL_ANSWER_MAX: usize = 64 << 10;
/// Bytes of all the answers' bodies that the journal keeps.
pub(crate) const JOURNAL_ANSWERS_MAX: usize = 2 << 20;

/// Changes that are kept for those who watch a world.
#[cfg(feature = "server")]
pub(crate) const WATCHED_CHANGES_MAX: usize = 200;
/// Calls that one look of those who watch a world gives; earlier ones are lost to them.
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
/// Bytes that a multipart body may have beside its file.
pub(crate) const MULTIPART_OVERHEAD_BYTES_MAX: u64 = 1 << 20;
/// Characters of an e-mail address (RFC 5321 §4.5.3.1.3, without brackets).
pub(crate) const EMAIL_LENGTH_MAX: usize = 254;
/// Characters of an address to fetch or to deliver to.
pub(crate) const URL_LENGTH_MAX: usize = 2_048;
/// Characters of a webhook's name.
pub(crate) const WEBHOOK_NAME_LENGTH_MAX: usize = 255;
/// Webhooks of one company; each execution queues a delivery for each of them.
pub(crate) const WEBHOOKS_PER_COMPANY_MAX: u64 = 1_000;
/// Lines of text in a generated document.
pub(crate) const PDF_LINES_MAX: usize = 2_000;
