//! Files of §4.5: the third-party document, and supporting files of any format.

use moot_fixtures::contract::Answers;

use super::FILE;
use crate::value::document_type;
use crate::value::message::fields::{FileField, MultipartFields};
use crate::value::message::problem::Problem;
use crate::value::message::rule::Rule;
use crate::world::state::resource::legal_request::{FileDisposition, FileRole, StoredFile};
use crate::world::state::resource::workflow_fields::SUPPORT_DOCUMENTS;

/// The document, then the support files in the order sent. With `merge`, PDF and DOCX files are merged
/// (§8).
///
/// # Errors
/// 413 and 422 for the document; by the answer `support_document_size` for the other files.
pub(super) fn read(
    answers: &Answers,
    fields: &MultipartFields<'_>,
    listed: impl Fn(&str) -> bool,
    merge: bool,
) -> Result<Vec<StoredFile>, Problem> {
    let mut files = Vec::new();
    if listed(FILE)
        && let Some(file) = fields.file(FILE)?
    {
        check_document(answers, file)?;
        files.push(stored_file(file, FileRole::Document, merge));
    }
    if listed(SUPPORT_DOCUMENTS) {
        for file in fields.files(SUPPORT_DOCUMENTS)? {
            check_support(answers, file)?;
            files.push(stored_file(file, FileRole::Support, merge));
        }
    }
    Ok(files)
}

fn check_document(answers: &Answers, (name, file): FileField<'_>) -> Result<(), Problem> {
    let extension = document_type::extension(name);
    if !extension.is_some_and(|extension| answers.upload_types.contains(&extension)) {
        let accepted = answers.upload_types.join(", ");
        let detail = format!("`file`: this file type is not supported; use {accepted}.");
        return Err(Problem::request_creation(detail).breaking(Rule::DocumentType));
    }
    if file.is_larger_than(answers.upload_size_max) {
        return Err(Problem::document_too_large(answers));
    }
    Ok(())
}

fn check_support(answers: &Answers, (_, file): FileField<'_>) -> Result<(), Problem> {
    let limit = &answers.support_document_size;
    if !file.is_larger_than(limit.bytes_max) {
        return Ok(());
    }
    let detail = format!("`{SUPPORT_DOCUMENTS}`: a file has at most {} bytes.", limit.bytes_max);
    let problem = Problem::request_creation(detail).breaking(Rule::SupportDocumentSize);
    Err(problem.by_answer(limit.status))
}

fn stored_file((name, file): FileField<'_>, role: FileRole, merge: bool) -> StoredFile {
    let is_merged = merge && document_type::is_mergeable(name);
    StoredFile {
        name: name.to_owned(),
        content_type: file.content_type.clone(),
        content: file.content.clone(),
        role,
        disposition: if is_merged { FileDisposition::Merged } else { FileDisposition::Attached },
    }
}
