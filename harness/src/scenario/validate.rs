//! The second pass: whether names, ids, documents, schemas and worlds exist.
//!
//! Reports all mistakes. The reader has checked the form before.

mod ids;
mod lines;
mod own_rows;
mod scope;
mod walk;

use std::sync::Arc;

use moot_fixtures::DataError;
use moot_fixtures::yaml::YamlSpan;

use super::declared;
use super::model::{Location, ScenarioFile};

/// The number of bytes of the file that are searched for a part of a text.
const SEARCH_BYTES_MAX: usize = 4_000;

/// Every mistake of meaning in a suite, in the order of the files.
pub fn suite(files: &[ScenarioFile]) -> Vec<DataError> {
    let mut problems = ids::unique(files);
    problems.extend(own_rows::mistakes(files));
    let own = declared::own_rows(files);
    for file in files {
        walk::file(file, &own, &mut problems);
    }
    problems.sort_by(|a, b| (&a.file, a.place).cmp(&(&b.file, b.place)));
    problems
}

impl ScenarioFile {
    /// A mistake in `part`, a text at a place of this file.
    fn problem(
        &self,
        at: &Location,
        part: &str,
        message: String,
        hint: Option<String>,
    ) -> DataError {
        let length = u32::try_from(part.chars().count()).unwrap_or(1).max(1);
        let place = YamlSpan { line: at.line, column: at.column, length };
        let error = DataError::new(&at.file, message).at(Some(place));
        DataError { hint, text: Some(Arc::clone(&self.text)), ..error }
    }

    /// The place of `part` at or soon after `from`. If `part` is not found in this form, for example
    /// because the file escapes it, the place is `from`.
    fn locate(&self, from: &Location, part: &str) -> Location {
        let lines = self.text.lines().skip(from.line.saturating_sub(1) as usize);
        let mut skipped = from.column.saturating_sub(1) as usize;
        let mut left = SEARCH_BYTES_MAX;
        for (line, text) in (from.line..).zip(lines) {
            let rest: String = text.chars().skip(skipped).collect();
            if let Some(found) = rest.find(part) {
                let column = skipped + rest[..found].chars().count() + 1;
                let column = u32::try_from(column).unwrap_or(from.column);
                return Location { file: Arc::clone(&from.file), line, column };
            }
            let length = text.len() + 1;
            if length >= left {
                break;
            }
            left -= length;
            skipped = 0;
        }
        from.clone()
    }
}
