//! Registers responses of https addresses, for uploads by address (§4.9).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::Refusal;
use crate::value::limits::{ADDRESSES_MAX, FAULT_MILLISECONDS_MAX};
use crate::value::message::content::Content;
use crate::world::World;
use crate::world::state::change::{AddressResponse, Change};

/// The response of an https address: `text`, `base64` or `status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct AddressContent {
    /// the https address
    pub url: String,
    /// its bytes as text
    pub text: Option<String>,
    /// its bytes in base64
    pub base64: Option<String>,
    /// fetching fails with this status, 300 to 599
    pub status: Option<u64>,
    /// the media type of the bytes
    pub content_type: Option<String>,
    /// the milliseconds of real time that fetching takes
    pub milliseconds: Option<u64>,
}

/// Shape: `{"addresses": [{"url", "length", "content_type", "status", "milliseconds"}]}`; without bytes
/// `length` is null, with bytes `status` is.
pub(super) fn view(world: &World) -> Value {
    let addresses = world.state().addresses.iter();
    let rows: Vec<Value> = addresses.map(|(url, registered)| row(url, registered)).collect();
    json!({ "addresses": rows })
}

/// Registers the response of an address. Shape: a member of `addresses`.
pub(super) fn put(world: &mut World, address: AddressContent) -> Result<Value, Refusal> {
    let AddressContent { url, text, base64, status, content_type, milliseconds } = address;
    let url = https(&url)?;
    if milliseconds.is_some_and(|milliseconds| milliseconds > FAULT_MILLISECONDS_MAX) {
        let detail = format!("`milliseconds` is {FAULT_MILLISECONDS_MAX} at most");
        return Err(Refusal::invalid(detail));
    }
    let addresses = &world.state().addresses;
    if addresses.len() >= ADDRESSES_MAX && !addresses.contains_key(&url) {
        let detail =
            format!("there are {ADDRESSES_MAX} addresses already: DELETE /__admin/addresses");
        return Err(Refusal::conflict(detail));
    }
    let status = status.map(failure).transpose()?;
    let bytes = match base64 {
        Some(base64) => STANDARD
            .decode(base64)
            .map_err(|error| Refusal::invalid(format!("`base64`: {error}")))?,
        None => text.unwrap_or_default().into_bytes(),
    };
    let content = status.is_none().then(|| Content::in_memory(bytes.into()));
    let response = AddressResponse { content, status, content_type, milliseconds };
    let shown = row(&url, &response);
    world.apply(vec![Change::PutAddress { url, response }]);
    Ok(shown)
}

fn failure(code: u64) -> Result<u16, Refusal> {
    let status = u16::try_from(code).ok().filter(|code| (300..=599).contains(code));
    status.ok_or_else(|| Refusal::invalid(format!("`status` is 300 to 599, not {code}")))
}

/// Deletes the response of one address, or of all. Shape: as [`view`].
pub(super) fn delete(world: &mut World, url: Option<&str>) -> Result<Value, Refusal> {
    let addresses = &world.state().addresses;
    let urls: Vec<String> = match url {
        None => addresses.keys().cloned().collect(),
        Some(text) => {
            let url = https(text)?;
            if !addresses.contains_key(&url) {
                return Err(Refusal::unknown(format!("nothing is set for the address `{url}`")));
            }
            vec![url]
        }
    };
    world.apply(urls.into_iter().map(|url| Change::DeleteAddress { url }).collect());
    Ok(view(world))
}

fn https(text: &str) -> Result<String, Refusal> {
    let url = Url::parse(text).ok().filter(|url| url.scheme() == "https");
    url.map(String::from).ok_or_else(|| Refusal::invalid("`url` must be an absolute https address"))
}

fn row(url: &str, registered: &AddressResponse) -> Value {
    json!({
        "url": url,
        "length": registered.content.as_ref().map(|content| content.length),
        "content_type": registered.content_type,
        "status": registered.status,
        "milliseconds": registered.milliseconds,
    })
}
