//! Services that are wrong on purpose. Each [`Defect`] breaks a requirement, to prove that the suite notices
//! the violation.
//!
//! The core does not know defects: [`install`] puts them behind the hook of a world. Most defects are data in
//! `mock/defects/*.yaml`: they edit a response, skip a rule or answer another call. The others have a
//! function in `code`.

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
mod memory;
pub mod mutant;
mod operator;
mod place;
mod record;
mod transition_defect;

pub use catalogue::{Defect, all};
pub use filter::ReplyContext;
pub use hook::install;

/// The defect or mutant with this id. Ids are compared exactly.
pub fn named(id: &str) -> Option<&'static Defect> {
    let written = all().iter().find(|defect| defect.id == id);
    written.or_else(|| mutant::named(id).map(|mutant| &mutant.defect))
}
