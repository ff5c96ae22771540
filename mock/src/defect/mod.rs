//! Worlds that err: each [`Defect`] breaks one requirement, so that a suite can be seen to notice.
//!
//! The core knows nothing of single defects. It is wrapped at a few seams (`seam`): admission, the
//! answer, every response, the changes, and the number of calls that the limit allows. The rows
//! stand in files by subject (`table` lists them). A world without defects never comes here.

mod arriving;
mod asked;
mod edit;
mod forge;
mod overlay;
mod row;
mod seam;
mod table;
mod worn;

mod activities;
mod authentication;
mod creations;
mod documents;
mod histories;
mod hostile;
mod isolation;
mod legal_requests;
mod lists;
mod notices;
mod pages;
mod problems;
mod services;
mod standards;
mod token_refusals;
mod tokens;
mod uploads;
mod webhooks;
mod workflows;

pub use overlay::Heard;
pub use row::Defect;
pub use table::{all, named};
pub use worn::install;
