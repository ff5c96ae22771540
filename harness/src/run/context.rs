//! What the scenarios of a run share.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::run::environment::Environment;
use crate::scenario::declared::OwnRows;
use crate::verdict::check::implicit::ImplicitContext;
use crate::verdict::result::Event;

use super::changes::OwnChanges;
use super::interruption::Interruption;
use super::options::RunOptions;
use super::snapshots_seen::SnapshotsSeen;
use super::stop::Stop;
use super::token_budget::TokenBudget;
use super::views::RememberedViews;

/// What every scenario of a run shares.
pub(super) struct RunContext {
    pub(super) target: Environment,
    pub(super) options: RunOptions,
    /// Rows that the scenario files state themselves.
    pub(super) own_rows: Arc<OwnRows>,
    pub(super) implicit: ImplicitContext,
    pub(super) snapshots_seen: Mutex<SnapshotsSeen>,
    /// Outcomes of controls that create, by application and call.
    pub(super) controls: Mutex<HashMap<String, Result<(), Stop>>>,
    pub(super) changes: OwnChanges,
    /// What the views of `unchanged` showed last.
    pub(super) views: RememberedViews,
    /// Token requests of scenarios that did not begin yet.
    pub(super) token_budget: TokenBudget,
    /// Whether a token stays good though its application asks for others, once that was tried.
    pub(super) older_tokens_last: OnceCell<bool>,
    pub(super) interruption: Arc<Interruption>,
    pub(super) on_event: Box<dyn Fn(Event) + Send + Sync>,
}
