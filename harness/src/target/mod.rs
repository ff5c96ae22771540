//! Targets: where requests go, and all that stands between a scenario and a real service.

mod prepared;
mod stage;
mod target;

pub use prepared::{PartBytes, Prepared, PreparedBody, PreparedPart};
pub use stage::{Receiver, Stage};
pub use target::{OpenError, Target, TargetChoice, TargetFile, TargetOptions};
pub mod payload;
