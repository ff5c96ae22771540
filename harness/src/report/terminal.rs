//! Output for a terminal: colours and tables.

pub mod paint;
pub mod table;

use std::borrow::Borrow;

pub use table::Table;

/// The most names of a list that are shown without `-v`.
const NAMES_SHOWN_MAX: usize = 3;

/// The amount of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// `-q`: failures and the last lines.
    Quiet,
    /// Everything except passed checks.
    Normal,
    /// `-v`: everything.
    Verbose,
}

impl Detail {
    /// The first of these names, and the number of the others; with `-v` all names.
    pub(crate) fn some_of(self, names: &[String]) -> Vec<String> {
        let max = if self == Self::Verbose { usize::MAX } else { NAMES_SHOWN_MAX };
        first_of(names.iter().cloned(), max)
    }
}

/// The first `max` of these texts, and the number of the others.
pub(crate) fn first_of(texts: impl ExactSizeIterator<Item = String>, max: usize) -> Vec<String> {
    let more = texts.len().saturating_sub(max);
    let more = (more > 0).then(|| format!("and {more} more"));
    texts.take(max).chain(more).collect()
}

/// `a, b and 3 more`: the first `max` of these names.
pub(crate) fn names_line(names: &[impl Borrow<str>], max: usize) -> String {
    let named = names[..names.len().min(max)].join(", ");
    match names.len().saturating_sub(max) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Adds a line with a name and its value. Further lines of the value are indented. An empty value adds nothing.
pub(crate) fn add_field(out: &mut String, width: usize, name: &str, value: &str) {
    for (at, line) in value.lines().enumerate() {
        let name = if at == 0 { name } else { "" };
        out.push_str(&format!("  {} {line}\n", paint::dim(format!("{name:<width$}"))));
    }
}

/// Adds a heading, these lines and an empty line. Without lines it adds nothing.
pub(crate) fn add_section(out: &mut String, title: &str, lines: &str) {
    if !lines.is_empty() {
        out.push_str(&format!("{}\n{lines}\n", paint::bold(title)));
    }
}
