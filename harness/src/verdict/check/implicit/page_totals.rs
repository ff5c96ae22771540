//! Does the number of pages of a list agree with the number of members (§2.7)?
//!
//! This check judges every page that a run reads. So it finds mistakes that depend on the length of the
//! list, such as an extra page if the last page is full.

use super::AnsweredExchange;
use crate::verdict::check::{Judgement, MismatchKind, as_count};
use crate::verdict::pluralize;

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let body = answered.response.json.as_deref().filter(|_| answered.is_success())?;
    let pagination = body.get("pagination")?;
    // Other checks judge missing members.
    let total = |name: &str| pagination.get(name).and_then(as_count);
    let (pages, count) = (total("total_pages")?, total("total_count")?);
    let per_page = total("per_page").filter(|per_page| *per_page > 0)?;
    Some(pages_fit(per_page, pages, count))
}

fn pages_fit(per_page: u64, pages: u64, count: u64) -> Judgement {
    let needed = count.div_ceil(per_page);
    // An empty list may have one page, which is empty (question `empty_total_pages`).
    if pages == needed || (count == 0 && pages == 1) {
        return Judgement::Holds;
    }
    Judgement::fails(
        MismatchKind::Value,
        "the number of pages does not fit the number of members",
        format!("{} of {per_page} for {}", pluralize(needed, "page"), pluralize(count, "member")),
        pluralize(pages, "page"),
    )
    .at("/pagination/total_pages")
}

#[cfg(test)]
mod tests {
    use super::pages_fit;
    use crate::verdict::check::Judgement;

    #[test]
    fn pages_are_as_many_as_the_members_need() {
        for (count, pages, is_sound) in [
            (0, 0, true),
            (0, 1, true),
            (0, 2, false),
            (1, 1, true),
            (25, 1, true),
            (25, 2, false),
            (26, 2, true),
            (50, 3, false),
        ] {
            assert_eq!(
                pages_fit(25, pages, count) == Judgement::Holds,
                is_sound,
                "{count} {pages}"
            );
        }
    }
}
