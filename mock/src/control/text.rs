//! Reads members of actions from texts.

use std::fmt::Display;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Reads a text that may be absent. The error of `read` becomes the detail of a problem.
pub(crate) fn optional_text<'de, D: Deserializer<'de>, T, E: Display>(
    reader: D,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, D::Error> {
    let text: Option<String> = Option::deserialize(reader)?;
    text.map(|text| read(&text)).transpose().map_err(D::Error::custom)
}
