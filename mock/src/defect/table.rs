//! All defects, by subject in the order of the specification.

use std::sync::LazyLock;

use super::{
    Defect, activities, authentication, creations, documents, histories, hostile, isolation,
    legal_requests, lists, notices, pages, problems, services, standards, token_refusals, tokens,
    uploads, webhooks, workflows,
};

static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    let files = [
        services::ROWS,
        legal_requests::ROWS,
        documents::ROWS,
        workflows::ROWS,
        activities::ROWS,
        webhooks::ROWS,
        pages::ROWS,
        histories::ROWS,
        tokens::ROWS,
        token_refusals::ROWS,
        lists::ROWS,
        creations::ROWS,
        uploads::ROWS,
        notices::ROWS,
        authentication::ROWS,
        isolation::ROWS,
        problems::ROWS,
        standards::ROWS,
        hostile::ROWS,
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
