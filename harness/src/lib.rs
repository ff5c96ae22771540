//! The judge: reads scenarios, runs them against a target, checks the responses, and reports the result.
//!
//! A run: [`scenario`] reads files, [`run`] plans and runs them, [`client`] sends each request to the service,
//! [`verdict`] judges the exchange, [`report`] renders the result. Checks know the contract and the exchange.
//! They never ask the mock for the right response.

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
