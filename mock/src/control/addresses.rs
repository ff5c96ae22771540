//! What https addresses answer, for uploads by address (§4.9).

use serde_json::{Value, json};
use url::Url;

use super::{AddressContent, Refusal};
use crate::value::limits::{ADDRESSES_MAX, FAULT_MILLISECONDS_MAX};
use crate::value::message::content::Content;
use crate::world::World;
use crate::world::state::change::{Change, Registered};

/// Shape: `{"addresses": [{"url", "length", "content_type", "status", "milliseconds"}]}`; without bytes
/// `length` is null, with bytes `status` is.
pub(super) fn view(world: &World) -> Value {
    let addresses = world.state().addresses.iter();
    let rows: Vec<Value> = addresses.map(|(url, registered)| row(url, registered)).collect();
    json!({ "addresses": rows })
}

/// Sets one. Shape: a member of `addresses`.
pub(super) fn put(world: &mut World, address: AddressContent) -> Result<Value, Refusal> {
    let AddressContent { url, answer, content_type, milliseconds } = address;
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
    let answer = answer.map(Content::in_memory);
    let registered = Registered { answer, content_type, milliseconds };
    let shown = row(&url, &registered);
    world.apply(vec![Change::PutAddress { url, registered }]);
    Ok(shown)
}

/// Forgets one, or all; gives the others.
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
    url.map(String::from)
        .ok_or_else(|| Refusal::invalid("`url` must be an absolute https address".to_owned()))
}

fn row(url: &str, registered: &Registered) -> Value {
    let Registered { answer, content_type, milliseconds } = registered;
    json!({
        "url": url,
        "length": answer.as_ref().ok().map(|content| content.length),
        "content_type": content_type,
        "status": answer.as_ref().err(),
        "milliseconds": milliseconds,
    })
}
