//! A short id without a heap allocation. A world may have millions of activity entries, and a `String`
//! takes four times as many bytes.

use serde::{Deserialize, Serialize};

/// Letters and digits of an id.
pub(crate) const LENGTH: usize = 8;

/// An id of [`LENGTH`] letters and digits. Shape: its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ShortId([u8; LENGTH]);

impl ShortId {
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("it was made of ASCII letters and digits")
    }

    /// The id; `None` if a byte is not an ASCII letter or digit.
    pub(crate) fn of(letters: [u8; LENGTH]) -> Option<Self> {
        letters.iter().all(u8::is_ascii_alphanumeric).then_some(Self(letters))
    }
}

impl TryFrom<String> for ShortId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let id = text.as_bytes().try_into().ok().and_then(Self::of);
        id.ok_or_else(|| format!("an id has {LENGTH} letters or digits, and `{text}` has not"))
    }
}

impl From<ShortId> for String {
    fn from(id: ShortId) -> Self {
        id.as_str().to_owned()
    }
}
