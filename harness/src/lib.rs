//! The judge: scenarios are read, run against a target, checked, and reported.
//!
//! A run: [`scenario`] reads files, [`run`] plans and runs them, [`client`] sends each request to the service,
//! [`verdict`] judges the exchange, [`report`] renders the result. Checks know the contract and the exchange;
//! none of them asks the mock what is right.

pub mod client;
pub mod command;
pub mod compare;
pub mod exchange;
pub mod explore;
pub mod grading;
pub mod report;
pub mod run;
pub mod scenario;
pub mod selftest;
pub mod verdict;
