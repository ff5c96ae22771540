//! Actions at a target that no client can take: a status is set, a comment made, a token revoked, the clock
//! moved, the service restarted.
//!
//! A sandbox of a moot mock has its control plane for that. A deployment has the operator of its target file:
//! a program, or a person at the terminal. [`operate`](super::operate) chooses. Whatever goes wrong is an
//! [`trouble::OperatorTrouble`], never a violation.

pub(crate) mod command;
pub(crate) mod order;
pub(crate) mod person;
pub(crate) mod trouble;
