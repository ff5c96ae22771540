//! What keeps the changes of a world: where to hand them in, and where to wait for it.
//!
//! Two steps, so that changes that come close together are kept together: [`Keeper::take`] is asked
//! while nobody else can change the world, [`Keeper::finish`] while everybody can.

use crate::world::Noted;

/// Takes changes of one world, in the order applied; gives their number, above 0 and growing.
pub type Take = Box<dyn Fn(Noted) -> u64 + Send + Sync>;

/// Returns once everything up to a number of [`Take`] is kept, or can't be.
pub type Finish = Box<dyn Fn(u64) -> Result<(), NotKept> + Send + Sync>;

/// Keeps what it is given, all of one call of `take` or nothing. After it failed once it keeps
/// nothing more.
pub struct Keeper {
    /// Hands in.
    pub take: Take,
    /// Waits.
    pub finish: Finish,
}

/// Why changes could not be kept, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotKept(pub String);
