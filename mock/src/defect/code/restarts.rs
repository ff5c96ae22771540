//! Defects of a restart: what was acknowledged before it is not there afterwards.

use super::CodeRow;
use super::DefectCode::Restart as OnRestart;
use crate::world::World;
use crate::world::state::change::Change;

pub(super) const ROWS: &[CodeRow] = &[
    ("restart.forgets-everything", OnRestart(forget_everything)),
    ("restart.forgets-revocations", OnRestart(forget_revocations)),
];

fn forget_everything(world: &mut World) {
    // The settings of a world that runs were checked when it began.
    if let Ok(first) = world.at_first() {
        *world = first;
    }
}

fn forget_revocations(world: &mut World) {
    let forget = |serial| Change::ForgetToken { serial };
    let changes = world.state().token_marks().revoked().map(forget).collect();
    world.apply(changes);
}
