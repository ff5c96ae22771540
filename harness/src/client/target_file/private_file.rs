//! Files with secrets. Only their owner may read them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Larger files are refused.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The text of a file that only its owner may read.
///
/// # Errors
/// A clause that begins with the path: the file cannot be read, others can read it, or it is too large.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| format!("`{shown}` cannot be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(format!(
                "`{shown}` has mode {mode:04o}, so others can read it; run `chmod 600 {shown}`"
            ));
        }
    }
    let mut text = String::new();
    let length = file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if length as u64 > FILE_BYTES_MAX {
        return Err(format!("`{shown}` is larger than {FILE_BYTES_MAX} bytes"));
    }
    Ok(text)
}
