//! How the body of each operation is read.

use moot_fixtures::contract::{Answers, BodyKind, Operation};

use crate::value::limits::{
    CREATE_BODY_BYTES_MAX, FORM_BYTES_MAX, JSON_BYTES_MAX, MULTIPART_OVERHEAD_BYTES_MAX, PARTS_MAX,
    TEXT_FIELD_BYTES_MAX,
};
use crate::value::message::call::{MultipartLimits, Reading};

/// How the body of an operation is read.
pub(crate) fn reading(operation: Operation, answers: &Answers) -> Reading {
    match operation.body() {
        BodyKind::None => Reading::Drain,
        BodyKind::Form => Reading::Whole { bytes_max: FORM_BYTES_MAX },
        BodyKind::Json => Reading::Whole { bytes_max: JSON_BYTES_MAX },
        BodyKind::Multipart => {
            let document_max = answers.upload_size_max;
            let (part_bytes_max, body_bytes_max) = match operation {
                Operation::CreateLegalRequest => {
                    let support_max = answers.support_document_size.bytes_max;
                    (document_max.max(support_max), CREATE_BODY_BYTES_MAX)
                }
                // One byte more than fits shows that a document is too large; the rest is overhead.
                _ => {
                    let beside = document_max.saturating_add(MULTIPART_OVERHEAD_BYTES_MAX);
                    (document_max, beside.saturating_add(document_max))
                }
            };
            Reading::Multipart(MultipartLimits {
                parts_max: PARTS_MAX,
                text_bytes_max: TEXT_FIELD_BYTES_MAX,
                part_bytes_max,
                body_bytes_max,
            })
        }
    }
}
