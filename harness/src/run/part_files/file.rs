//! The file of a part: a head, lines of content, and a last line for a complete part.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use strum::IntoStaticStr;

use super::error::PartError;
use super::facts::{FORMAT_VERSION, PartFact, PartFacts, register_fingerprint};
use crate::exchange::masks::Secrets;
use crate::run::environment::Shard;

/// The file in the folder of a part.
pub(super) const FILE: &str = "part.jsonl";

/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// The command that wrote a part.
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

/// The first line of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartHead {
    pub format_version: u32,
    /// The version of moot that wrote it.
    pub moot_version: String,
    /// The command that wrote it.
    pub kind: PartKind,
    /// The number of the shard, from 1.
    pub shard: u16,
    /// The number of shards.
    pub of: u16,
    /// Facts about the run.
    pub facts: PartFacts,
    /// The whole plan in order, with the shard of each item.
    pub plan: Vec<(String, u16)>,
}

/// A complete part whose digest was checked.
#[derive(Debug)]
pub struct PartFile {
    /// The folder.
    pub dir: PathBuf,
    pub head: PartHead,
    /// The lines of content.
    pub lines: Vec<String>,
}

/// The text of a part that is being written.
pub struct PartWriter(String);

impl PartHead {
    /// The head of a new part. `facts` has those that the command knows.
    pub fn new(
        kind: PartKind,
        shard: Shard,
        mut facts: PartFacts,
        plan: Vec<(String, u16)>,
    ) -> Self {
        facts.insert(PartFact::Register, register_fingerprint());
        Self {
            format_version: FORMAT_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            kind,
            shard: shard.number,
            of: shard.count,
            facts,
            plan,
        }
    }

    /// The value or the fingerprint of a fact; empty if the command does not know it.
    pub(super) fn value(&self, fact: PartFact) -> String {
        match fact {
            PartFact::Kind => <&str>::from(self.kind).to_owned(),
            PartFact::Shards => self.of.to_string(),
            fact => self.facts.get(&fact).cloned().unwrap_or_default(),
        }
    }

    /// The names of the items of this shard.
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

    /// Writes the file into this folder. If the shard has finished, the last line has the digest of all lines before
    /// it.
    ///
    /// # Errors
    /// The file would contain one of these secrets, or it cannot be written.
    pub fn write(mut self, dir: &Path, is_complete: bool, scan: &Secrets) -> Result<(), PartError> {
        let path = dir.join(FILE);
        if self.0.lines().any(|line| scan.is_in(line)) {
            return Err(PartError::Secret { path });
        }
        if is_complete {
            let sha256 = format!("{:x}", Sha256::digest(&self.0));
            self.line(&json!({ "complete": true, "sha256": sha256 }))?;
        }
        let write = || fs::create_dir_all(dir).and_then(|()| fs::write(&path, &self.0));
        write().map_err(|source| PartError::File { path: path.clone(), source })
    }
}

impl PartFile {
    /// Reads the part in this folder.
    ///
    /// # Errors
    /// The folder has no part, or one that is unfinished, damaged or of a different version.
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
            .map_err(|error| damaged(format!("its head cannot be read: {error}")))?;
        if head.moot_version != env!("CARGO_PKG_VERSION") {
            return Err(PartError::OtherMoot { dir: dir.to_owned(), found: head.moot_version });
        }
        if !(1..=head.of).contains(&head.shard) {
            return Err(damaged(format!("it says that it is shard {}/{}", head.shard, head.of)));
        }
        let ended = last_line(&text)
            .and_then(|(content, last)| Some((content, serde_json::from_str::<Value>(last).ok()?)));
        let Some((content, end)) = ended.filter(|(_, end)| end["complete"] == true) else {
            return Err(PartError::Unfinished { dir: dir.to_owned() });
        };
        if end["sha256"] != format!("{:x}", Sha256::digest(content)) {
            return Err(damaged("its lines differ from those that were written".to_owned()));
        }
        let lines = content.lines().skip(1).map(str::to_owned).collect();
        Ok(Self { dir: dir.to_owned(), head, lines })
    }

    /// The error of a line that cannot be read.
    pub(crate) fn damaged(&self, reason: impl Into<String>) -> PartError {
        PartError::Damaged { dir: self.dir.clone(), reason: reason.into() }
    }
}

/// The text before the last line, and the last line; `None` if the text does not end with a whole line.
fn last_line(text: &str) -> Option<(&str, &str)> {
    let whole = text.strip_suffix('\n')?;
    let at = whole.rfind('\n')? + 1;
    Some((&text[..at], &whole[at..]))
}

fn version_of(line: &str) -> Option<u32> {
    let head: Value = serde_json::from_str(line).ok()?;
    head.get("kind")?;
    u32::try_from(head.get("format_version")?.as_u64()?).ok()
}
