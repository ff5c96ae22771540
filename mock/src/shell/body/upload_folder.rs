//! A folder for the temporary files of one mock. A locked file in it shows that its process is alive. The next start
//! removes the folders of killed processes.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Once;

use tempfile::TempDir;

/// The beginning of the names of such folders.
const PREFIX: &str = "moot-uploads-";
/// The file in the folder that its process locks.
const LOCK: &str = "lock";
/// Tries to create a folder. Another start may remove it before it is locked.
const TRIES_MAX: u32 = 8;

/// A folder that is removed when it is dropped.
#[derive(Debug)]
pub(super) struct UploadFolder {
    folder: TempDir,
    _lock: File,
}

impl UploadFolder {
    /// Makes a folder in `parent`. The first one of a process removes those of killed processes.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        let mut tries = 1;
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            let lock = File::create(folder.path().join(LOCK));
            match lock {
                Ok(lock) if lock.try_lock().is_ok() => return Ok(Self { folder, _lock: lock }),
                Ok(_) | Err(_) if tries < TRIES_MAX => tries += 1,
                Ok(_) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of killed processes from the system's folder for temporary files. Runs once in a process.
pub(crate) fn remove_abandoned() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| remove_abandoned_in(&std::env::temp_dir()));
}

/// Removes the folders in `parent` whose lock is free. A folder without a lock file stays, and so does one that cannot
/// be removed: it may belong to another user.
fn remove_abandoned_in(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let lock = is_ours.then(|| File::open(entry.path().join(LOCK)));
        if let Some(Ok(lock)) = lock
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{LOCK, PREFIX, UploadFolder, remove_abandoned_in};

    #[test]
    fn only_the_folder_of_a_process_that_is_gone_is_removed() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let alive = UploadFolder::make(parent.path()).expect("a folder");
        let of = |name: &str, files: &[&str]| {
            let path = parent.path().join(name);
            fs::create_dir(&path).expect("a folder");
            for file in files {
                fs::write(path.join(file), "1").expect("a file");
            }
            path
        };
        let killed = of(&format!("{PREFIX}killed"), &[LOCK, "upload"]);
        let unlocked = of(&format!("{PREFIX}begun"), &[]);
        let other = of("moot-other", &[LOCK, "upload"]);
        remove_abandoned_in(parent.path());
        let left = [alive.path(), &killed, &unlocked, &other].map(|path| path.exists());
        assert_eq!(left, [true, false, true, true]);
    }
}
