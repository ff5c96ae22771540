//! The file of a part: a head, lines of content, and a last line that says that it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::IntoStaticStr;

use super::error::PartError;
use super::facts::{FORMAT_VERSION, PartFacts};
use crate::exchange::masks::Secrets;

/// The file in the folder of a part.
pub(super) const FILE: &str = "part.jsonl";

/// Bytes. Longer files are refused.
const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// What a part is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum PartKind {
    /// `moot run --shard`.
    Run,
    /// `moot drill --shard`.
    Drill,
    /// `moot selftest --shard`.
    Selftest,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartHead {
    /// Version of the format.
    pub format_version: u32,
    /// Version of the program that wrote it.
    pub moot_version: String,
    /// What it is a part of.
    pub kind: PartKind,
    /// The number of the shard, from 1.
    pub shard: u16,
    /// How many shards there are.
    pub of: u16,
    /// What it belongs to.
    pub facts: PartFacts,
    /// Everything that is planned, in order, each with its shard.
    pub plan: Vec<(String, u16)>,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndRow {
    complete: bool,
    /// Of all lines before.
    sha256: String,
}

/// A complete part, read and held against its digest.
#[derive(Debug)]
pub struct PartFile {
    /// Its folder.
    pub dir: PathBuf,
    /// Its head.
    pub head: PartHead,
    /// Its lines of content.
    pub lines: Vec<String>,
}

/// Makes the text of a part.
pub struct PartWriter(String);

impl PartHead {
    /// The head of a part that this program writes.
    pub fn new(
        kind: PartKind,
        shard: (u16, u16),
        facts: PartFacts,
        plan: Vec<(String, u16)>,
    ) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            kind,
            shard: shard.0,
            of: shard.1,
            facts,
            plan,
        }
    }

    /// The names of what this shard does.
    pub fn own(&self) -> impl Iterator<Item = &str> {
        self.plan.iter().filter(|(_, shard)| *shard == self.shard).map(|(name, _)| name.as_str())
    }
}

impl PartWriter {
    /// A part with this head.
    ///
    /// # Errors
    /// As [`PartWriter::line`].
    pub fn new(head: &PartHead) -> Result<Self, PartError> {
        let mut writer = Self(String::new());
        writer.line(head)?;
        Ok(writer)
    }

    /// Adds a line.
    ///
    /// # Errors
    /// The value has no JSON form.
    pub fn line(&mut self, value: &impl Serialize) -> Result<(), PartError> {
        let text = serde_json::to_string(value)
            .map_err(|error| PartError::File { path: FILE.into(), source: error.into() })?;
        self.0.push_str(&text);
        self.0.push('\n');
        Ok(())
    }

    /// Writes the file into this folder, with its last line if the shard came to its end.
    ///
    /// # Errors
    /// It would contain one of these secrets, or it can't be written.
    pub fn write(mut self, dir: &Path, is_complete: bool, scan: &Secrets) -> Result<(), PartError> {
        let path = dir.join(FILE);
        if self.0.lines().any(|line| scan.is_in(line)) {
            return Err(PartError::Secret { path });
        }
        if is_complete {
            let sha256 = format!("{:x}", Sha256::digest(&self.0));
            self.line(&EndRow { complete: true, sha256 })?;
        }
        let write = || fs::create_dir_all(dir).and_then(|()| fs::write(&path, &self.0));
        write().map_err(|source| PartError::File { path: path.clone(), source })
    }
}

impl PartFile {
    /// Reads the part in this folder.
    ///
    /// # Errors
    /// It is not a part, unfinished, damaged, or of another version.
    pub fn read(dir: &Path) -> Result<Self, PartError> {
        let path = dir.join(FILE);
        let not = |reason: String| PartError::NotAPart { dir: dir.to_owned(), reason };
        let damaged = |reason: String| PartError::Damaged { dir: dir.to_owned(), reason };
        if !dir.is_dir() {
            let is_file = dir.exists();
            let reason =
                if is_file { "it is a file, not a folder" } else { "there is no such folder" };
            return Err(not(reason.to_owned()));
        }
        if !path.is_file() {
            return Err(not(format!("it has no {FILE}")));
        }
        let failed = |source| PartError::File { path: path.clone(), source };
        if fs::metadata(&path).map_err(failed)?.len() > FILE_BYTES_MAX {
            return Err(damaged(format!("{FILE} is longer than {FILE_BYTES_MAX} bytes")));
        }
        let bytes = fs::read(&path).map_err(failed)?;
        let text = String::from_utf8(bytes).map_err(|_| damaged(format!("{FILE} is not UTF-8")))?;
        let first = text.lines().next().unwrap_or_default();
        let version = version_of(first)
            .ok_or_else(|| not(format!("the first line of {FILE} is not the head of a part")))?;
        if version != FORMAT_VERSION {
            return Err(PartError::Version { dir: dir.to_owned(), found: version });
        }
        let head: PartHead = serde_json::from_str(first)
            .map_err(|error| damaged(format!("its head can't be read: {error}")))?;
        if head.moot_version != env!("CARGO_PKG_VERSION") {
            return Err(PartError::OtherMoot { dir: dir.to_owned(), found: head.moot_version });
        }
        if !(1..=head.of).contains(&head.shard) {
            return Err(damaged(format!("it says that it is shard {}/{}", head.shard, head.of)));
        }
        let Some((content, last)) = last_line(&text) else {
            return Err(PartError::Unfinished { dir: dir.to_owned() });
        };
        let end: EndRow = match serde_json::from_str(last) {
            Ok(end) => end,
            Err(_) => return Err(PartError::Unfinished { dir: dir.to_owned() }),
        };
        if !end.complete {
            return Err(PartError::Unfinished { dir: dir.to_owned() });
        }
        if end.sha256 != format!("{:x}", Sha256::digest(content)) {
            return Err(damaged("its lines are not those that were written".to_owned()));
        }
        let lines = content.lines().skip(1).map(str::to_owned).collect();
        Ok(Self { dir: dir.to_owned(), head, lines })
    }

    /// The error of a line that can't be read.
    pub(crate) fn damaged(&self, reason: impl Into<String>) -> PartError {
        PartError::Damaged { dir: self.dir.clone(), reason: reason.into() }
    }
}

/// What comes before the last line, and the last line; `None` where the text does not end with a whole line.
fn last_line(text: &str) -> Option<(&str, &str)> {
    let whole = text.strip_suffix('\n')?;
    let at = whole.rfind('\n')? + 1;
    Some((&text[..at], &whole[at..]))
}

fn version_of(line: &str) -> Option<u32> {
    let head: serde_json::Value = serde_json::from_str(line).ok()?;
    head.get("kind")?;
    u32::try_from(head.get("format_version")?.as_u64()?).ok()
}
