//! A step that the operator of the target takes.

use crate::client::operator::order::OperatorOrder;
use crate::scenario::model::OperatorStep;
use crate::scenario::names::{Names, UnknownName};

use super::event::Event;
use super::scenario_walk::ScenarioWalk;
use super::send::StepOutcome;
use super::stop::Stop;

pub(super) async fn walk(walk: &ScenarioWalk<'_>, step: &OperatorStep) -> StepOutcome {
    let stop = operate(walk, step).await.err();
    StepOutcome { exchanges: Vec::new(), checks: Vec::new(), stop }
}

async fn operate(walk: &ScenarioWalk<'_>, step: &OperatorStep) -> Result<(), Stop> {
    let order = order(step, &walk.names)?;
    let said = walk.session.operate(&order).await?;
    walk.note_change();
    if !said.is_empty() {
        (walk.shared.on_event)(Event::OperatorSaid { action: order.action(), said });
    }
    Ok(())
}

fn order(step: &OperatorStep, names: &Names) -> Result<OperatorOrder, UnknownName> {
    Ok(match step {
        OperatorStep::SetStatus { id, status } => OperatorOrder::SetStatus {
            id: id.render_text(names)?,
            status: status.render_text(names)?,
        },
        OperatorStep::AddComment { id, comment } => OperatorOrder::AddComment {
            id: id.render_text(names)?,
            comment: comment.render_text(names)?,
        },
        OperatorStep::Restart => OperatorOrder::Restart,
        OperatorStep::AdvanceClock { seconds } => OperatorOrder::AdvanceClock { seconds: *seconds },
        OperatorStep::RevokeToken { token } => {
            OperatorOrder::RevokeToken { token: token.render_text(names)? }
        }
    })
}
