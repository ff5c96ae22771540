//! Tables on a terminal: columns as wide as their longest cell. Texts are aligned left, numbers right.

use std::ops::Range;

use super::paint;

/// Spaces between two columns.
const GAP: &str = "  ";

/// Rows of cells, which may have colours.
#[derive(Debug, Clone)]
pub struct Table {
    indent: usize,
    /// The columns that are aligned right.
    numbers: Range<usize>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of texts. Rows are indented by `indent` spaces.
    pub fn new(indent: usize) -> Self {
        Self::with_numbers(indent, 0..0)
    }

    /// A table with numbers in these columns.
    pub fn with_numbers(indent: usize, numbers: Range<usize>) -> Self {
        Self { indent, numbers, rows: Vec::new() }
    }

    /// Adds a row. If other rows have more cells, its last cell extends over the columns to the right, and does not
    /// widen its own column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines of the table, without trailing spaces, each with its line end.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for row in &self.rows {
            let last = if row.len() < columns { row.len().saturating_sub(1) } else { columns };
            for (width, cell) in widths.iter_mut().zip(&row[..last]) {
                *width = (*width).max(shown_width(cell));
            }
        }
        let mut out = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(self.indent);
            for (at, cell) in row.iter().enumerate() {
                let fill = " ".repeat(widths[at].saturating_sub(shown_width(cell)));
                let gap = if at > 0 { GAP } else { "" };
                line.push_str(&match self.numbers.contains(&at) {
                    true => format!("{gap}{fill}{cell}"),
                    false => format!("{gap}{cell}{fill}"),
                });
            }
            out.push_str(line.trim_end_matches(' '));
            out.push('\n');
        }
        out
    }
}

/// The width without colours, in characters.
fn shown_width(cell: &str) -> usize {
    paint::plain(cell).chars().count()
}

#[cfg(test)]
mod tests {
    use super::Table;
    use crate::report::terminal::paint;

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let mut table = Table::with_numbers(2, 1..2);
        table.row(["name", "n", "note"].map(paint::dim));
        table.row(["a", "10", ""].map(str::to_owned));
        let text = paint::plain(&table.render());
        assert_eq!(text, "  name   n  note\n  a     10\n");
    }

    #[test]
    fn the_last_cell_of_a_short_row_extends_over_the_other_columns() {
        let mut table = Table::new(0);
        table.row(["a", "b", "c"].map(str::to_owned));
        table.row(["", "a longer text"].map(str::to_owned));
        assert_eq!(table.render(), "a  b  c\n   a longer text\n");
    }
}
