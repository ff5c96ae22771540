//! The extension of a file name, and its media type.

/// The extension in lower case.
pub(crate) fn extension(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_lowercase())
}

/// The media type for downloads of a file with this name.
pub(crate) fn media_type(name: &str) -> &'static str {
    match extension(name).as_deref() {
        Some("pdf") => "application/pdf",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("doc") => "application/msword",
        Some("rtf") => "application/rtf",
        Some("odt") => "application/vnd.oasis.opendocument.text",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether a file with this name can be merged into a PDF (§8).
pub(crate) fn is_mergeable(name: &str) -> bool {
    matches!(extension(name).as_deref(), Some("pdf" | "docx"))
}

/// The extension of files with this media type; `None` for a type that is not in [`media_type`].
pub(crate) fn extension_of(media_type: &str) -> Option<&'static str> {
    let essence = media_type.split(';').next().unwrap_or(media_type).trim().to_ascii_lowercase();
    ["pdf", "docx", "doc", "rtf", "odt", "txt"].into_iter().find(|extension| {
        self::media_type(&format!("name.{extension}")).split(';').next() == Some(essence.as_str())
    })
}
