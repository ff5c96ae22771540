//! The client in Python. It needs the package `requests`.

mod release;

use crate::support::{example, program};

#[test]
fn the_python_client_behaves_well() {
    let probes: [&[&str]; 2] =
        [&["python3", "-c", "import requests"], &["/usr/bin/python3", "-c", "import requests"]];
    let python = program(&probes, "python3 python3-requests");
    example::check(python, "examples/python/client.py");
}
