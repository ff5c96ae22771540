//! Near misses of a text: texts that differ from it in one place, and that no service has issued.

use serde_json::{Value, json};

/// The near misses of an id or a token, as rows of a loop: `{name, text}`.
pub(crate) fn rows(text: &str) -> Value {
    near_misses(text).map(|(name, text)| json!({ "name": name, "text": text })).collect()
}

/// Each near miss with its name. Leaves out the text itself and empty texts.
pub(crate) fn near_misses(text: &str) -> impl Iterator<Item = (&'static str, String)> {
    let characters: Vec<char> = text.chars().collect();
    let (first, last) = (1.min(characters.len()), characters.len().saturating_sub(1));
    let doubled = characters.iter().chain(characters.last());
    let all = [
        ("in other case", characters.iter().copied().map(other_case).collect()),
        ("without its first character", characters[first..].iter().collect()),
        ("without its last character", characters[..last].iter().collect()),
        ("with its last character twice", doubled.collect()),
        ("with another character inside", with_another_inside(&characters)),
        ("with another last character", with_another_last(&characters)),
    ];
    let text = text.to_owned();
    all.into_iter().filter(move |(_, near): &(_, String)| !near.is_empty() && *near != text)
}

/// An ASCII letter in the other case. Any other character is not changed.
pub(crate) fn other_case(character: char) -> char {
    match character {
        'a'..='z' => character.to_ascii_uppercase(),
        'A'..='Z' => character.to_ascii_lowercase(),
        other => other,
    }
}

fn with_another_inside(characters: &[char]) -> String {
    let middle = characters.len() / 2;
    let another = |character| match character {
        'a' | 'A' => 'x',
        '0'..='8' => char::from(character as u8 + 1),
        '9' => '0',
        _ => 'a',
    };
    let replaced = |(at, character): (usize, &char)| match at == middle {
        true => another(*character),
        false => *character,
    };
    characters.iter().enumerate().map(replaced).collect()
}

/// The letters of Base64 (RFC 4648 §5), in the order of their values.
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The first of the six bits of a letter. The last bits of the last letter may be padding, which a
/// service may ignore; the first bit never is.
const FIRST_BIT: usize = 32;

fn with_another_last(characters: &[char]) -> String {
    let Some((last, rest)) = characters.split_last() else { return String::new() };
    let value = BASE64.iter().position(|letter| char::from(*letter) == *last).unwrap_or_default();
    rest.iter().copied().chain([char::from(BASE64[value ^ FIRST_BIT])]).collect()
}

#[cfg(test)]
mod tests {
    use super::near_misses;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = near_misses(text).map(|(_, near)| near).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_differs_in_one_place() {
        check("aB3d", &["Ab3D", "B3d", "aB3", "aB3dd", "aB4d", "aB39"]);
    }

    #[test]
    fn the_text_itself_and_empty_texts_are_left_out() {
        check("12", &["2", "1", "122", "13", "1W"]);
        check("7", &["77", "8", "b"]);
        check("", &[]);
    }
}
