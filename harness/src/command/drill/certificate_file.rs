//! `moot drill verify`: computes the findings of a certificate again from its recordings.

use std::path::Path;

use crate::command::error::CommandError;
use crate::command::files::{certificate, read_json};
use crate::command::screen::Screen;
use crate::exchange::escape;

/// Exit 0 if the recordings confirm the certificate, else 1.
pub(super) fn verify(file: &Path, screen: &Screen) -> Result<u8, CommandError> {
    let certificate = certificate(file, read_json(file)?)?;
    if certificate.moot_version != env!("CARGO_PKG_VERSION") {
        let made_by = &certificate.moot_version;
        return Err(CommandError::usage(format!("the certificate was made by moot {made_by}"))
            .help("verify it with that version"));
    }
    let found = certificate.differences();
    if screen.is_json() {
        screen.json(&serde_json::json!({ "verified": found.is_empty(), "differences": found,
            "grade": certificate.grade }))?;
    } else if found.is_empty() {
        screen.print(&format!(
            "verified: {}, by the recordings. It is not proven that the client made them\n",
            certificate.grade.shown()
        ))?;
    } else {
        let lines: Vec<String> = found.iter().map(|it| escape::line(it)).collect();
        screen.print(&format!("not verified\n  {}\n", lines.join("\n  ")))?;
    }
    Ok(u8::from(!found.is_empty()))
}
