//! Compares parts: they must belong to the same run, and none may be missing.

use std::path::PathBuf;

use strum::IntoEnumIterator;

use super::error::PartError;
use super::facts::{PartFact, register_fingerprint};
use super::file::{PartFile, PartHead, PartKind};

/// Complete parts of one run, in the order of their shards.
#[derive(Debug)]
pub struct PartSet {
    parts: Vec<PartFile>,
    /// The shards that are missing or unfinished; empty unless that is allowed.
    missing: Vec<u16>,
}

impl PartSet {
    /// Reads the parts in these folders, in any order.
    ///
    /// # Errors
    /// A folder has no usable part, parts belong to different runs, or a shard is there twice. A missing or unfinished
    /// part is an error unless `allows_missing`. There must be at least one finished part.
    pub fn read(dirs: &[PathBuf], allows_missing: bool) -> Result<Self, PartError> {
        let mut parts: Vec<PartFile> = Vec::new();
        let mut unfinished = None;
        for dir in dirs {
            match PartFile::read(dir) {
                Ok(part) => parts.push(part),
                Err(error @ PartError::Unfinished { .. }) if allows_missing => {
                    unfinished = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        let Some(first) = parts.first() else {
            return Err(unfinished.unwrap_or_else(|| PartError::NotAPart {
                dir: PathBuf::new(),
                reason: "no folder was named".to_owned(),
            }));
        };
        for other in &parts[1..] {
            compare(first, other)?;
        }
        let count = first.head.of;
        if first.head.value(PartFact::Register) != register_fingerprint() {
            return Err(PartError::OtherRegister { dir: first.dir.clone() });
        }
        parts.sort_by(|a, b| (a.head.shard, &a.dir).cmp(&(b.head.shard, &b.dir)));
        for pair in parts.windows(2) {
            if let [first, second] = pair
                && first.head.shard == second.head.shard
            {
                return Err(PartError::Doubled {
                    number: first.head.shard,
                    first: first.dir.clone(),
                    second: second.dir.clone(),
                });
            }
        }
        let is_there = |number: &u16| parts.iter().any(|part| part.head.shard == *number);
        let missing: Vec<u16> = (1..=count).filter(|number| !is_there(number)).collect();
        if !missing.is_empty() && !allows_missing {
            return Err(PartError::Missing { numbers: missing, count });
        }
        Ok(Self { parts, missing })
    }

    /// The command that wrote them.
    pub fn kind(&self) -> PartKind {
        self.head().kind
    }

    /// The number of shards.
    pub fn count(&self) -> u16 {
        self.head().of
    }

    /// The missing shards.
    pub fn missing(&self) -> &[u16] {
        &self.missing
    }

    /// The parts, by shard.
    pub fn parts(&self) -> &[PartFile] {
        &self.parts
    }

    /// The whole plan, in order.
    pub fn plan(&self) -> Vec<String> {
        self.head().plan.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The items of the missing shards, in order.
    pub fn missing_names(&self) -> Vec<&str> {
        let missing = self.head().plan.iter().filter(|(_, shard)| self.missing.contains(shard));
        missing.map(|(name, _)| name.as_str()).collect()
    }

    /// The head of the first part. A set has at least one part.
    fn head(&self) -> &PartHead {
        &self.parts[0].head
    }
}

/// Checks that two parts belong to the same run. The error has the first fact that differs.
fn compare(first: &PartFile, other: &PartFile) -> Result<(), PartError> {
    let differs = |fact: &PartFact| {
        let is_other_plan = *fact == PartFact::Plan && first.head.plan != other.head.plan;
        is_other_plan || first.head.value(*fact) != other.head.value(*fact)
    };
    PartFact::iter().find(differs).map_or(Ok(()), |fact| {
        Err(PartError::Foreign {
            first: first.dir.clone(),
            other: other.dir.clone(),
            fact,
            values: (first.head.value(fact), other.head.value(fact)),
        })
    })
}
