//! Reads the text of a YAML file that a user writes.

use std::path::Path;

use moot_fixtures::DataError;
use moot_fixtures::yaml::YamlSpan;

/// The largest size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Reads the text of a file. Messages call the file `what`: `target file`.
///
/// # Errors
/// The file cannot be read, or is too long.
pub(crate) fn text(path: &Path, what: &str) -> Result<String, DataError> {
    let refused = |message| DataError::new(&path.display().to_string(), message);
    let unreadable = |error: std::io::Error| refused(format!("the {what} cannot be read: {error}"));
    if std::fs::metadata(path).map_err(unreadable)?.len() > FILE_BYTES_MAX {
        return Err(refused(format!("the {what} is longer than {FILE_BYTES_MAX} bytes")));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    utf8(bytes).map_err(|place| refused(format!("the {what} is not UTF-8 text")).at(Some(place)))
}

/// The text of a file.
///
/// # Errors
/// The place of the first byte that is not UTF-8.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, YamlSpan> {
    String::from_utf8(bytes).map_err(|error| {
        let text = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let text = String::from_utf8_lossy(text);
        let line = text.rsplit('\n').next().unwrap_or_default();
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        YamlSpan {
            line: number(text.matches('\n').count()),
            column: number(line.chars().count()),
            length: 1,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::utf8;

    #[test]
    fn the_first_byte_that_is_no_text_has_a_place() {
        for (bytes, expected) in [
            (&b"a: b"[..], None),
            (b"a: \xff", Some((1, 4))),
            ("a: b\nü: \0".as_bytes(), None),
            (b"a: b\n\xc3\xbc: \xff\xfe", Some((2, 4))),
        ] {
            let place = utf8(bytes.to_vec()).err().map(|place| (place.line, place.column));
            assert_eq!(place, expected, "{bytes:?}");
        }
    }
}
