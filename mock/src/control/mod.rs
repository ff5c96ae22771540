//! What the control plane can ask of a world.
//!
//! Pure: a question or an order in, JSON and changes out. Never here: HTTP, which is the shell's.

mod ask;

pub use ask::{Ask, Exhaust, Refusal};
