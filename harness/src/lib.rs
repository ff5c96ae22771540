//! The judge: scenarios are read, run against a target, checked, and reported.
//!
//! A run: [`scenario`] reads files, [`run`] plans and runs them, [`environment`] and [`client`] send
//! each request to the service, [`check`] judges the exchange, [`report`] renders the result. Checks
//! know the contract and the exchange; none of them asks the mock what is right.

pub mod answers;
pub mod check;
pub mod client;
pub mod command;
pub mod compare;
pub mod conduct;
pub mod drill;
pub mod environment;
pub mod exchange;
pub mod expected;
pub mod explore;
pub mod masks;
pub mod misbehaving;
pub mod part;
pub mod recording;
pub mod report;
pub mod result;
pub mod run;
pub mod scenario;
pub mod selftest;
pub mod target_file;
pub mod terminal;
pub mod verdict;
