//! Grading of clients: the rules of conduct, drills, and a client that breaks the rules for the self-test.

pub mod conduct;
pub mod drill;
pub mod misbehaving_client;
