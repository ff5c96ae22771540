//! Testing the tests: is the suite too strict, is it too weak, and does it ever bless what is no
//! service at all?
//!
//! [`defects`] breaks the service in one place at a time and asks who noticed, [`matrix`] turns that
//! around, [`latitude`] draws the open questions anew and bears no `fail`, [`degenerate`] points the
//! suite at what is no service, [`deployed`] lays defects over what a deployment answered. Every trial ([`trial`]) is a run as `moot run` makes it; the results
//! are inert data, and [`outcome`] is all of them. Nothing here knows the mock.

mod alone;
pub mod defects;
pub mod degenerate;
pub mod deployed;
mod deployed_text;
pub mod latitude;
pub mod markdown;
pub mod matrix;
pub mod outcome;
mod overlay;
pub mod page;
pub mod text;
pub mod trial;

pub use alone::{alone, alone_count};
pub use defects::Defect;
pub use degenerate::DEGENERATE_COUNT;
pub use deployed_text::deployed_text;
pub use outcome::Outcome;
pub use trial::Bench;
