//! Writes JSON, and the shapes of §4 that several resources share.

use serde::Serialize;

/// A single-resource response: `{"data":…}` (§4).
#[derive(Debug, Serialize)]
pub(crate) struct DataJson<T> {
    pub(crate) data: T,
}

/// A resource of §2. `attributes` has the members of its kind.
#[derive(Debug, Serialize)]
pub(crate) struct ResourceJson<'a, A> {
    pub(crate) id: &'a str,
    #[serde(rename = "type")]
    pub(crate) resource_type: &'static str,
    pub(crate) attributes: A,
}

/// Most of our JSON is not longer.
const USUAL_BYTES: usize = 512;

/// JSON without unused memory behind it, because the journal keeps it.
pub(crate) fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut bytes, value)
        .expect("our records have text keys only, and writing to memory works");
    bytes.shrink_to_fit();
    bytes
}
