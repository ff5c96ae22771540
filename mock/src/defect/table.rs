//! All defects, in the order of the specification.

use std::sync::LazyLock;

use super::{Defect, resources};

static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    let files = [resources::ROWS];
    files.into_iter().flatten().copied().collect()
});

/// Every defect.
pub fn all() -> &'static [Defect] {
    &ALL
}

/// The defect of this id, compared exactly.
pub fn named(id: &str) -> Option<&'static Defect> {
    all().iter().find(|defect| defect.id == id)
}
