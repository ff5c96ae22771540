//! The bytes of a document or a field: in memory, in a file, or in a store.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A handle on bytes, with their length and digest. It is cheap to clone. Shape in a store: `{"length",
/// "digest": [32 numbers]}`, without the place of the bytes; see [`ContentPlace::Apart`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "StoredContent", into = "StoredContent")]
pub struct Content {
    /// Bytes.
    pub length: u64,
    /// SHA-256. It is computed at the first use, because the digests of most documents and form fields
    /// are never used.
    digest: OnceLock<[u8; 32]>,
    /// The place of the bytes.
    pub place: ContentPlace,
}

/// A [`Content`] in a store.
#[derive(Serialize, Deserialize)]
struct StoredContent {
    length: u64,
    digest: [u8; 32],
}

impl Content {
    /// Bytes in memory.
    pub fn in_memory(bytes: Bytes) -> Self {
        Self {
            length: bytes.len() as u64,
            digest: OnceLock::new(),
            place: ContentPlace::Memory(bytes),
        }
    }

    /// Bytes with a known SHA-256.
    pub fn elsewhere(length: u64, digest: [u8; 32], place: ContentPlace) -> Self {
        Self { length, digest: OnceLock::from(digest), place }
    }

    /// Bytes in a file of the shell.
    pub fn in_file(length: u64, path: PathBuf, keep: Arc<dyn ContentFile>) -> Self {
        Self { length, digest: OnceLock::new(), place: ContentPlace::File { path, keep } }
    }

    /// SHA-256. At the first use, it reads a file. `None` if the file can't be read any more.
    pub fn digest(&self) -> Option<&[u8; 32]> {
        if let Some(digest) = self.digest.get() {
            return Some(digest);
        }
        let digest = match &self.place {
            ContentPlace::Memory(bytes) => Sha256::digest(bytes).into(),
            ContentPlace::File { keep, .. } => keep.digest()?,
            ContentPlace::Apart => return None,
        };
        Some(self.digest.get_or_init(|| digest))
    }

    /// SHA-256 in hexadecimal digits.
    pub(crate) fn hex_digest(&self) -> Option<String> {
        Some(self.digest()?.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl From<Content> for StoredContent {
    fn from(content: Content) -> Self {
        // A store computes the digest when it gets the bytes. Without the file, nothing is stored.
        Self { length: content.length, digest: content.digest().copied().unwrap_or_default() }
    }
}

impl From<StoredContent> for Content {
    fn from(stored: StoredContent) -> Self {
        Self::elsewhere(stored.length, stored.digest, ContentPlace::Apart)
    }
}

/// A file of the shell with the bytes of a [`Content`]. A temporary file is removed when its last handle
/// is dropped.
pub trait ContentFile: fmt::Debug + Send + Sync {
    /// Reads the bytes and computes their SHA-256; `None` if they can't be read.
    fn digest(&self) -> Option<[u8; 32]>;
}

/// The place of the bytes of a [`Content`].
#[derive(Debug, Clone)]
pub enum ContentPlace {
    /// In memory.
    Memory(Bytes),
    /// In a file. The core never opens it.
    File {
        /// Only the shell uses it.
        path: PathBuf,
        /// Keeps the file until the last handle is dropped.
        keep: Arc<dyn ContentFile>,
    },
    /// In a store, under their digest. This only occurs while a record is read from the store.
    Apart,
}
