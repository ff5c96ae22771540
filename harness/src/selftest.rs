//! Tests of the suite itself. Is it too weak? Is it too strict? Does it pass a target that is not the service?
//!
//! - [`defects`] runs the suite on services with one defect each. [`matrix`] lists the defects that the checks of each
//!   requirement caught.
//! - [`finding_fit`] checks that the findings of these trials fit the defect. [`history`] checks that no verdict depends on
//!   earlier calls.
//! - [`mutants`] runs the suite on services with generated defects. [`score`] counts the mutants that it noticed.
//! - [`drawn_services`] and `alone` run it on conformant services with other answers to the open questions.
//! - [`degenerate`] runs it on targets that are not the service.
//! - [`on_target`] records a deployment once, and applies defects to its responses.
//!
//! Every trial ([`trial`]) is a run like that of `moot run`. [`outcome`] has all results as data.

pub mod defects;
pub mod degenerate;
pub mod deployment_matrix;
pub mod drawn_services;
pub mod finding_fit;
pub mod history;
pub mod markdown;
pub mod matrix;
pub mod mutants;
pub mod on_target;
pub mod outcome;
mod overlay;
pub mod page;
pub mod score;
mod single_answer;
pub mod text;
pub mod trial;
mod trials;

pub use outcome::SelftestOutcome;
pub use text::on_target_text;
pub use trial::TrialEnvironment;
pub use trials::SelftestPlan;
