//! The commands of the documents, run as they are printed there.

mod degenerate;
mod drill;
mod pages;
mod readme;
mod sandbox;

/// Fails the test where curl is missing.
#[track_caller]
fn require_curl() {
    crate::support::program(&[&["curl", "--version"]], "curl");
}
