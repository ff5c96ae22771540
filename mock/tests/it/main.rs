//! The tests of the mock from outside its modules, in one binary.

mod support;

mod activity;
mod admission;
mod answers;
mod control;
mod create_legal_request;
mod deliveries;
mod laws;
mod limiter;
mod lists;
mod progression;
mod repository_documents;
mod seeds;
mod tokens;
mod webhooks;
