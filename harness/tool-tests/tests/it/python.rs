//! The clients in Python. They need the packages `requests` and `httpx`.

mod from_nothing_to_ready;
mod release;
mod same_findings;

use crate::support::{example, program};

/// A Python that has both packages.
#[track_caller]
fn python() -> &'static str {
    let probes: [&[&str]; 2] = [
        &["python3", "-c", "import requests, httpx"],
        &["/usr/bin/python3", "-c", "import requests, httpx"],
    ];
    program(&probes, "python3 python3-requests python3-httpx")
}

#[test]
fn the_python_client_behaves_well() {
    example::check(python(), "examples/python/client.py");
}

#[test]
fn a_client_with_requests_is_ready() {
    example::check_ready(&[python(), "examples/clients/honest.py", "requests"]);
}

#[test]
fn a_client_with_httpx_is_ready() {
    example::check_ready(&[python(), "examples/clients/honest.py", "httpx"]);
}
