//! A step that asks the control plane of a moot mock.

use crate::check::{self, Document};
use crate::scenario::model::AdminStep;

use super::scenario::Walk;
use super::step::Done;
use super::stop::Stop;
use crate::verdict::NotRunKind;

pub(super) async fn walk(walk: &mut Walk<'_>, step: &AdminStep, label: &str) -> Done {
    let mut checks = Vec::new();
    let stop = ask(walk, step, label, &mut checks).await.err();
    Done { exchanges: Vec::new(), checks, stop }
}

async fn ask(
    walk: &mut Walk<'_>,
    step: &AdminStep,
    label: &str,
    checks: &mut Vec<crate::result::CheckResult>,
) -> Result<(), Stop> {
    let path = step.call.path.render_text(&walk.names)?;
    let json = match &step.json {
        Some(json) => Some(json.render(&walk.names)?),
        None => None,
    };
    let answer = walk.session.admin(&step.call.method, &path, json).await.map_err(|trouble| {
        Stop::not_run(NotRunKind::NoAnswer, format!("the control plane refused {path}: {trouble}"))
    })?;
    let document = Document::of_value(answer);
    for (name, place) in &step.capture {
        let value = check::place::value(place, &document, &walk.names);
        walk.names.set(name, value.unwrap_or_default());
    }
    let standing = walk.standing(label);
    checks.extend(
        step.expect.iter().map(|check| standing.judge(check, &document, &walk.names, None)),
    );
    Ok(())
}
