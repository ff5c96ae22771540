//! `Content-Disposition: form-data` of a part (RFC 7578 section 4.2, RFC 6266, RFC 8187).

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// What a part's disposition says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Disposition {
    /// `name`; never absent.
    pub(super) name: String,
    /// The last path segment of `filename`; its presence makes the part a file.
    pub(super) file_name: Option<String>,
}

impl Disposition {
    /// Reads a header value. Clients write names in three ways: quoted with backslashes, quoted
    /// with `%22` as browsers do, and extended (`filename*=UTF-8''…`), which RFC 7578 discourages
    /// but which is sent all the same; the extended form wins.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn parse(value: &[u8]) -> Result<Self, &'static str> {
        let text = std::str::from_utf8(value).map_err(|_| "a name in a part is no UTF-8")?;
        if let Some(name) = plain_name(text) {
            return Ok(Self { name: name.to_owned(), file_name: None });
        }
        let (kind, mut rest) = text.split_once(';').unwrap_or((text, ""));
        if !kind.trim().eq_ignore_ascii_case("form-data") {
            return Err("the disposition of a part is not `form-data`");
        }
        let (mut name, mut file_name) = (Named::default(), Named::default());
        while !rest.trim().is_empty() {
            let (key, value, after) = parameter(rest)?;
            rest = after;
            let is = |known: &str| key.eq_ignore_ascii_case(known);
            // Unknown parameters are ignored (RFC 2183 section 2.8).
            if is("name") {
                set(&mut name.plain, unescaped(value))?;
            } else if is("name*") {
                set(&mut name.extended, extended(&value)?)?;
            } else if is("filename") {
                set(&mut file_name.plain, unescaped(value))?;
            } else if is("filename*") {
                set(&mut file_name.extended, extended(&value)?)?;
            }
        }
        let name = name.value().ok_or("a part has no `name`")?;
        Ok(Self { name, file_name: file_name.value().map(|path| last_segment(&path).to_owned()) })
    }
}

/// The name of a field as most clients write it, in which nothing is escaped.
fn plain_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix("form-data; name=\"")?.strip_suffix('"')?;
    name.bytes().all(|byte| !matches!(byte, b'"' | b'\\' | b'%')).then_some(name)
}

/// The two forms of one parameter.
#[derive(Default)]
struct Named {
    plain: Option<String>,
    extended: Option<String>,
}

impl Named {
    fn value(self) -> Option<String> {
        self.extended.or(self.plain)
    }
}

fn set(slot: &mut Option<String>, value: String) -> Result<(), &'static str> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err("the disposition of a part names a parameter twice"),
    }
}

/// The first parameter of `text`: key, value without quotes, what follows its `;`.
fn parameter(text: &str) -> Result<(&str, Cow<'_, str>, &str), &'static str> {
    const BROKEN: &str = "the disposition of a part can't be read";
    let (key, rest) = text.split_once('=').ok_or(BROKEN)?;
    let Some(quoted) = rest.trim_start().strip_prefix('"') else {
        let (value, after) = rest.split_once(';').unwrap_or((rest, ""));
        return Ok((key.trim(), Cow::Borrowed(value.trim()), after));
    };
    let (value, after) = unquoted(quoted).ok_or(BROKEN)?;
    let after = after.trim_start();
    match after.strip_prefix(';') {
        Some(after) => Ok((key.trim(), value, after)),
        None if after.is_empty() => Ok((key.trim(), value, "")),
        None => Err(BROKEN),
    }
}

/// Reads to the closing quote. A backslash escapes only a quote or a backslash: Windows paths are
/// sent unescaped.
fn unquoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let special = text.find(['"', '\\'])?;
    if text[special..].starts_with('"') {
        return Some((Cow::Borrowed(&text[..special]), &text[special + 1..]));
    }
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((Cow::Owned(value), &text[at + 1..])),
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    None
}

/// Undoes what browsers encode in quoted names: quote, CR and LF, nothing else.
fn unescaped(value: Cow<'_, str>) -> String {
    if !value.contains('%') {
        return value.into_owned();
    }
    value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

/// `charset'language'percent-encoded` (RFC 8187).
fn extended(value: &str) -> Result<String, &'static str> {
    const BROKEN: &str = "an extended name in a part is not `UTF-8''…`";
    let mut pieces = value.splitn(3, '\'');
    let (Some(charset), Some(_), Some(encoded)) = (pieces.next(), pieces.next(), pieces.next())
    else {
        return Err(BROKEN);
    };
    if !charset.eq_ignore_ascii_case("utf-8") {
        return Err(BROKEN);
    }
    percent_decode(encoded.as_bytes()).decode_utf8().map(Cow::into_owned).map_err(|_| BROKEN)
}

fn last_segment(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::Disposition;

    #[track_caller]
    fn check(value: &str, expected: Result<(&str, Option<&str>), &str>) {
        let found = Disposition::parse(value.as_bytes());
        let found = found.as_ref().map(|d| (d.name.as_str(), d.file_name.as_deref()));
        assert_eq!(found.map_err(|text| *text), expected, "{value}");
    }

    #[test]
    fn names_are_read_as_clients_write_them() {
        check("form-data; name=a", Ok(("a", None)));
        check(r#"form-data; name="a;b""#, Ok(("a;b", None)));
        check(r#"form-data; name="a%22b""#, Ok(("a\"b", None)));
        check(r#"form-data; name="a\"b""#, Ok(("a\"b", None)));
        check(r#"form-data; name="""#, Ok(("", None)));
        check("Form-Data ; NAME = \"support_documents[]\"", Ok(("support_documents[]", None)));
        check(r#"form-data; name="f"; filename="a.pdf""#, Ok(("f", Some("a.pdf"))));
        check(r#"form-data; name="f"; filename="a; \"b\".pdf""#, Ok(("f", Some("a; \"b\".pdf"))));
        check(r#"form-data; name="f"; filename="a%22b%25.pdf""#, Ok(("f", Some("a\"b%25.pdf"))));
        check(
            r#"form-data; name="f"; filename="Vertrag für.pdf""#,
            Ok(("f", Some("Vertrag für.pdf"))),
        );
        check(
            "form-data; name=f; filename=x.pdf; filename*=utf-8'de'f%C3%BCr.pdf",
            Ok(("f", Some("für.pdf"))),
        );
        check("form-data; name*=UTF-8''a%5B%5D", Ok(("a[]", None)));
        check(r#"form-data; name="f"; filename="""#, Ok(("f", Some(""))));
        check(r#"form-data; name="f"; size=3"#, Ok(("f", None)));
    }

    #[test]
    fn paths_are_stripped_to_their_last_segment() {
        check(r#"form-data; name="f"; filename="../../etc/passwd""#, Ok(("f", Some("passwd"))));
        check(r#"form-data; name="f"; filename="C:\docs\nda.docx""#, Ok(("f", Some("nda.docx"))));
        check("form-data; name=f; filename*=UTF-8''..%2Fx.pdf", Ok(("f", Some("x.pdf"))));
    }

    #[test]
    fn what_names_nothing_is_refused() {
        const BROKEN: &str = "the disposition of a part can't be read";
        check("form-data", Err("a part has no `name`"));
        check("form-data; filename=a", Err("a part has no `name`"));
        check("attachment; name=a", Err("the disposition of a part is not `form-data`"));
        check("form-data; name", Err(BROKEN));
        check(r#"form-data; name="a"#, Err(BROKEN));
        check(r#"form-data; name="a"b"#, Err(BROKEN));
        check(
            "form-data; name=a; name=b",
            Err("the disposition of a part names a parameter twice"),
        );
        check("form-data; name*=latin9''a", Err("an extended name in a part is not `UTF-8''…`"));
    }
}
