//! Typed access to the fields of a multipart body (§4.5, §4.9).
//!
//! What a field means is the operation's business; here it is only text or a file, there once or
//! several times. A field that is there but empty counts as missing.

use moot_fixtures::contract::Answers;

use crate::value::message::call::{Body, BodyFault, Part};
use crate::value::message::content::{Content, ContentPlace};
use crate::value::message::problem::Problem;

/// The parts of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MultipartFields<'a>(&'a [Part]);

/// A file that was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentFile<'a> {
    /// Its name, not empty.
    pub(crate) name: &'a str,
    /// Its media type, as sent.
    pub(crate) content_type: Option<&'a str>,
    /// Its bytes; meaningless where `is_cut`.
    pub(crate) content: &'a Content,
    /// Whether there was more of it than is kept.
    pub(crate) is_cut: bool,
}

impl<'a> MultipartFields<'a> {
    /// The fields of a body.
    ///
    /// # Errors
    /// 400 where it can't be read; by answer `other_errors` where it is not a multipart body, or is too
    /// large. `content_type` is the header as sent.
    pub(crate) fn of(
        body: &'a Body,
        content_type: Option<&str>,
        answers: &Answers,
    ) -> Result<Self, Problem> {
        match body {
            Body::Multipart(parts) => Ok(Self(parts)),
            Body::Empty | Body::Whole(_) => Err(no_boundary(content_type, answers)),
            Body::Broken(BodyFault::NoBoundary | BodyFault::WrongMediaType) => {
                Err(no_boundary(content_type, answers))
            }
            Body::Broken(fault) => Err(broken(*fault, answers)),
        }
    }

    /// A text that is there at most once; `None` where it is missing or empty.
    ///
    /// # Errors
    /// 400 where it is there twice, is a file, or is not UTF-8.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, Problem> {
        let Some(part) = self.once(name)? else { return Ok(None) };
        Ok(Some(text_of(part)?).filter(|text| !text.trim().is_empty()))
    }

    /// A text that may be repeated; empty ones are left out.
    ///
    /// # Errors
    /// 400 where one is a file or no UTF-8.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&'a str>, Problem> {
        let texts = self.all(name).map(text_of).collect::<Result<Vec<_>, _>>()?;
        Ok(texts.into_iter().filter(|text| !text.trim().is_empty()).collect())
    }

    /// A file that is there at most once; `None` where it is missing, nameless or of no bytes.
    ///
    /// # Errors
    /// 400 where it is there twice or is text.
    pub(crate) fn file(&self, name: &str) -> Result<Option<SentFile<'a>>, Problem> {
        match self.once(name)? {
            Some(part) => file_of(part),
            None => Ok(None),
        }
    }

    /// A file that may be repeated; nameless ones and those of no bytes are left out.
    ///
    /// # Errors
    /// 400 where one is text.
    pub(crate) fn files(&self, name: &str) -> Result<Vec<SentFile<'a>>, Problem> {
        let files = self.all(name).map(file_of).collect::<Result<Vec<_>, _>>()?;
        Ok(files.into_iter().flatten().collect())
    }

    /// Whether a field of this name was sent, even an empty one.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a Part> + use<'a, 'n> {
        self.0.iter().filter(move |part| part.name == name)
    }

    fn once(&self, name: &str) -> Result<Option<&'a Part>, Problem> {
        let mut parts = self.all(name);
        match (parts.next(), parts.next()) {
            (part, None) => Ok(part),
            (_, Some(_)) => Err(Problem::parameter_missing(format!(
                "`{name}` was sent more than once; send it once."
            ))),
        }
    }
}

fn text_of(part: &Part) -> Result<&str, Problem> {
    let name = &part.name;
    let refused = |what: &str| Err(Problem::parameter_missing(format!("`{name}` {what}.")));
    if part.file_name.is_some() {
        return refused("must be text, without a file name");
    }
    let ContentPlace::Memory(bytes) = &part.content.place else {
        return refused("is too long for a text field");
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => refused("must be UTF-8 text"),
    }
}

fn file_of(part: &Part) -> Result<Option<SentFile<'_>>, Problem> {
    let Some(name) = part.file_name.as_deref() else {
        return Err(Problem::parameter_missing(format!(
            "`{}` must be a file: its part needs a file name.",
            part.name
        )));
    };
    let file = SentFile {
        name,
        content_type: part.content_type.as_deref(),
        content: &part.content,
        is_cut: part.is_cut,
    };
    Ok(Some(file).filter(|file| !file.name.is_empty() && file.content.length > 0))
}

fn no_boundary(content_type: Option<&str>, answers: &Answers) -> Problem {
    const WANTED: &str = "multipart/form-data";
    let is_multipart = content_type.is_none_or(|sent| {
        sent.get(..WANTED.len()).is_some_and(|start| start.eq_ignore_ascii_case(WANTED))
    });
    if is_multipart {
        Problem::parameter_missing("The body must be `multipart/form-data` with a `boundary`.")
    } else {
        Problem::wrong_media_type(answers, WANTED)
    }
}

/// What is said of a body that could not be read.
pub(crate) fn broken(fault: BodyFault, answers: &Answers) -> Problem {
    match fault {
        BodyFault::TooLarge => {
            Problem::too_large(answers, "The body, or a text field of it, is too large.")
        }
        BodyFault::NoBoundary => {
            Problem::parameter_missing("The body must be `multipart/form-data` with a `boundary`.")
        }
        BodyFault::WrongMediaType => Problem::wrong_media_type(answers, "another media type"),
        BodyFault::Malformed(what) => {
            Problem::parameter_missing(format!("The body is malformed: {what}."))
        }
        BodyFault::Truncated => {
            Problem::parameter_missing("The body ended before it was complete.")
        }
    }
}
