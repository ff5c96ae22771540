//! The parameters of a `Content-Disposition`, as clients write them (RFC 7578, section 4.2).

/// The value of a parameter. `name` is in lower case. `None` if the parameter is absent or malformed. `filename*` is
/// another parameter than `filename`. If there are several, the first counts.
pub(super) fn parameter(disposition: &str, wanted: &str) -> Option<String> {
    let (_, mut rest) = disposition.split_once(';')?;
    loop {
        let end = rest.find(['=', ';'])?;
        let (name, after) = rest.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            // A parameter without a value.
            rest = &after[1..];
            continue;
        };
        let (value, next) = value_of(value.trim_start())?;
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = next?;
    }
}

/// A value, and the text after the next `;`, if any. `None` if a quote is not closed.
fn value_of(text: &str) -> Option<(String, Option<&str>)> {
    let next = |rest: &'_ str| rest.find(';').map(|at| at + 1);
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, _) = text.split_once(';').unwrap_or((text, ""));
        return Some((value.trim_end().to_owned(), next(text).map(|at| &text[at..])));
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => {
                let rest = &quoted[at + 1..];
                return Some((value, next(rest).map(|at| &rest[at..])));
            }
            // Other backslashes belong to a Windows path.
            '\\' if letters.next_if(|(_, next)| *next == '"').is_some() => value.push('"'),
            _ => value.push(letter),
        }
    }
    None
}
