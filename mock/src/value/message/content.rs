//! The bytes of a document or a field: in memory, in a file, or in a store.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A handle on bytes, with their length and digest. It is cheap to clone. Shape in a store: `{"length",
/// "digest": [32 numbers]}`, without the place of the bytes; see [`ContentPlace::Apart`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Content {
    /// Bytes.
    pub length: u64,
    /// SHA-256.
    pub digest: [u8; 32],
    /// The place of the bytes.
    #[serde(skip)]
    pub place: ContentPlace,
}

impl Content {
    /// Bytes in memory.
    pub fn in_memory(bytes: Bytes) -> Self {
        Self {
            length: bytes.len() as u64,
            digest: Sha256::digest(&bytes).into(),
            place: ContentPlace::Memory(bytes),
        }
    }

    /// The bytes, if they are in memory.
    pub(crate) const fn bytes(&self) -> Option<&Bytes> {
        match &self.place {
            ContentPlace::Memory(bytes) => Some(bytes),
            ContentPlace::File { .. } | ContentPlace::Apart => None,
        }
    }

    /// SHA-256 in hexadecimal digits.
    pub(crate) fn hex_digest(&self) -> String {
        hex(&self.digest)
    }
}

/// A digest in hexadecimal digits.
pub(crate) fn hex(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The place of the bytes of a [`Content`].
#[derive(Debug, Clone, Default)]
pub enum ContentPlace {
    /// In memory.
    Memory(Bytes),
    /// In a file. The core never opens it.
    File {
        /// Only the shell uses it.
        path: PathBuf,
        /// A temporary file is removed when the last handle is dropped.
        keep: Arc<dyn Any + Send + Sync>,
    },
    /// In a store, under their digest. This only occurs while a record is read from the store.
    #[default]
    Apart,
}
