//! The document at an address: the registered bytes, the fetched document, or a placeholder.

use bytes::Bytes;
use moot_fixtures::contract::{Answers, UrlDocumentName};
use url::Url;

use super::super::Context;
use super::check_type;
use crate::value::message::call::{Fetch, FetchFault};
use crate::value::message::content::Content;
use crate::value::message::problem::Problem;
use crate::value::message::response::TransportFault;
use crate::value::message::rule::Rule;
use crate::value::{address, document_type, pdf};

/// Servers send this media type if they do not know the type of a file.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The address. It must be public and https.
///
/// # Errors
/// By the answer `url_refused`.
pub(super) fn read(answers: &Answers, text: &str) -> Result<Url, Problem> {
    address::public_https(text).map_err(|fault| {
        let detail = format!("`url` {fault}; it must be a public https address.");
        let problem = Problem::document_creation(detail).breaking(Rule::UploadAddress(fault));
        problem.by_answer(answers.url_refused)
    })
}

/// The document to fetch; `None` if its bytes are registered, or its host is reserved for examples.
pub(super) fn document_to_fetch(context: &Context<'_>, url: Url) -> Option<Fetch> {
    let answers = context.answers();
    let is_registered = context.world.state().addresses.contains_key(url.as_str());
    let is_refused = extension(&url)
        .is_some_and(|extension| check_type(answers, Some(extension.as_str())).is_err());
    if is_registered || is_refused || address::is_reserved(&url) {
        return None;
    }
    Some(Fetch { url, bytes_max: answers.upload_size_max })
}

/// The time that fetching a registered address takes.
pub(super) fn delay(context: &Context<'_>, url: &Url) -> Option<TransportFault> {
    let registered = context.world.state().addresses.get(url.as_str())?;
    registered.milliseconds.map(|milliseconds| TransportFault::Delay { milliseconds })
}

/// Name and content of the document.
///
/// # Errors
/// 422 and 413 for the document; by the answer `url_refused` if it could not be fetched.
pub(super) fn document(context: &Context<'_>, url: &Url) -> Result<(String, Content), Problem> {
    let answers = context.answers();
    let extension = extension(url);
    let content = if let Some(known) = context.world.state().addresses.get(url.as_str()) {
        // If the address has no extension, the registered media type decides.
        match (&extension, known.content_type.as_deref()) {
            (Some(extension), _) => check_type(answers, Some(extension))?,
            (None, Some(sent)) => check_type(answers, document_type::extension_of(sent))?,
            (None, None) => {}
        }
        known.content.clone().ok_or_else(|| {
            let status = known.status.unwrap_or(404);
            not_fetched(answers, &format!("the server answered with the status {status}"))
        })?
    } else {
        if let Some(extension) = &extension {
            check_type(answers, Some(extension))?;
        }
        match &context.call.fetched {
            None => placeholder(url),
            Some(Ok(fetched)) => {
                // The media type has priority: an error page is not a document, even if its address
                // ends in `.pdf`.
                let sent = fetched.content_type.as_deref();
                let known = sent.filter(|sent| !sent.starts_with(UNKNOWN_TYPE));
                if known.is_some() || extension.is_none() {
                    check_type(answers, known.and_then(document_type::extension_of))?;
                }
                fetched.content.clone()
            }
            Some(Err(FetchFault::TooLarge)) => return Err(Problem::document_too_large(answers)),
            Some(Err(FetchFault::Failed(why))) => {
                return Err(not_fetched(answers, why));
            }
        }
    };
    if content.length > answers.upload_size_max {
        return Err(Problem::document_too_large(answers));
    }
    Ok((name(answers, url), content))
}

fn not_fetched(answers: &Answers, why: &str) -> Problem {
    let detail = format!("`url` cannot be fetched: {why}.");
    Problem::document_creation(detail).breaking(Rule::UploadFetched).by_answer(answers.url_refused)
}

fn extension(url: &Url) -> Option<String> {
    address::last_segment(url).as_deref().and_then(document_type::extension)
}

fn name(answers: &Answers, url: &Url) -> String {
    let host = || url.host_str().unwrap_or("document").to_owned();
    match answers.url_document_name {
        UrlDocumentName::LastSegment => address::last_segment(url).unwrap_or_else(host),
        UrlDocumentName::Host => host(),
    }
}

fn placeholder(url: &Url) -> Content {
    let lines = ["This stands for the document at".to_owned(), url.to_string()];
    Content::in_memory(Bytes::from(pdf::document(&lines)))
}
