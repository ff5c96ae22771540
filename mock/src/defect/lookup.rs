//! Finding a defect by its id: one that was written, or a generated mutant.

use super::catalogue::{self, Defect};
use super::mutant;

/// The defect or mutant of this id, compared exactly.
pub fn named(id: &str) -> Option<&'static Defect> {
    let written = catalogue::all().iter().find(|defect| defect.id == id);
    written.or_else(|| mutant::named(id).map(|mutant| &mutant.defect))
}
