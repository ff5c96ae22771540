//! Services that are wrong on purpose: each [`Defect`] breaks one requirement, so that a suite can
//! prove that it notices.
//!
//! The core does not know defects. [`install`] puts them behind the hook of a world. Most defects are
//! data in `mock/defects/*.yaml`: an operator at a place of a response, a rule that is not applied, a
//! call that is answered as another one. The others have a function in `code`.

mod access_defect;
mod act;
mod call;
mod call_edit;
mod catalogue;
mod code;
mod condition;
mod damage;
mod edit;
mod effect_defect;
mod filter;
mod hook;
mod likeness;
mod list_defect;
mod lookup;
mod memory;
pub mod mutant;
mod operator;
mod place;
mod record;
mod rule_pattern;
mod transition_defect;

pub use catalogue::{Defect, all};
pub use filter::ReplyContext;
pub use hook::install;
pub use lookup::named;
