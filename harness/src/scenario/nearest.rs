//! The nearest of some names to a misspelt one, for hints.

/// Beyond this distance a name is no help.
const DISTANCE_MAX: usize = 8;

/// `did you mean …?` with the name of the smallest edit distance, where it is near enough: at most
/// a third of the word's length. Among equals, the first.
pub(super) fn hint<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let distance_max = (word.chars().count() / 3).clamp(1, DISTANCE_MAX);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= distance_max)
        .map(|(_, name)| format!("did you mean `{name}`?"))
}
