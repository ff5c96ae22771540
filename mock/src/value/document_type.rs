//! The extension of a file name, and its media type.

use moot_fixtures::media_type::essence;

/// Extensions with their media types.
const MEDIA_TYPES: [(&str, &str); 6] = [
    ("pdf", "application/pdf"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("doc", "application/msword"),
    ("rtf", "application/rtf"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("txt", "text/plain; charset=utf-8"),
];

/// The extension in lower case.
pub(crate) fn extension(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_lowercase())
}

/// The media type for downloads of a file with this name.
pub(crate) fn media_type(name: &str) -> &'static str {
    let extension = extension(name);
    let known = MEDIA_TYPES.into_iter().find(|(known, _)| extension.as_deref() == Some(known));
    known.map_or("application/octet-stream", |(_, media_type)| media_type)
}

/// Whether a file with this name can be merged into a PDF (§8).
pub(crate) fn is_mergeable(name: &str) -> bool {
    matches!(extension(name).as_deref(), Some("pdf" | "docx"))
}

/// The extension of files with this media type; `None` for a type that is not in [`MEDIA_TYPES`].
pub(crate) fn extension_of(media_type: &str) -> Option<&'static str> {
    let wanted = essence(media_type);
    let mut types = MEDIA_TYPES.into_iter();
    let known = types.find(|(_, known)| essence(known).eq_ignore_ascii_case(wanted));
    known.map(|(extension, _)| extension)
}
