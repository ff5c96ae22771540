//! YAML as nearly all scenario files are written, read event by event in a quarter of the work.
//!
//! Never decides what is wrong, or what an unusual notation means: where it meets an alias, a tag, a
//! second document, a key twice, a number in a notation of its own, a limit, or no YAML at all, it
//! reads nothing, and [`Node::read`] leaves the file to the whole reader.

use std::borrow::Cow;
use std::collections::BTreeSet;

use granit_parser::{Event, Parser, ScalarStyle, StrInput};

use super::node::{DEPTH_MAX, Key, NODES_MAX, Node, Span, Tree, is_plain_number};

/// Words that are no text where nothing quotes them, however their letters are written.
const WORDS: [&str; 6] = ["true", "false", "null", "nan", "inf", "infinity"];

/// The one document of a file; `None` where it is not plain.
pub(super) fn read(text: &str) -> Option<Node> {
    let mut events = Events { parser: Parser::new_from_str(text), nodes: 0 };
    events.expect(|event| matches!(event, Event::StreamStart))?;
    events.expect(|event| matches!(event, Event::DocumentStart(false, None)))?;
    let first = events.next()?;
    let node = events.node(first, 1)?;
    events.expect(|event| matches!(event, Event::DocumentEnd))?;
    events.expect(|event| matches!(event, Event::StreamEnd))?;
    Some(node)
}

/// What is still to be read.
struct Events<'t> {
    parser: Parser<'t, StrInput<'t>>,
    nodes: usize,
}

type Placed<'t> = (Event<'t>, granit_parser::Span);

impl<'t> Events<'t> {
    fn next(&mut self) -> Option<Placed<'t>> {
        self.parser.next()?.ok()
    }

    fn expect(&mut self, is_expected: impl Fn(&Event<'_>) -> bool) -> Option<()> {
        let (event, _) = self.next()?;
        is_expected(&event).then_some(())
    }

    /// The node that begins with this event.
    fn node(&mut self, (event, span): Placed<'t>, depth: usize) -> Option<Node> {
        self.nodes += 1;
        if depth >= DEPTH_MAX || self.nodes >= NODES_MAX {
            return None;
        }
        let value = match event {
            Event::Scalar(text, style, 0, None) => scalar(text, style)?,
            Event::SequenceStart(_, 0, None) => self.list(depth)?,
            Event::MappingStart(_, 0, None) => self.map(depth)?,
            _ => return None,
        };
        Some(Node { value, span: span_of(&span)? })
    }

    fn list(&mut self, depth: usize) -> Option<Tree> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Some(Tree::List(items)),
                first => items.push(self.node(first, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Option<Tree> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        loop {
            let first = self.next()?;
            if first.0 == Event::MappingEnd {
                break;
            }
            let Node { value: Tree::Text(name), span } = self.node(first, depth + 1)? else {
                return None;
            };
            // It merges another map into this one.
            if name == "<<" {
                return None;
            }
            let first = self.next()?;
            entries.push((Key { name, span }, self.node(first, depth + 1)?));
        }
        let names: BTreeSet<&str> = entries.iter().map(|(key, _)| key.name.as_str()).collect();
        (names.len() == entries.len()).then_some(Tree::Map(entries))
    }
}

/// What a scalar means; `None` where that takes more than a look.
fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Option<Tree> {
    if style != ScalarStyle::Plain {
        return Some(Tree::Text(text.into_owned()));
    }
    match text.as_ref() {
        "" | "~" | "null" => return Some(Tree::Null),
        "true" => return Some(Tree::Bool(true)),
        "false" => return Some(Tree::Bool(false)),
        _ => {}
    }
    if is_plain_number(&text) && text != "-0" {
        return text.parse::<i64>().ok().map(|number| Tree::Number(number.into()));
    }
    is_plain_text(&text).then(|| Tree::Text(text.into_owned()))
}

/// Whether a text can only be one: it is no word, and does not begin as a number, or has two points, or a
/// letter or sign that no number has.
fn is_plain_text(text: &str) -> bool {
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let begins_as_number = text.starts_with(|first: char| "0123456789+-._".contains(first));
    let is_of_numbers =
        |byte: u8| byte.is_ascii_hexdigit() || b"+-._:,xXoOnNiIfFtTyY".contains(&byte);
    let may_be_number =
        begins_as_number && text.matches('.').nth(1).is_none() && text.bytes().all(is_of_numbers);
    !is_word && !may_be_number
}

fn span_of(span: &granit_parser::Span) -> Option<Span> {
    let number = |number: usize| Some(u32::try_from(number).ok()?.max(1));
    Some(Span {
        line: number(span.start.line())?,
        column: number(span.start.col() + 1)?,
        length: number(span.len())?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::node::{Node, Tree};
    use super::read;

    /// Whether it is plain; then the whole reader must read the same.
    #[track_caller]
    fn is_plain(text: &str) -> bool {
        let plain = read(text);
        if let Some(plain) = &plain {
            let whole = Node::read_whole(text);
            assert_eq!(Ok(plain), whole.as_ref(), "{text}");
        }
        plain.is_some()
    }

    #[test]
    fn what_is_plain_is_read_as_the_whole_reader_reads_it() {
        for plain in [
            "a: 1\nbb:\n  - ö: [x, 'y', \"z\\n\"]\n  - {}\n",
            "a:\nb: ~\nc: null\nd: ''\n",
            "- 127.0.0.1\n- 7-gram\n- true\n- yes\n- no\n- False_\n- -7\n- 0\n- 9223372036854775807\n",
            "text: |\n  two\n  lines\nfolded: >-\n  one\n  line\n",
            "- request: GET /v1/requests\n  expect: { status: 200, /data/0/id: \"x\" } # why\n",
            "? a\n: b\n",
        ] {
            assert!(is_plain(plain), "{plain}");
        }
    }

    #[test]
    fn what_takes_more_than_a_look_is_left_to_the_whole_reader() {
        for other in [
            "a: &x 1\nb: *x\n",
            "a: !!str 1\n",
            "--- a\n",
            "a\n---\nb\n",
            "a: 1\na: 2\n",
            "a: 007\n",
            "a: 1e3\n",
            "a: 0x1F\n",
            "a: .nan\n",
            "a: NULL\n",
            "a: 7-x\n",
            "a: 0.5\n",
            "a: 2026-01-02\n",
            "1: a\n",
            "<<: {}\n",
            "[a]: b\n",
            "a: [1\n",
            "",
        ] {
            assert!(!is_plain(other), "{other}");
        }
    }

    #[test]
    fn the_bundled_files_are_plain() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
        let mut files = 0;
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|it| it != "yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a file");
            assert!(is_plain(&text), "{}", path.display());
            assert!(matches!(Node::read(&text).expect("sound").value, Tree::Map(_)));
            files += 1;
        }
        assert!(files > 10, "{files}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        /// Of the letters that YAML and numbers are made of, so that much of it is YAML.
        #[test]
        fn both_readers_read_the_same(
            text in "([-?] )?[a-c0-2]{0,2}(: |\n|, |\\[|\\]|\\{|\\}|- |'|\"|#|~|[-+.:_xeoTFnul0-9a-f<|>&*! ]|\n  ){0,14}[a-z0-9]{0,3}",
        ) {
            is_plain(&text);
        }

        #[test]
        fn both_readers_read_the_same_scalars(text in "[-+.:_,xXeEoO0-9a-fA-FnNuUlLiItTrRsSyY ~/<]{0,9}") {
            is_plain(&format!("a: {text}\nb: [{text}]\n"));
        }
    }
}
