//! The curl command line that repeats a request, for `sh`. Secrets are shell variables.

use crate::client::request::{BodyPiece, ClientBody, FormPart};
use crate::exchange::masks::Masks;

/// A longer body is read from `body.bin`.
const INLINE_BYTES_MAX: usize = 8 * 1024;

/// A longer file must exist under its name.
const INLINE_FILE_BYTES_MAX: usize = 2 * 1024;

/// Headers that curl sets itself.
const OWN_HEADERS: [&str; 4] = ["user-agent", "content-length", "host", "content-type"];

/// Builds the line. The label of a secret is the name of its variable.
pub fn line(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: &ClientBody,
    secrets: &Masks,
) -> String {
    let quote = |text: &str| quoted(text, secrets);
    let mut before = String::new();
    let mut line = String::from("curl -sS -i");
    match (method, body) {
        ("GET", ClientBody::Empty) => {}
        ("HEAD", _) => line.push_str(" --head"),
        _ => add(&mut line, "-X", &quote(method)),
    }
    line.push(' ');
    line.push_str(&quote(url));
    for (name, value) in headers {
        if !OWN_HEADERS.contains(&name.as_str()) {
            add(&mut line, "-H", &quote(&format!("{name}: {value}")));
        }
    }
    match body {
        ClientBody::Empty => {}
        ClientBody::Bytes { content_type, bytes, .. } => {
            // Without this header curl declares the body as a form.
            let media_type = content_type
                .as_deref()
                .map_or("content-type:".to_owned(), |given| format!("content-type: {given}"));
            add(&mut line, "-H", &quote(&media_type));
            add_bytes(&mut before, &mut line, content_type.as_deref(), bytes, secrets);
        }
        ClientBody::Multipart(parts) => {
            let piped = piped(parts, secrets);
            for (at, part) in parts.iter().enumerate() {
                if piped.as_ref().is_some_and(|(piped, _)| *piped == at) {
                    add_file(&mut line, part, "-", secrets);
                } else {
                    add_part(&mut line, part, secrets);
                }
            }
            before.extend(piped.map(|(_, command)| command + " | "));
        }
    }
    before + &line
}

fn add(line: &mut String, option: &str, word: &str) {
    line.push(' ');
    line.push_str(option);
    line.push(' ');
    line.push_str(word);
}

fn add_bytes(
    before: &mut String,
    line: &mut String,
    content_type: Option<&str>,
    bytes: &[u8],
    secrets: &Masks,
) {
    if content_type == Some("application/x-www-form-urlencoded")
        && let Some(pairs) = form_pairs(bytes)
    {
        for (name, value) in pairs {
            add(line, "--data-urlencode", &quoted(&format!("{name}={value}"), secrets));
        }
        return;
    }
    let text = std::str::from_utf8(bytes).ok().filter(|_| bytes.len() <= INLINE_BYTES_MAX);
    match text {
        Some(text) if !text.chars().any(|c| c.is_control() && c != '\n') => {
            add(line, "--data-raw", &quoted(text, secrets));
        }
        Some(text) if !has_secret(text, secrets) => {
            before.push_str(&format!("printf '{}' | ", octal(text.as_bytes())));
            line.push_str(" --data-binary @-");
        }
        Some(_) | None => line.push_str(" --data-binary @body.bin"),
    }
}

/// The pairs of a form. `None` if curl would not encode them to the same bytes.
fn form_pairs(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let pairs: Vec<(String, String)> = form_urlencoded::parse(bytes).into_owned().collect();
    let again = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
    let plain_names = pairs.iter().all(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    (plain_names && again.as_bytes() == bytes).then_some(pairs)
}

/// The part that is read from standard input, and the command that produces it. There can be only one. A part of zero
/// bytes is preferred, because it has no file.
fn piped(parts: &[FormPart], secrets: &Masks) -> Option<(usize, String)> {
    let zeros = parts.iter().enumerate().find_map(|(at, part)| match part.content {
        BodyPiece::Zeros(length) => Some((at, format!("head -c {length} /dev/zero"))),
        BodyPiece::Bytes(_) => None,
    });
    let mut files = parts.iter().enumerate().filter_map(|(at, part)| match &part.content {
        BodyPiece::Bytes(bytes) if part.file_name.is_some() => Some((at, bytes)),
        BodyPiece::Bytes(_) | BodyPiece::Zeros(_) => None,
    });
    zeros.or_else(|| {
        let fits = |bytes: &[u8]| {
            bytes.len() <= INLINE_FILE_BYTES_MAX
                && !has_secret(&String::from_utf8_lossy(bytes), secrets)
        };
        let (at, bytes) = files.find(|(_, bytes)| fits(bytes))?;
        Some((at, format!("printf '{}'", octal(bytes))))
    })
}

fn add_part(line: &mut String, part: &FormPart, secrets: &Masks) {
    match (&part.content, &part.file_name) {
        (BodyPiece::Bytes(bytes), None) => {
            let value = String::from_utf8_lossy(bytes);
            add(line, "--form-string", &quoted(&format!("{}={value}", part.name), secrets));
        }
        (BodyPiece::Bytes(_), Some(_)) | (BodyPiece::Zeros(_), _) => {
            add_file(line, part, &form_parameter(file_name(part)), secrets);
        }
    }
}

/// Adds a part that is read from `source`: a file, or `-` for standard input.
fn add_file(line: &mut String, part: &FormPart, source: &str, secrets: &Masks) {
    let kind = part.content_type.as_ref().map(|kind| format!(";type={kind}")).unwrap_or_default();
    let name = match source {
        "-" => format!(";filename={}", form_parameter(file_name(part))),
        _ => String::new(),
    };
    add(line, "-F", &quoted(&format!("{}=@{source}{name}{kind}", part.name), secrets));
}

fn file_name(part: &FormPart) -> &str {
    part.file_name.as_deref().unwrap_or("zeros.bin")
}

/// A file name as `-F` reads it.
fn form_parameter(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn has_secret(text: &str, secrets: &Masks) -> bool {
    secrets.mask(text) != text
}

/// One word for `sh`, in single quotes. Each secret is `"$NAME"`.
fn quoted(text: &str, secrets: &Masks) -> String {
    let secret = |label: &str| format!("\"${}\"", variable(label));
    let word = secrets.rewritten(text, shell_word, secret);
    if word.is_empty() { "''".to_owned() } else { word }
}

/// One word for `sh`.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:@%+,=".contains(&byte);
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The label of a secret as the name of a variable.
fn variable(label: &str) -> String {
    label
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect()
}

/// Bytes for `printf '…'`, with octal escapes.
fn octal(bytes: &[u8]) -> String {
    let mut escaped = String::new();
    for (at, byte) in bytes.iter().copied().enumerate() {
        match byte {
            b'%' => escaped.push_str("%%"),
            // `printf` would read it as an option.
            b'-' if at == 0 => escaped.push_str(r"\055"),
            b'\\' => escaped.push_str(r"\\"),
            b' '..=b'~' if byte != b'\'' => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("\\{byte:03o}")),
        }
    }
    escaped
}
