//! State that all scenarios of a run share.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;

use crate::run::environment::Environment;
use crate::scenario::declared::OwnRows;
use crate::verdict::NotRunKind;
use crate::verdict::check::implicit::ImplicitContext;
use crate::verdict::result::Event;

use super::changes::OwnChanges;
use super::interruption::{Interruption, REASON};
use super::options::RunOptions;
use super::snapshot_log::SnapshotLog;
use super::stop::Stop;
use super::token_budget::TokenBudget;
use super::views::RememberedViews;

/// State that all scenarios of a run share.
pub(super) struct RunContext {
    pub(super) target: Environment,
    pub(super) options: RunOptions,
    /// Rows that the scenario files state themselves.
    pub(super) own_rows: Arc<OwnRows>,
    pub(super) implicit: ImplicitContext,
    pub(super) snapshots: Mutex<SnapshotLog>,
    /// Results of controls that create something or ask for a token, by application and call.
    pub(super) controls: Mutex<HashMap<String, Result<(), Stop>>>,
    /// The controls whose response was lost once.
    pub(super) lost_controls: Mutex<HashSet<String>>,
    pub(super) changes: OwnChanges,
    /// Whether any delivery came. `None` until a wait for one is over.
    pub(super) delivery_came: Mutex<Option<bool>>,
    /// The views of `unchanged`, as they were read last.
    pub(super) views: RememberedViews,
    /// The pages of each list that has more pages than are read.
    pub(super) long_lists: Mutex<BTreeMap<Operation, u64>>,
    /// Token requests of scenarios that have not started yet.
    pub(super) token_budget: TokenBudget,
    pub(super) interruption: Arc<Interruption>,
    pub(super) on_event: Box<dyn Fn(Event) + Send + Sync>,
}

impl RunContext {
    /// Stops a scenario if the run was interrupted.
    pub(super) fn check_interruption(&self) -> Result<(), Stop> {
        match self.interruption.is_interrupted() {
            true => Err(Stop::not_run(NotRunKind::Interrupted, REASON)),
            false => Ok(()),
        }
    }
}
