//! The response to a call and the changes it makes.

use crate::value::message::response::Response;
use crate::world::state::change::Change;

/// The response to a call, with the changes that must be applied before it is sent.
#[derive(Debug)]
pub struct Outcome {
    /// The response.
    pub response: Response,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

impl Outcome {
    /// A response that changes nothing.
    pub(crate) const fn unchanged(response: Response) -> Self {
        Self { response, changes: Vec::new() }
    }
}
