//! The members that set what an address answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// What an https address answers, for uploads by address (§4.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressContent {
    /// The address.
    pub url: String,
    /// Its bytes, or the status of its failure.
    pub answer: Result<Bytes, u16>,
    /// The media type of the bytes, if it is told.
    pub content_type: Option<String>,
    /// Real time that fetching takes.
    pub milliseconds: Option<u64>,
}

/// The members of an address: `text`, `base64` or `status`.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AddressRequest {
    /// the https address
    url: String,
    /// its bytes as text
    text: Option<String>,
    /// its bytes in base64
    base64: Option<String>,
    /// no bytes: fetching fails with this status, 300 to 599
    status: Option<u64>,
    /// the media type of the bytes
    content_type: Option<String>,
    /// real time that fetching takes
    milliseconds: Option<u64>,
}

/// Reads what an address answers from its members.
pub(super) fn address_content<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<AddressContent, D::Error> {
    let AddressRequest { url, text, base64, status, content_type, milliseconds } =
        AddressRequest::deserialize(reader)?;
    let answer = match (base64, status) {
        (Some(base64), None) => Ok(STANDARD
            .decode(base64)
            .map_err(|error| D::Error::custom(format!("`base64`: {error}")))?
            .into()),
        (None, Some(code)) => {
            let status = u16::try_from(code).ok().filter(|code| (300..=599).contains(code));
            Err(status
                .ok_or_else(|| D::Error::custom(format!("`status` is 300 to 599, not {code}")))?)
        }
        (None, None) => Ok(text.unwrap_or_default().into()),
        (Some(_), Some(_)) => {
            return Err(D::Error::custom("give exactly one of `text`, `base64` and `status`"));
        }
    };
    Ok(AddressContent { url, answer, content_type, milliseconds })
}
