//! The example for pytest: a fixture with a sandbox per test.

use crate::support::{moot, program, root};

#[test]
fn each_test_has_a_sandbox() {
    let probes: [&[&str]; 2] =
        [&["python3", "-c", "import pytest"], &["/usr/bin/python3", "-c", "import pytest"]];
    let python = program(&probes, "python3 python3-pytest");
    let words =
        ["exec", "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/pytest"];
    let output = moot(&words, root());
    assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("2 passed"), "{}", output.stdout);
    assert!(output.stderr.contains("in 2 sandboxes"), "{}", output.stderr);
}
