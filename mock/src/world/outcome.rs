//! The answer to a call with what it changes.

use crate::value::message::response::Response;
use crate::world::state::change::{Change, Effect};

/// What a call is answered, and what has to be applied before the answer leaves.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub response: Response,
    /// What changes.
    pub changes: Vec<Change>,
    /// What falls due by it.
    pub effects: Vec<Effect>,
}

impl Outcome {
    /// An answer that changes nothing.
    pub(crate) const fn unchanged(response: Response) -> Self {
        Self { response, changes: Vec::new(), effects: Vec::new() }
    }
}
