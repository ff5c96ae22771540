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

pub(crate) fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("our records have text keys only, and writing to memory works")
}
