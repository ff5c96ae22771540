//! A step that asks the control plane of a moot mock.

use crate::scenario::model::AdminStep;
use crate::verdict::check::Document;

use super::scenario_walk::ScenarioWalk;
use super::stop::Stop;
use crate::verdict::NotRunKind;

pub(super) async fn walk(walk: &mut ScenarioWalk<'_>, step: &AdminStep) -> Result<(), Stop> {
    let path = step.call.path.render_text(&walk.names)?;
    let json = match &step.json {
        Some(json) => Some(json.render(&walk.names)?),
        None => None,
    };
    let answer = walk.session.admin(&step.call.method, &path, json).await.map_err(|trouble| {
        Stop::not_run(NotRunKind::NoAnswer, format!("the control plane refused {path}: {trouble}"))
    })?;
    walk.note_change();
    let document = Document::of_value(answer);
    walk.capture(&step.capture, &document);
    let checks = walk.judge(&step.expect, &document, None);
    walk.record.checks.extend(checks);
    Ok(())
}
