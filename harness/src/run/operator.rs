//! A step that the operator of the target takes.

use crate::scenario::model::OperatorOrder;
use crate::scenario::text::Text;
use crate::verdict::result::Event;

use super::scenario_walk::ScenarioWalk;
use super::stop::Stop;

pub(super) async fn walk(walk: &ScenarioWalk<'_>, step: &OperatorOrder<Text>) -> Result<(), Stop> {
    let order = step.render(&walk.names)?;
    let said = walk.session.operate(&order).await?;
    walk.note_change();
    if !said.is_empty() {
        (walk.shared.on_event)(Event::OperatorSaid { action: order.action(), said });
    }
    Ok(())
}
