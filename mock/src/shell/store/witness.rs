//! The number of the newest commit, beside the database: written after the commit and before its
//! changes are acknowledged.
//!
//! A database whose newest commit is damaged opens as it was before that one; only somebody else can
//! tell that it had more.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use parking_lot::Mutex;

/// A number and, to recognise it, its complement.
const BYTES: usize = 16;

/// The file, open for writing.
#[derive(Debug)]
pub(super) struct Witness(Mutex<File>);

impl Witness {
    /// Writes `commits` from now on.
    pub(super) fn open(path: &Path, commits: u64) -> io::Result<Self> {
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        let witness = Self(Mutex::new(file));
        witness.saw(commits)?;
        Ok(witness)
    }

    /// There are so many commits. The system has it when this returns; only the loss of power may
    /// undo it, which is never mistaken for damage.
    pub(super) fn saw(&self, commits: u64) -> io::Result<()> {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&commits.to_be_bytes());
        bytes[8..].copy_from_slice(&(!commits).to_be_bytes());
        let mut file = self.0.lock();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&bytes)
    }
}

/// Commits that were seen.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn seen(path: &Path) -> Result<u64, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_be_bytes);
    match bytes.split_at_checked(BYTES / 2).map(|(one, two)| (number(one), number(two))) {
        Some((Ok(commits), Ok(complement))) if commits == !complement => Ok(commits),
        _ => Err("it holds no number of commits".to_owned()),
    }
}
