//! The command line that sends a request again: for `sh`, secrets as shell variables.

use std::fmt::Write as _;

use super::prepared::{PartBytes, PreparedBody, PreparedPart};

/// A body is put into the line up to so many bytes; a longer one is read from `body.bin`.
const INLINE_BYTES_MAX: usize = 8 * 1024;

/// Headers that curl sets itself, or that say nothing of the request.
const OWN_HEADERS: [&str; 4] = ["user-agent", "content-length", "host", "content-type"];

/// The line. `secrets` are pairs of a secret and the name of its variable, longest first.
pub fn line(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    body: &PreparedBody,
    secrets: &[(String, String)],
) -> String {
    let quote = |text: &str| quoted(text, secrets);
    let mut before = String::new();
    let mut line = String::from("curl -sS -i");
    match (method, body) {
        ("GET", PreparedBody::Empty) => {}
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
        PreparedBody::Empty => {}
        PreparedBody::Bytes { content_type, bytes }
        | PreparedBody::Raw { content_type, bytes, .. } => {
            // Without one curl would say that the body is a form.
            let media_type = content_type
                .as_deref()
                .map_or("content-type:".to_owned(), |given| format!("content-type: {given}"));
            add(&mut line, "-H", &quote(&media_type));
            add_bytes(&mut before, &mut line, content_type.as_deref(), bytes, secrets);
        }
        PreparedBody::Multipart(parts) => {
            for part in parts {
                add_part(&mut before, &mut line, part, secrets);
            }
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
    secrets: &[(String, String)],
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
        Some(text) if !secrets.iter().any(|(secret, _)| text.contains(secret.as_str())) => {
            before.push_str(&format!("printf '{}' | ", octal(text)));
            line.push_str(" --data-binary @-");
        }
        Some(_) | None => line.push_str(" --data-binary @body.bin"),
    }
}

/// The pairs of a form, where curl would encode them to the same bytes.
fn form_pairs(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let pairs: Vec<(String, String)> = form_urlencoded::parse(bytes).into_owned().collect();
    let again = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
    let plain_names = pairs.iter().all(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    (plain_names && again.as_bytes() == bytes).then_some(pairs)
}

fn add_part(
    before: &mut String,
    line: &mut String,
    part: &PreparedPart,
    secrets: &[(String, String)],
) {
    let kind = part.content_type.as_ref().map(|kind| format!(";type={kind}")).unwrap_or_default();
    match (&part.content, &part.file_name) {
        (PartBytes::Bytes(bytes), None) => {
            let value = String::from_utf8_lossy(bytes);
            add(line, "--form-string", &quoted(&format!("{}={value}", part.name), secrets));
        }
        (PartBytes::Bytes(_), Some(file_name)) => {
            let file_name = form_parameter(file_name);
            add(line, "-F", &quoted(&format!("{}=@{file_name}{kind}", part.name), secrets));
        }
        (PartBytes::Zeros(length), file_name) => {
            let file_name = form_parameter(file_name.as_deref().unwrap_or("zeros.bin"));
            if before.is_empty() {
                before.push_str(&format!("head -c {length} /dev/zero | "));
                let form = format!("{}=@-;filename={file_name}{kind}", part.name);
                add(line, "-F", &quoted(&form, secrets));
            } else {
                // Standard input is taken; the file has to be made.
                add(line, "-F", &quoted(&format!("{}=@{file_name}{kind}", part.name), secrets));
            }
        }
    }
}

/// A file name as `-F` reads it.
fn form_parameter(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// One word for `sh`: single quotes, but each secret as `"$NAME"`.
fn quoted(text: &str, secrets: &[(String, String)]) -> String {
    let mut word = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let next = secrets
            .iter()
            .filter_map(|(secret, name)| rest.find(secret.as_str()).map(|at| (at, secret, name)))
            .min_by_key(|(at, secret, _)| (*at, std::cmp::Reverse(secret.len())));
        let Some((at, secret, name)) = next else {
            word.push_str(&single(rest));
            break;
        };
        if at > 0 {
            word.push_str(&single(&rest[..at]));
        }
        word.push_str(&format!("\"${}\"", variable(name)));
        rest = &rest[at + secret.len()..];
    }
    if word.is_empty() { "''".to_owned() } else { word }
}

fn single(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:@%+,=".contains(&byte);
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The label of a mask as the name of a variable.
fn variable(label: &str) -> String {
    label
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect()
}

/// A text for `printf '…'`: what is no plain character as an octal escape.
fn octal(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'%' => escaped.push_str("%%"),
            b'\\' => escaped.push_str(r"\\"),
            b' '..=b'~' if byte != b'\'' => escaped.push(char::from(byte)),
            _ => write!(escaped, "\\{byte:03o}").expect("a String takes every text"),
        }
    }
    escaped
}
