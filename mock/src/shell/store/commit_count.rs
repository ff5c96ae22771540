//! The number of commits, in a file beside the database. It is written after the commit and before its
//! changes are acknowledged.
//!
//! If the newest commit of a database is damaged, redb opens the state before that commit. This file then shows
//! that a commit is missing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// The number and its bitwise complement, which proves that the number was written completely.
const BYTES: usize = 16;

/// Writes the number, without syncing it to the disk. After a loss of power the file may hold an older number. That
/// does no harm: only a number above that of the database means damage.
pub(super) fn write(path: &Path, commits: u64) -> io::Result<()> {
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&commits.to_be_bytes());
    bytes[8..].copy_from_slice(&(!commits).to_be_bytes());
    // The file is overwritten in place, so that it always has a number.
    File::options().write(true).create(true).truncate(false).open(path)?.write_all(&bytes)
}

/// Reads the number.
pub(super) fn read(path: &Path) -> Result<u64, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let number = |bytes: &[u8]| bytes.try_into().map(u64::from_be_bytes);
    match bytes.split_at_checked(BYTES / 2).map(|(one, two)| (number(one), number(two))) {
        Some((Ok(commits), Ok(complement))) if commits == !complement => Ok(commits),
        _ => Err("it has no valid number of commits".to_owned()),
    }
}
