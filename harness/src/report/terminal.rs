//! What people read on a terminal: colours, tables, and texts of others made harmless.

pub mod paint;
pub mod table;

pub use paint::Paint;
pub use table::{Align, Cell, Table};

/// Names that are shown of a longer list.
const NAMES_SHOWN_MAX: usize = 3;

/// How much of a text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// `-q`: what is wrong and the last lines.
    Quiet,
    /// All but what passed.
    Normal,
    /// `-v`: everything.
    Verbose,
}

impl Detail {
    /// The first of these names, and how many more there are; with `-v` all names.
    pub(crate) fn some_of(self, names: &[String]) -> Vec<String> {
        if self == Self::Verbose || names.len() <= NAMES_SHOWN_MAX {
            return names.to_vec();
        }
        let more = format!("and {} more", names.len() - NAMES_SHOWN_MAX);
        names.iter().take(NAMES_SHOWN_MAX).cloned().chain([more]).collect()
    }
}
