//! The nearest of some names to a misspelt one.

/// The name with the smallest edit distance, if that is at most a third of the word.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance_max = (word.chars().count() / 3).max(1);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= distance_max)
        .map(|(_, name)| name)
}

/// The end of a message: `; did you mean …?`, or nothing.
pub(crate) fn hint<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
