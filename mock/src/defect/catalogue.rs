//! All defects: what each breaks, and what it does. Read from `mock/defects/*.yaml`.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::act::DefectAct;
use super::code::{self, DefectCode};
use super::filter::ReplyContext;
use crate::value::message::response::Response;

/// One way to be wrong.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// A name that never changes: `token.lifetime-3600`.
    pub id: String,
    /// The clause of the specification that it breaks: `2.8`.
    pub section: String,
    /// Requirements that it breaks: a check of one of them must report it.
    pub breaks: Vec<String>,
    /// Requirements that it also breaks, unavoidably.
    #[serde(default)]
    pub also: Vec<String>,
    /// What the service does wrong, in one sentence.
    pub what: String,
    /// Whether only scenarios tagged `heavy` notice it.
    #[serde(default)]
    pub heavy: bool,
    /// In this order.
    #[serde(skip_serializing)]
    pub(super) does: Vec<DefectAct>,
    /// What [`DefectAct::Code`] calls.
    #[serde(skip)]
    pub(super) code: Option<DefectCode>,
}

/// The files of the defects, in the order of the specification.
const FILES: [&str; 19] = [
    include_str!("../../defects/services.yaml"),
    include_str!("../../defects/legal_requests.yaml"),
    include_str!("../../defects/documents.yaml"),
    include_str!("../../defects/workflows.yaml"),
    include_str!("../../defects/activities.yaml"),
    include_str!("../../defects/webhooks.yaml"),
    include_str!("../../defects/pages.yaml"),
    include_str!("../../defects/histories.yaml"),
    include_str!("../../defects/tokens.yaml"),
    include_str!("../../defects/token_refusals.yaml"),
    include_str!("../../defects/lists.yaml"),
    include_str!("../../defects/creations.yaml"),
    include_str!("../../defects/uploads.yaml"),
    include_str!("../../defects/deliveries.yaml"),
    include_str!("../../defects/authentication.yaml"),
    include_str!("../../defects/isolation.yaml"),
    include_str!("../../defects/problems.yaml"),
    include_str!("../../defects/standards.yaml"),
    include_str!("../../defects/hostile.yaml"),
];

static ALL: LazyLock<Vec<Defect>> = LazyLock::new(|| {
    let read = |text: &str| -> Vec<Defect> {
        serde_saphyr::from_str(text).expect("a test reads the embedded files")
    };
    let mut all: Vec<Defect> = FILES.into_iter().flat_map(read).collect();
    for defect in &mut all {
        defect.code = code::of(&defect.id);
    }
    all
});

/// Every defect.
pub fn all() -> &'static [Defect] {
    &ALL
}

impl Defect {
    /// Whether it only edits responses, so that it can be applied to those of any service.
    pub fn is_rewriting(&self) -> bool {
        self.does.iter().all(|act| matches!(act, DefectAct::Edit(_)))
    }

    /// Edits a response of any service, if the defect only edits responses. A refusal must say so in
    /// [`Response::refused`].
    pub fn rewrite(&self, context: &ReplyContext<'_>, response: &mut Response) {
        for act in &self.does {
            if let DefectAct::Edit(edit) = act {
                edit.apply(context, response);
            }
        }
    }
}

impl fmt::Debug for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Defect").field(&self.id).finish()
    }
}

impl PartialEq for Defect {
    /// By id, which is unique.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Defect {}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::defect::act::DefectAct;
    use crate::defect::code;

    #[test]
    fn a_function_exists_for_exactly_the_defects_that_call_one() {
        for defect in all() {
            let calls = defect.does.iter().any(|act| matches!(act, DefectAct::Code));
            assert_eq!(calls, defect.code.is_some(), "{}", defect.id);
            assert!(!defect.does.is_empty(), "{} does nothing", defect.id);
        }
        for id in code::ids() {
            assert!(all().iter().any(|defect| defect.id == id), "there is no defect {id}");
        }
    }
}
