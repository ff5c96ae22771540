//! Tests of the binary `moot` that need another program. A program that is missing fails its tests.
//!
//! Each program has a module, so that `--skip curl::` leaves out what needs curl.

mod bash;
mod beginnings;
mod browser;
mod curl;
mod node;
mod operator;
mod postgres;
mod pytest;
mod python;
mod support;
