//! Integration tests of the snapshots: stable text, and files that insta reads.

mod bundle;
mod placeholders;
mod rows;
mod store;
