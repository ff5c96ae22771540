//! What the scenarios of a run share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::exchange::masks::Masks;
use crate::run::environment::Environment;
use crate::scenario::declared::OwnRows;
use crate::verdict::check::implicit::ImplicitContext;
use crate::verdict::result::Event;

use super::changes::OwnChanges;
use super::interruption::Interruption;
use super::keep::Kept;
use super::snapshots_seen::{SnapshotMode, SnapshotsSeen};
use super::stop::Stop;
use super::token_budget::TokenBudget;
use super::views::RememberedViews;

/// What every scenario of a run shares.
pub(super) struct RunContext {
    pub(super) target: Environment,
    pub(super) strict: bool,
    /// Selectors of scenarios that are left out.
    pub(super) excluded: Vec<String>,
    pub(super) run_tag: String,
    /// Rows that the scenario files state themselves.
    pub(super) own_rows: Arc<OwnRows>,
    pub(super) masks: Arc<Masks>,
    pub(super) implicit: ImplicitContext,
    pub(super) kept: Kept,
    pub(super) snapshots: SnapshotMode,
    pub(super) snapshot_dir: Option<PathBuf>,
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
