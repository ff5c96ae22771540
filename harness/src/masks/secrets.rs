//! The secrets of a run in every form in which they could get into a report: masked while one is
//! built, looked for once it is finished.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Masks, Needles};

/// Shorter forms are masked in what a server sent, but not looked for in finished reports: a word of
/// our own could be one by chance.
const SCANNED_BYTES_MIN: usize = 8;

/// All forms of all secrets.
pub struct Secrets {
    forms: Needles,
    /// By the number of a form.
    labels: Vec<String>,
}

impl Secrets {
    /// The secrets that are known now.
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

    /// Whether any form of any secret stands in `artefact`.
    pub fn is_in(&self, artefact: &str) -> bool {
        self.forms
            .matches(artefact.as_bytes())
            .any(|form| form.end - form.start >= SCANNED_BYTES_MIN)
    }
}

/// As it is, percent-encoded (both cases), as a form field, JSON-escaped, HTML-escaped, and as part of
/// a base64 text at each of its three alignments.
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

/// The characters that `secret` alone decides in a base64 text in which it begins at a byte that is
/// `offset` beyond a multiple of three. Too short ones would be found by chance.
fn base64_inside(secret: &str, offset: usize) -> Vec<String> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, offset).chain(secret.bytes()).collect();
    // The characters that share bits with the bytes before, and with the bytes after.
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
    use crate::masks::Masks;

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
