//! All defects, in the order of the specification.

use std::sync::LazyLock;

use super::{
    Defect, activities, authentication, creations, documents, legal_requests, tokens, uploads,
    webhooks, workflows,
};

static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    let files = [
        legal_requests::ROWS,
        documents::ROWS,
        workflows::ROWS,
        activities::ROWS,
        webhooks::ROWS,
        tokens::ROWS,
        creations::ROWS,
        uploads::ROWS,
        authentication::ROWS,
    ];
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
