//! The judge: scenarios are read, run against a target, checked, and reported.
//!
//! The way of a run: [`scenario`] reads files, [`run`] plans and walks them, [`target`] carries each
//! request to the service, [`check`] judges the exchange, [`report`] renders the result. Checks know
//! the contract and the exchange; none of them asks the mock what is right.

pub mod answers;
pub mod check;
pub mod command;
pub mod compare;
pub mod conduct;
pub mod exchange;
pub mod expected;
pub mod explore;
pub mod masks;
pub mod report;
pub mod result;
pub mod run;
pub mod scenario;
pub mod selftest;
pub mod target;
pub mod terminal;
pub mod verdict;
