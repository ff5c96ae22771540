//! Runs the commands of the documentation.

mod degenerate;
mod drill;
mod pages;
mod readme;
mod sandbox;

/// Fails the test if curl is missing.
#[track_caller]
fn require_curl() {
    crate::support::program(&[&["curl", "--version"]], "curl");
}
