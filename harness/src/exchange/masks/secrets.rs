//! The secrets of a run in every form that they could have in a report. They are masked when a report
//! is built, and finished reports are scanned for them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Masks, Needles};

/// Shorter forms are masked in texts of a server, but reports are not scanned for them: they could
/// occur in our own words by chance.
const SCANNED_BYTES_MIN: usize = 8;

/// All forms of all secrets.
pub struct Secrets {
    forms: Needles,
    /// The label of each form, by the number of the form.
    labels: Vec<String>,
}

impl Secrets {
    /// The secrets that are known at this time.
    pub fn of(masks: &Masks) -> Self {
        let secrets = masks.secrets();
        let labels = secrets.iter().map(|secret| masks.mask(secret)).collect();
        let forms = secrets.iter().enumerate();
        let forms = forms.flat_map(|(number, secret)| {
            forms_of(secret).into_iter().map(move |form| (form, number))
        });
        Self { forms: Needles::of(forms), labels }
    }

    /// `text` with every form of every secret replaced by its label.
    pub fn mask(&self, text: &str) -> String {
        self.forms.replaced(text, |number| &self.labels[number])
    }

    /// Whether `artefact` contains a secret in any form.
    pub fn is_in(&self, artefact: &str) -> bool {
        self.forms
            .matches(artefact.as_bytes())
            .any(|form| form.end - form.start >= SCANNED_BYTES_MIN)
    }
}

/// The forms of a secret: unchanged, percent-encoded (in both cases), as a form field, JSON-escaped,
/// HTML-escaped, and inside of a base64 text at each of the three alignments.
pub(crate) fn forms_of(secret: &str) -> Vec<String> {
    let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    let json = serde_json::Value::from(secret).to_string();
    let html = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    let mut forms = vec![
        secret.to_owned(),
        lower_hex(&percent),
        percent,
        form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
        json.trim_matches('"').to_owned(),
        html.replace('\'', "&#x27;"),
        html.replace('\'', "&#39;"),
    ];
    for offset in 0..3 {
        forms.extend(base64_inside(secret, offset));
    }
    forms.sort();
    forms.dedup();
    forms
}

fn lower_hex(percent: &str) -> String {
    let mut out = String::with_capacity(percent.len());
    let mut hex_left = 0;
    for c in percent.chars() {
        out.push(if hex_left > 0 { c.to_ascii_lowercase() } else { c });
        hex_left = if c == '%' { 2 } else { usize::saturating_sub(hex_left, 1) };
    }
    out
}

/// The base64 characters that depend on `secret` alone if it begins `offset` bytes after a multiple of
/// three. Empty if they are so few that they could occur by chance.
fn base64_inside(secret: &str, offset: usize) -> Vec<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, offset).chain(secret.bytes()).collect();
    // The first and the last characters also depend on the bytes before and after.
    let first = [0, 2, 3][offset];
    let shared_last = usize::from(!bytes.len().is_multiple_of(3));
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .into_iter()
        .filter_map(|text| text.get(first..text.len() - shared_last).map(str::to_owned))
        .filter(|text| text.len() >= SCANNED_BYTES_MIN)
        .collect()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::Secrets;
    use crate::exchange::masks::Masks;

    const SECRET: &str = "s3cr3t/+\"<&>' ü~x";

    fn secrets() -> Secrets {
        let masks = Masks::default();
        masks.hide(SECRET, "main.client_secret");
        Secrets::of(&masks)
    }

    #[track_caller]
    fn check(text: &str, is_found: bool) {
        assert_eq!(secrets().is_in(text), is_found, "{text}");
        let masked = secrets().mask(text);
        assert!(!secrets().is_in(&masked), "{masked}");
        assert_eq!(masked.contains("[main.client_secret]"), is_found, "{masked}");
    }

    #[test]
    fn every_form_is_found_and_masked() {
        check("nothing here", false);
        check(&format!("x{SECRET}y"), true);
        check("s3cr3t%2F%2B%22%3C%26%3E%27%20%C3%BC%7Ex", true);
        check("s3cr3t%2f%2b%22%3c%26%3e%27%20%c3%bc%7ex", true);
        check("client_secret=s3cr3t%2F%2B%22%3C%26%3E%27+%C3%BC%7Ex", true);
        check(&serde_json::json!({ "a": SECRET }).to_string(), true);
        check("s3cr3t/+&quot;&lt;&amp;&gt;&#x27; ü~x", true);
    }

    #[test]
    fn base64_is_found_at_every_alignment() {
        for before in ["", "a", "ab", "abc", "client:"] {
            check(&STANDARD.encode(format!("{before}{SECRET}")), true);
            check(&STANDARD.encode(format!("{before}{SECRET}:after")), true);
        }
        check(&STANDARD.encode("client:another secret"), false);
    }

    #[test]
    fn a_short_secret_is_masked_but_not_looked_for() {
        let masks = Masks::default();
        masks.hide("seven77", "short");
        masks.hide("eight888", "long");
        let secrets = Secrets::of(&masks);
        assert_eq!(secrets.mask("seven77 eight888"), "[short] [long]");
        assert!(!secrets.is_in("seven77"));
        assert!(secrets.is_in("eight888"));
    }
}
