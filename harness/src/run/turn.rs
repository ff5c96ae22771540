//! Which scenarios may be walked side by side on a target that they share.
//!
//! In a sandbox of its own a scenario disturbs nobody. On a deployment what one of them makes or
//! deletes, and a token that one of them asks for, is seen by the others: whoever sends anything
//! but GET is walked while nothing else is.

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::scenario::model::{
    Action, Piece, RequestLine, RequestShape, RequestStep, Scenario, Step, Text,
};

use super::declared;

/// The turns of a walk.
pub(super) struct Turns {
    /// `None` where each scenario has a sandbox.
    shared: Option<RwLock<()>>,
}

/// Held while a scenario is walked.
pub(super) enum Turn<'a> {
    /// In a sandbox.
    Free,
    /// Beside others that read.
    Beside { _guard: RwLockReadGuard<'a, ()> },
    /// While nothing else is walked.
    Alone { _guard: RwLockWriteGuard<'a, ()> },
}

impl Turns {
    /// For a target whose scenarios have sandboxes, or share one company.
    pub(super) fn new(has_sandboxes: bool) -> Self {
        Self { shared: (!has_sandboxes).then(RwLock::default) }
    }

    /// Waits until this scenario may be walked.
    pub(super) async fn take(&self, scenario: &Scenario) -> Turn<'_> {
        match &self.shared {
            None => Turn::Free,
            Some(shared) if only_reads(scenario) => Turn::Beside { _guard: shared.read().await },
            Some(shared) => Turn::Alone { _guard: shared.write().await },
        }
    }
}

/// Whether it sends nothing but GET.
pub(super) fn only_reads(scenario: &Scenario) -> bool {
    let mut only_reads = true;
    declared::collect(&scenario.steps, &mut |step| only_reads &= reads(step));
    only_reads
}

fn reads(step: &Step) -> bool {
    match &step.action {
        Action::Request(request) => {
            let RequestStep { shape, control, .. } = request.as_ref();
            is_get(shape)
                && control.as_ref().is_none_or(|it| it.shape.line.is_none() || is_get(&it.shape))
        }
        Action::ForEach(..) | Action::Let(_) | Action::Assume { .. } => true,
        Action::Burst(_) | Action::Receive(_) | Action::Admin(_) => false,
    }
}

fn is_get(shape: &RequestShape) -> bool {
    match &shape.line {
        Some(RequestLine::Path { method, .. }) => is_literal(method, "GET"),
        Some(RequestLine::Operation { known: Some(operation), .. }) => operation.method() == "GET",
        Some(RequestLine::Operation { known: None, .. }) | None => false,
    }
}

fn is_literal(text: &Text, expected: &str) -> bool {
    matches!(text.pieces.as_slice(), [Piece::Literal(literal)] if literal == expected)
}

#[cfg(test)]
mod tests {
    use super::only_reads;
    use crate::scenario::load;

    #[test]
    fn a_bundled_scenario_is_walked_beside_others_exactly_where_it_only_gets() {
        let files = load::bundled().expect("the bundled suite is sound");
        let scenarios = || files.iter().flat_map(|file| &file.scenarios);
        let is_alone = |id: &str| {
            let scenario = scenarios().find(|it| it.id == id).expect("it is bundled");
            !only_reads(scenario)
        };
        assert!(!is_alone("pagination-partition"));
        assert!(is_alone("document-without-file-or-url"));
        assert!(is_alone("token-outlived-by-a-newer-one"));
        let changes =
            |needs: &[String]| needs.iter().any(|need| need == "delete" || need == "load");
        let aside: Vec<_> = scenarios().filter(|it| changes(&it.needs) && only_reads(it)).collect();
        assert!(aside.is_empty(), "{:?}", aside.iter().map(|it| &it.id).collect::<Vec<_>>());
    }
}
