//! Grading clients: what a client did, judged by the rules of conduct, and drills that bring about what rarely happens.

pub mod conduct;
pub mod drill;
pub mod misbehaving;
