//! The bytes of a document or a field: in memory, in a file, or in a store.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Bytes somewhere, with their length and digest: a handle that is cheap to clone. Shape where it is
/// kept: `{"length", "digest": [32 numbers]}`; where the bytes are is not told, see
/// [`ContentPlace::Apart`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "StoredContent", into = "StoredContent")]
pub struct Content {
    /// Bytes.
    pub length: u64,
    /// SHA-256, taken when it is first asked for: most are fields of a form, or documents, whose digests
    /// nobody wants.
    digest: OnceLock<[u8; 32]>,
    /// The bytes themselves, or a file of the shell's.
    pub place: ContentPlace,
}

/// What is kept of a [`Content`].
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

    /// Bytes that are elsewhere; `digest` is their SHA-256.
    pub fn elsewhere(length: u64, digest: [u8; 32], place: ContentPlace) -> Self {
        Self { length, digest: OnceLock::from(digest), place }
    }

    /// Bytes in a file of the shell; the digest is computed when it is first needed.
    pub fn in_file(length: u64, path: PathBuf, keep: Arc<dyn ContentFile>) -> Self {
        Self { length, digest: OnceLock::new(), place: ContentPlace::File { path, keep } }
    }

    /// SHA-256; a file is read for it, once. `None` where it can't be read any more.
    pub fn digest(&self) -> Option<&[u8; 32]> {
        if self.digest.get().is_none() {
            let taken = match &self.place {
                ContentPlace::Memory(bytes) => Sha256::digest(bytes).into(),
                ContentPlace::File { keep, .. } => keep.digest()?,
                ContentPlace::Apart => return None,
            };
            return Some(self.digest.get_or_init(|| taken));
        }
        self.digest.get()
    }
}

impl From<Content> for StoredContent {
    fn from(content: Content) -> Self {
        // A store has it taken when the bytes come; without the file it could keep nothing anyway.
        Self { length: content.length, digest: content.digest().copied().unwrap_or_default() }
    }
}

impl From<StoredContent> for Content {
    fn from(kept: StoredContent) -> Self {
        Self::elsewhere(kept.length, kept.digest, ContentPlace::Apart)
    }
}

/// A file of the shell's with the bytes of a [`Content`]; a temporary one is removed when the last handle
/// is dropped.
pub trait ContentFile: fmt::Debug + Send + Sync {
    /// SHA-256 of the bytes, which are read for it; `None` where they can't be.
    fn digest(&self) -> Option<[u8; 32]>;
}

/// Where the bytes of a [`Content`] are.
#[derive(Debug, Clone)]
pub enum ContentPlace {
    /// In memory.
    Memory(Bytes),
    /// In a file which the core never opens.
    File {
        /// For the shell alone.
        path: PathBuf,
        /// What keeps the file alive.
        keep: Arc<dyn ContentFile>,
    },
    /// With a store, under their digest: only while a record is read back from it.
    Apart,
}
