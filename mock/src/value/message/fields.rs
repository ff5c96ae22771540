//! Typed access to the fields of a multipart body (§4.5, §4.9).
//!
//! A field is text or a file, and may be repeated. An empty field counts as missing. The operations
//! decide on the meaning of a field.

use moot_fixtures::contract::Answers;

use crate::value::message::call::{Body, BodyFault, Part};
use crate::value::message::problem::Problem;

/// A file, with its name.
pub(crate) type FileField<'a> = (&'a str, &'a Part);

/// The parts of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MultipartFields<'a>(&'a [Part]);

impl<'a> MultipartFields<'a> {
    /// The fields of a body.
    ///
    /// # Errors
    /// 400 if it can't be read; by the answer `other_errors` if it is too large or not a multipart body.
    pub(crate) fn of(body: &'a Body, answers: &Answers) -> Result<Self, Problem> {
        match body {
            Body::Multipart(parts) => Ok(Self(parts)),
            Body::Empty | Body::Whole(_) => Err(broken(BodyFault::NoBoundary, answers)),
            Body::Broken(fault) => Err(broken(*fault, answers)),
        }
    }

    /// The text of a field; `None` if it is missing or empty.
    ///
    /// # Errors
    /// 400 if it is repeated, is a file, or is not UTF-8.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, Problem> {
        let Some(part) = self.once(name)? else { return Ok(None) };
        Ok(Some(text_of(part)?).filter(|text| !text.trim().is_empty()))
    }

    /// The texts of a field that may be repeated, without empty ones.
    ///
    /// # Errors
    /// 400 if one is a file or not UTF-8.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&'a str>, Problem> {
        let texts = self.all(name).map(text_of).collect::<Result<Vec<_>, _>>()?;
        Ok(texts.into_iter().filter(|text| !text.trim().is_empty()).collect())
    }

    /// The file of a field; `None` if it is missing, empty or without a name.
    ///
    /// # Errors
    /// 400 if it is repeated or is text.
    pub(crate) fn file(&self, name: &str) -> Result<Option<FileField<'a>>, Problem> {
        match self.once(name)? {
            Some(part) => file_of(part),
            None => Ok(None),
        }
    }

    /// The files of a field that may be repeated, without empty ones and ones without a name.
    ///
    /// # Errors
    /// 400 if one is text.
    pub(crate) fn files(&self, name: &str) -> Result<Vec<FileField<'a>>, Problem> {
        let files = self.all(name).map(file_of).collect::<Result<Vec<_>, _>>()?;
        Ok(files.into_iter().flatten().collect())
    }

    /// Whether a field with this name was sent, also an empty one.
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
    match part.content.bytes().map(|bytes| std::str::from_utf8(bytes)) {
        Some(Ok(text)) => Ok(text),
        Some(Err(_)) | None => refused("must be UTF-8 text"),
    }
}

fn file_of(part: &Part) -> Result<Option<FileField<'_>>, Problem> {
    let Some(name) = &part.file_name else {
        return Err(Problem::parameter_missing(format!(
            "`{}` must be a file: its part needs a file name.",
            part.name
        )));
    };
    let is_empty = name.is_empty() || part.content.length == 0;
    Ok((!is_empty).then_some((name.as_str(), part)))
}

/// The problem for a body that could not be read.
pub(crate) fn broken(fault: BodyFault, answers: &Answers) -> Problem {
    match fault {
        BodyFault::TooLarge => {
            Problem::too_large(answers, "The body, or a text field of it, is too large.")
        }
        BodyFault::NoBoundary => Problem::parameter_missing(
            "The body must be `multipart/form-data`, with one `Content-Type` that has one `boundary`.",
        ),
        BodyFault::WrongMediaType => Problem::wrong_media_type(answers, "multipart/form-data"),
        BodyFault::Malformed(what) => {
            Problem::parameter_missing(format!("The body is malformed: {what}."))
        }
        BodyFault::Truncated => {
            Problem::parameter_missing("The body ended before it was complete, or it was too slow.")
        }
    }
}
