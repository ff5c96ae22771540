//! Tables on a terminal: columns as wide as their longest cell, aligned left or right.

use anstyle::{AnsiColor, Style};

use super::paint::{self, style_of};
use crate::verdict::Verdict;

/// Spaces between two columns.
const GAP: &str = "  ";

/// How the cells of a column are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// One cell: a text and its style.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    style: Style,
}

/// Rows of cells.
#[derive(Debug, Clone)]
pub struct Table {
    indent: usize,
    columns: Vec<Align>,
    rows: Vec<Vec<Cell>>,
}

impl Cell {
    /// A text without a style.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: Style::new() }
    }

    /// A heading, or a text of little importance.
    pub fn dim(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: Style::new().dimmed() }
    }

    /// A name.
    pub fn name(text: impl Into<String>) -> Self {
        Self { text: text.into(), style: AnsiColor::Cyan.on_default() }
    }

    /// A text in the colour of a verdict.
    pub fn verdict(verdict: Verdict, text: impl Into<String>) -> Self {
        Self { text: text.into(), style: style_of(verdict) }
    }

    /// In characters.
    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

impl Table {
    /// A table with these columns. Rows are indented by `indent` spaces.
    pub fn new(indent: usize, columns: impl IntoIterator<Item = Align>) -> Self {
        Self { indent, columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row. If it has fewer cells than there are columns, its last cell extends over the columns to the
    /// right, and does not widen its own column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines of the table, without trailing spaces, each with its line end.
    pub fn render(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().filter_map(|row| self.cell_of_column(row, at));
                cells.map(Cell::width).max().unwrap_or(0)
            })
            .collect();
        let mut out = String::new();
        for row in &self.rows {
            out.push_str(&" ".repeat(self.indent));
            for (at, cell) in row.iter().enumerate() {
                if at > 0 {
                    out.push_str(GAP);
                }
                let fill = widths.get(at).map_or(0, |width| width.saturating_sub(cell.width()));
                let (before, after) = match self.columns.get(at) {
                    Some(Align::Right) => (fill, 0),
                    Some(Align::Left) if at + 1 < row.len() => (0, fill),
                    Some(Align::Left) | None => (0, 0),
                };
                out.push_str(&" ".repeat(before));
                if !cell.text.is_empty() {
                    out.push_str(&paint::with(cell.style, &cell.text));
                }
                out.push_str(&" ".repeat(after));
            }
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
        }
        out
    }

    /// A cell, if it counts for the width of its column.
    fn cell_of_column<'a>(&self, row: &'a [Cell], at: usize) -> Option<&'a Cell> {
        let extends = at + 1 == row.len() && row.len() < self.columns.len();
        row.get(at).filter(|_| !extends)
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Cell, Table};
    use crate::report::terminal::paint::plain;

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let mut table = Table::new(2, [Align::Left, Align::Right, Align::Left]);
        table.row([Cell::dim("name"), Cell::dim("n"), Cell::dim("note")]);
        table.row([Cell::plain("a"), Cell::plain("10"), Cell::plain("")]);
        let text = plain(&table.render());
        assert_eq!(text, "  name   n  note\n  a     10\n");
    }

    #[test]
    fn the_last_cell_of_a_short_row_extends_over_the_other_columns() {
        let mut table = Table::new(0, [Align::Left, Align::Left, Align::Left]);
        table.row(["a", "b", "c"].map(Cell::plain));
        table.row(["", "a longer text"].map(Cell::plain));
        assert_eq!(table.render(), "a  b  c\n   a longer text\n");
    }
}
