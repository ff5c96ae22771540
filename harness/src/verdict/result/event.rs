//! What a run tells while it goes on: for progress and for the event stream.

use std::sync::Arc;

use crate::scenario::model::OperatorAction;
use crate::verdict::result::ScenarioResult;

/// One event, in the order it happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// So many scenarios will be walked.
    Planned {
        /// Scenarios, before rows are known.
        scenarios: usize,
    },
    /// A scenario begins.
    Started {
        /// `stem/id`.
        name: String,
    },
    /// The operator of the target wrote something to its standard error; masked.
    OperatorSaid {
        /// What it was asked to do.
        action: OperatorAction,
        /// What it wrote.
        said: String,
    },
    /// A scenario, or one row of it, ended.
    Ended(Arc<ScenarioResult>),
}
