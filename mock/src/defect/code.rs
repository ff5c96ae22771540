//! Defects that data cannot express. Each has a function, found by the id of the defect.

mod admission;
mod bodies;
mod deliveries;
mod histories;
mod isolation;
mod reads;
mod tokens;

use super::call::{ArrivingCall, DefectCall};
use crate::value::message::call::Admission;
use crate::world::state::change::Change;
use crate::world::{Outcome, World};

/// The function of a defect. The variant says when it is called.
#[derive(Debug, Clone, Copy)]
pub(super) enum DefectCode {
    /// Replaces the decision about a call before its body is read.
    Admit(fn(&ArrivingCall<'_>, Admission) -> Admission),
    /// Replaces the outcome of an admitted call.
    Answer(fn(&DefectCall<'_>, Outcome) -> Outcome),
    /// Replaces changes before they are applied.
    Change(fn(&World, Vec<Change>) -> Vec<Change>),
    /// Changes a world that restarts.
    Restart(fn(&mut World)),
}

/// The ids of defects, each with its function.
const TABLE: [&[(&str, DefectCode)]; 7] = [
    admission::ROWS,
    bodies::ROWS,
    deliveries::ROWS,
    histories::ROWS,
    isolation::ROWS,
    reads::ROWS,
    tokens::ROWS,
];

/// The function of the defect with this id.
pub(super) fn of(id: &str) -> Option<DefectCode> {
    rows().find(|row| row.0 == id).map(|row| row.1)
}

/// The ids of the defects with a function.
#[cfg(test)]
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.0)
}

fn rows() -> impl Iterator<Item = &'static (&'static str, DefectCode)> {
    TABLE.into_iter().flatten()
}
