//! The HTML page: one self-contained file that works from a disk and loads nothing.
//!
//! minijinja escapes every value. A content security policy allows only our script, by its digest. So a value that is
//! not escaped by mistake can't run a script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::{AutoEscape, Environment, HtmlEscape, Value, context};
use sha2::{Digest, Sha256};

use super::Report;
use super::values::{values, verdict_text};

const PAGE: &str = include_str!("html/page.html");
/// The colours of the console.
const THEME: &str = include_str!("../../../mock/console/theme.css");
/// The findings of conduct, for the pages of `moot exec` and `moot drill`.
const CLIENT_FINDINGS: &str = include_str!("html/client_findings.html");
const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Renders a page from its template. All values are escaped. `style` is the style of our pages.
///
/// # Errors
/// The error of the template engine, as text.
pub(crate) fn page(template: &str, values: Value) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("verdict", verdict_text);
    environment.add_filter("prose", prose);
    let style = context! { style => Value::from_safe_string(format!("{THEME}{STYLE}")) };
    let page = environment
        .add_template("client_findings.html", CLIENT_FINDINGS)
        .and_then(|()| environment.template_from_named_str("page", template))
        .and_then(|page| page.render(context! { ..values, ..style }));
    page.map_err(|error| format!("{error:#}"))
}

/// A sentence, escaped. A part in backticks is code.
fn prose(text: &str) -> Value {
    let text = HtmlEscape(text).to_string();
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return Value::from_safe_string(text);
    }
    let shown = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    Value::from_safe_string(shown.collect())
}

/// The whole page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let script = context! {
        script => Value::from_safe_string(SCRIPT.to_owned()),
        script_digest => STANDARD.encode(Sha256::digest(SCRIPT)),
    };
    // The engine escapes slashes too. Names of steps have many, so the page would be much larger.
    Ok(page(PAGE, context! { ..values(report), ..script })?.replace("&#x2f;", "/"))
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn a_part_in_backticks_is_code_and_everything_is_escaped() {
        for (text, expected) in [
            ("set `base_url` first", "set <code>base_url</code> first"),
            ("`a` and `<b>`", "<code>a</code> and <code>&lt;b&gt;</code>"),
            ("one ` alone <i>", "one ` alone &lt;i&gt;"),
            ("", ""),
        ] {
            assert_eq!(prose(text).to_string(), expected, "{text}");
        }
    }
}
