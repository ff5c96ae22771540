//! Escapes text of a server for the place where it is shown. All such functions are in this file.

/// Whether `c` is a control character, reorders or hides text, or is forbidden in XML. Such characters could
/// steer a terminal or deceive a reader.
const fn is_hostile(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Writes every hostile character as `\u{…}`. Line feeds and tabs stay. Idempotent.
pub fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        // The line end of HTTP is harmless.
        if c == '\r' && characters.peek() == Some(&'\n') {
            continue;
        }
        if is_hostile(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// As [`block`], on one line: line feeds and tabs become `\n` and `\t`.
pub fn line(text: &str) -> String {
    block(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Escapes hostile characters of a JSON text as `\u` with four digits. JSON has such characters in strings only,
/// so the value stays the same.
pub fn json(serialised: &str) -> String {
    let mut out = String::with_capacity(serialised.len());
    for c in serialised.chars() {
        // These line feeds come from the serialiser. It has escaped those of values.
        if is_hostile(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// One line of Markdown without markup, also inside a table.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // GitHub turns `@name` into a mention.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A fenced block of Markdown. Its fence is longer than every run of backticks in `text`.
pub fn markdown_block(text: &str) -> String {
    let text = block(text);
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// The first `max` characters, with a note of what was cut. A text is whole if the note would be as long as that.
pub fn cut(text: &str, max: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    let rest = text[at..].chars().count();
    let note = format!("… ({rest} more characters)");
    if note.chars().count() >= rest { text.to_owned() } else { text[..at].to_owned() + &note }
}

#[cfg(test)]
mod tests {
    use super::{block, cut, json, line, markdown, markdown_block};

    #[test]
    fn hostile_characters_are_escaped() {
        for (text, expected) in [
            ("plain, ümlaut, 漢字, 🎉", "plain, ümlaut, 漢字, 🎉"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("a\u{202e}b\u{2066}c", "a\\u{202e}b\\u{2066}c"),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("a\0b\u{7f}", "a\\u{0}b\\u{7f}"),
            ("a\r\nb\rc\td", "a\nb\\u{d}c\td"),
        ] {
            assert_eq!(block(text), expected);
            assert_eq!(block(expected), expected, "idempotent");
        }
        assert_eq!(line("a\r\nb\tc"), "a\\nb\\tc");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"a": "\u{202e}\u{9b}\u{7f}\u{e0041}x\n"});
        let shown = json(&value.to_string());
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("still JSON"), value);
    }

    #[test]
    fn markdown_has_no_markup() {
        assert_eq!(
            markdown("<script>`|*_[x](y)@me\n# &"),
            "&lt;script&gt;\\`\\|\\*\\_\\[x\\](y)&#64;me\\\\n\\# &amp;"
        );
        assert_eq!(markdown_block("a```b"), "````text\na```b\n````");
        assert_eq!(markdown_block("a\n"), "```text\na\n```");
    }

    #[test]
    fn cut_characters_are_counted() {
        assert_eq!(cut("äbc", 3), "äbc");
        let rest = "d".repeat(22);
        assert_eq!(cut(&format!("äbc{rest}"), 3), format!("äbc{rest}"));
        assert_eq!(cut(&format!("äbc{rest}d"), 3), "äbc… (23 more characters)");
    }
}
