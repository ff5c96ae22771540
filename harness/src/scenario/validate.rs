//! The second pass: whether names, ids, documents, schemas and worlds exist. Reports all mistakes.
//!
//! The reader has checked the form. Nothing here changes the model.

mod ids;
mod lines;
mod own_rows;
mod scope;
mod walk;

use std::sync::Arc;

use super::Diagnostic;
use super::model::{Location, ScenarioFile};

/// Characters in which a name of a text is looked for, after the text begins.
const NAME_WITHIN_MAX: usize = 4_000;

/// Whether requirement and question ids are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdCheck {
    /// Each has to be in the register or among the questions.
    Register,
    /// None is looked up: for files whose ids are only illustrations.
    Off,
}

/// Every mistake of meaning in a suite, in the order of the files.
pub fn suite(files: &[ScenarioFile], ids: IdCheck) -> Vec<Diagnostic> {
    let mut problems = ids::unique(files);
    let own = own_rows::of(files, &mut problems);
    for file in files {
        walk::file(file, (ids == IdCheck::Register).then_some(&own), &mut problems);
    }
    problems.sort_by(|a, b| a.at.cmp(&b.at));
    problems
}

impl ScenarioFile {
    /// A mistake at `written`, which stands at a place of this file.
    fn problem(
        &self,
        at: &Location,
        written: &str,
        message: String,
        help: Option<String>,
    ) -> Diagnostic {
        Diagnostic {
            message,
            at: at.clone(),
            length: u32::try_from(written.chars().count()).unwrap_or(1).max(1),
            help,
            source: Arc::clone(&self.text),
        }
    }

    /// Where `part` stands at or soon after `from`; `from` itself where it is not found as written.
    fn locate(&self, from: &Location, part: &str) -> Location {
        let lines = self.text.lines().skip(from.line.saturating_sub(1) as usize);
        let mut skipped = from.column.saturating_sub(1) as usize;
        let mut left = NAME_WITHIN_MAX;
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
