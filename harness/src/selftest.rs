//! Tests of the suite itself: is it too weak, is it too strict, and does it ever pass a target that is
//! not the service?
//!
//! - [`defects`] runs the suite on services with one defect each. [`matrix`] lists, for each
//!   requirement, the defects that its checks caught.
//! - [`fit`] judges whether the findings of these trials speak of what is wrong, and [`history`] whether the
//!   verdicts depend on what happened before.
//! - [`mutants`] runs it on services with generated defects; [`score`] counts how many it noticed.
//! - [`latitude`] and `alone` run it on conformant services that answer the open questions
//!   differently.
//! - [`degenerate`] runs it on targets that are not the service.
//! - [`on_target`] records a deployment once, and applies defects to its answers.
//!
//! Every trial ([`trial`]) is a run as `moot run` makes it. [`outcome`] holds all results as data.

mod alone;
pub mod defects;
pub mod degenerate;
pub mod deployed;
pub mod fit;
pub mod history;
pub mod latitude;
pub mod markdown;
pub mod matrix;
pub mod mutants;
pub mod on_target;
mod on_target_text;
pub mod outcome;
mod overlay;
pub mod page;
pub mod score;
pub mod text;
pub mod trial;
mod trials;

pub use on_target_text::on_target_text;
pub use outcome::SelftestOutcome;
pub use trial::Bench;
pub use trials::{SelftestPlan, SelftestTrials};
