//! Conditions on a call: its query, its headers, its fields.

use serde::Deserialize;

use super::call::DefectCall;
use super::call_edit::QueryParameter;

/// A condition on a call. A field is a part of a multipart body or a field of a form.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum CallCondition {
    /// This condition does not hold.
    Not(Box<CallCondition>),
    /// The path is percent-encoded.
    EncodedPath,
    /// The call has no query.
    NoQuery,
    /// The query has this parameter.
    Parameter(QueryParameter),
    /// The first parameter of the query is this one.
    FirstParameter(String),
    /// The call has this header, and its value contains this text.
    HeaderWith { name: String, text: String },
    /// The body has this field.
    Field(String),
    /// The body has this field more than once.
    RepeatedField(String),
    /// The body has this field with this text.
    FieldText { name: String, text: String },
    /// The body has this field, and its text ends with this.
    FieldEnding { name: String, ending: String },
    /// The first part of the body is another field.
    OtherFirstField(String),
    /// The body has this field, and its text is JSON.
    JsonField(String),
    /// The body has a file in this field whose name ends differently.
    OtherFileEnding { name: String, ending: String },
    /// The body has a part of more than this number of bytes.
    PartAbove(u64),
}

impl CallCondition {
    /// Whether all conditions hold for a call.
    pub(super) fn all_hold(all: &[Self], call: &DefectCall<'_>) -> bool {
        all.iter().all(|condition| condition.holds(call))
    }

    fn holds(&self, call: &DefectCall<'_>) -> bool {
        let head = &call.call.head;
        match self {
            Self::Not(condition) => !condition.holds(call),
            Self::EncodedPath => head.path.contains('%'),
            Self::NoQuery => head.query.is_none(),
            Self::Parameter(parameter) => parameter.is_in(head.query),
            Self::FirstParameter(name) => {
                let query = head.query.unwrap_or_default().as_bytes();
                form_urlencoded::parse(query).next().is_some_and(|(first, _)| first == *name)
            }
            Self::HeaderWith { name, text } => head
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .is_some_and(|value| value.contains(text)),
            Self::Field(name) => call.count(name) > 0,
            Self::RepeatedField(name) => call.count(name) > 1,
            Self::FieldText { name, text } => call.field(name).is_some_and(|sent| sent == *text),
            Self::FieldEnding { name, ending } => {
                call.field(name).is_some_and(|sent| sent.ends_with(ending))
            }
            Self::JsonField(name) => call.field(name).is_some_and(|sent| is_json(&sent)),
            Self::OtherFirstField(name) => {
                call.parts().first().is_some_and(|part| part.name != *name)
            }
            Self::OtherFileEnding { name, ending } => call.parts().iter().any(|part| {
                part.name == *name
                    && !part.file_name.as_ref().is_some_and(|file| file.ends_with(ending))
            }),
            Self::PartAbove(length) => {
                call.parts().iter().any(|part| part.content.length > *length)
            }
        }
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
