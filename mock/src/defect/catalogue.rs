//! All defects that are written by hand, read from `mock/defects/*.yaml`.

use std::sync::LazyLock;

use moot_fixtures::yaml;
use serde::{Deserialize, Serialize};

use super::act::DefectAct;
use super::code;
use super::filter::ReplyContext;
use crate::value::message::response::Response;

/// A violation of the specification that the mock commits on purpose.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// The id, such as `token.lifetime-3600`. It never changes.
    pub id: String,
    /// The broken clause of the specification, such as `2.8`.
    pub section: String,
    /// The requirements that it breaks. A check of one of them must fail.
    pub breaks: Vec<String>,
    /// Further requirements that it cannot help breaking.
    #[serde(default)]
    pub also: Vec<String>,
    /// A sentence that describes the wrong behaviour.
    pub what: String,
    /// Whether only scenarios tagged `heavy` notice it.
    #[serde(default)]
    pub heavy: bool,
    /// The acts, in the order of execution.
    #[serde(skip_serializing)]
    pub(super) does: Vec<DefectAct>,
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
    let mut all: Vec<Defect> = FILES.into_iter().flat_map(yaml::embedded::<Vec<_>>).collect();
    for defect in &mut all {
        for act in &mut defect.does {
            if let DefectAct::Code(code) = act {
                *code = code::of(&defect.id);
            }
        }
    }
    all
});

/// Every defect that is written by hand.
pub fn all() -> &'static [Defect] {
    &ALL
}

impl Defect {
    /// Whether it only edits responses. Such a defect can be applied to the responses of any service.
    pub fn is_rewriting(&self) -> bool {
        self.does.iter().all(|act| matches!(act, DefectAct::Edit(_)))
    }

    /// Applies the edits of this defect to a response, and skips its other acts. [`Response::refused`] must be set
    /// if the response is a refusal.
    pub fn rewrite(&self, context: &ReplyContext<'_>, response: &mut Response) {
        for act in &self.does {
            if let DefectAct::Edit(edit) = act {
                edit.apply(context, response);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::defect::act::DefectAct;
    use crate::defect::code;

    #[test]
    fn a_function_exists_for_exactly_the_defects_that_call_one() {
        for defect in all() {
            let calls = defect.does.iter().any(|act| matches!(act, DefectAct::Code(Some(_))));
            assert_eq!(calls, code::of(&defect.id).is_some(), "{}", defect.id);
            let is_lost = |act: &DefectAct| matches!(act, DefectAct::Code(None));
            assert!(!defect.does.iter().any(is_lost), "{} has no function", defect.id);
            assert!(!defect.does.is_empty(), "{} does nothing", defect.id);
        }
        for id in code::ids() {
            assert!(all().iter().any(|defect| defect.id == id), "there is no defect {id}");
        }
    }
}
