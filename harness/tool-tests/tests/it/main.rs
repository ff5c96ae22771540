//! Tests of the binary `moot` that need another program. A missing program fails its tests.
//!
//! Each program has a module, so that `--skip curl::` skips the tests that need curl.

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
