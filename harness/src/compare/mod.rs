//! Two targets side by side: the same plan on both, and what differs, once and in its class.
//!
//! [`Told`] keeps what each scenario was told while a run goes on, as [`reading`](AnswerReading)s
//! without what differs from run to run; `pairs` finds what belongs together, `exchanges` and
//! `checks` find what differs, `explain` finds the open question behind a difference, and
//! [`compare()`] puts it together as a [`Comparison`]. [`text`] and [`page`] show one.
//!
//! What a list or a read shows is stored data, of which only the shape is compared; what an action, a
//! token request or an error answers is compared as it is. Nothing here judges: a violation is what a
//! check of the run found.

mod cause;
mod checks;
mod comparison;
mod exchanges;
mod explain;
mod flatten;
mod gather;
pub mod page;
mod pairs;
mod reading;
mod sides;
pub mod text;

pub use comparison::{
    Class, Compared, Comparison, Difference, NotCompared, OneSidedAnswer, SCHEMA, SCHEMA_VERSION,
    SideView,
};
pub use reading::{AnswerReading, ExchangeReading, StepReading, Told};
pub use sides::{Asked, Side, compare};
