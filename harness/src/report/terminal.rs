//! What people read on a terminal: colours, tables, and texts of others made harmless.

pub mod paint;
pub mod table;

pub use paint::Paint;
pub use table::{Cell, Table};

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
