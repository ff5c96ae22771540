//! When two checks say the same: what an id, a row, a count or an index of a list changes in a message
//! or a pointer is data.

use std::sync::LazyLock;

use regex::Regex;

use super::view::Check;

/// Texts of rows shorter than this are not looked for in messages: they would be found by chance.
const ROW_CHARACTERS_MIN: usize = 4;

/// Numbers that stand alone; how many more faults one answer has; texts that a JSONPath compares with.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| sound(r"\b[0-9]+\b"));
static MORE: LazyLock<Regex> = LazyLock::new(|| sound(r" \(and [0-9]+ more\)"));
static LITERAL: LazyLock<Regex> = LazyLock::new(|| sound(r"== '[^']*'"));

fn sound(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test uses each of them")
}

/// The message of a check without the data in it.
pub(super) fn kind(check: &Check) -> String {
    let mut text = check.message.clone();
    if let Some(pointer) = check.pointer.as_deref().filter(|pointer| !pointer.is_empty()) {
        text = text.replace(pointer, &normal_pointer(pointer));
    }
    for row in rows(&check.scenario).chain(rows(&check.step)) {
        text = text.replace(row, "*");
    }
    let text = LITERAL.replace_all(&text, "== '*'");
    let text = MORE.replace_all(&text, "");
    NUMBER.replace_all(&text, "*").into_owned()
}

/// `/data/3/name` is `/data/*/name`.
pub(super) fn normal_pointer(pointer: &str) -> String {
    let is_index =
        |segment: &str| !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    let segments = pointer.split('/').map(|segment| if is_index(segment) { "*" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// What stands in square brackets in a name: `supplier` of `from-schema[supplier]`.
fn rows(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split('[').skip(1).filter_map(|part| part.split(']').next());
    parts.filter(|row| row.chars().count() >= ROW_CHARACTERS_MIN)
}

#[cfg(test)]
mod tests {
    use super::normal_pointer;

    #[test]
    fn only_indices_of_a_pointer_are_data() {
        for (pointer, expected) in [
            ("", ""),
            ("/data/3/attributes", "/data/*/attributes"),
            ("/data/3", "/data/*"),
            ("/data/a3/0x", "/data/a3/0x"),
            ("/a//1", "/a//*"),
        ] {
            assert_eq!(normal_pointer(pointer), expected);
        }
    }
}
