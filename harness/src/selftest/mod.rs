//! Testing the tests: is the suite too strict, is it too weak, and does it ever bless what is no
//! service at all?
//!
//! [`defects`] breaks the service in one place at a time and asks who noticed, [`matrix`] turns that
//! around, [`latitude`] draws the open questions anew and bears no `fail`, [`degenerate`] points the
//! suite at what is no service. Every trial ([`trial`]) is a run as `moot run` makes it; the results
//! are inert data, and [`outcome`] is all of them. Nothing here knows the mock.

pub mod defects;
pub mod degenerate;
pub mod latitude;
pub mod matrix;
pub mod outcome;
pub mod page;
pub mod text;
pub mod trial;

pub use defects::Defect;
pub use outcome::Outcome;
pub use trial::Bench;
