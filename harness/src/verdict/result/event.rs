//! Events of a run, for the progress display and the event stream.

use std::sync::Arc;

use crate::scenario::ScenarioName;
use crate::scenario::model::OperatorAction;
use crate::verdict::result::ScenarioResult;

/// An event of a run.
#[derive(Debug, Clone)]
pub enum Event {
    /// The run begins.
    Planned {
        /// The number of selected scenarios, without their rows.
        scenarios: usize,
    },
    /// A scenario begins.
    Started { name: ScenarioName },
    /// The operator of the target wrote to its standard error.
    OperatorSaid {
        /// The action of the operator.
        action: OperatorAction,
        /// The text, masked.
        said: String,
    },
    /// A scenario, or one row of it, ended.
    Ended(Arc<ScenarioResult>),
}
